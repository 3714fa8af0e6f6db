// One configuration for every project: TypeScript is only stripped of its types (as Node itself does), modules stay ES modules.
// Unit tests are *.test.ts, *.property.test.ts and *.golden.test.ts; *.int.test.ts need a control plane and run with KRUISE_TEST_TIER=integration.
const integration = process.env.KRUISE_TEST_TIER === 'integration';

export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }] },
  testMatch: integration ? ['**/*.int.test.ts'] : ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/e2e/', ...(integration ? [] : ['\\.int\\.test\\.ts$'])],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalTeardown: '<rootDir>/tools/tasks/jest-teardown.ts',
  maxWorkers: integration ? 1 : 2,
  testTimeout: integration ? 120_000 : 20_000,
};
