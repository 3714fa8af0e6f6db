// One configuration for every project: TypeScript is only stripped of its types (as Node itself does), modules stay ES modules.
// Unit tests are *.test.ts, *.property.test.ts and *.golden.test.ts; *.int.test.ts need a control plane and run with KRUISE_TEST_TIER=integration.
import { isNightly } from './libs/testing/src/properties/search-size.ts';

const integration = process.env.KRUISE_TEST_TIER?.endsWith('integration') === true;

// Golden files that are written anew fit whatever the code does: that is for a person who reads the diff.
if (process.env.CI && process.env.UPDATE_GOLDEN)
  throw new Error('UPDATE_GOLDEN is set, and CI too: in CI golden files are compared, never written. Unset one of them.');

export default {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/tools/tasks/jest/jest-environment.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tools/tasks/jest/jest-transform.ts' },
  moduleNameMapper: { '^fast-check$': '<rootDir>/tools/tasks/jest/seeded-fast-check.ts' },
  testMatch: integration ? ['**/*.int.test.ts'] : ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '<rootDir>/e2e/',
    ...(integration ? [] : ['\\.int\\.test\\.ts$']),
    // They wait for what Prometheus scrapes: `npm run nightly` asks for them.
    ...(process.env.KRUISE_LIVE_MONITORING === undefined ? ['/tools/generate/monitoring/(drills|queries)\\.int\\.test\\.ts$'] : []),
    // They download the Node of each platform: `npm run nightly` names the platforms.
    ...(process.env.KRUISE_RELEASE_PLATFORMS === undefined ? ['/tools/release/release\\.int\\.test\\.ts$'] : []),
    ...(process.env.KRUISE_IMAGE_PLATFORMS === undefined ? ['/tools/image/platform-images\\.int\\.test\\.ts$'] : []),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  setupFilesAfterEnv: ['<rootDir>/tools/tasks/jest/jest-setup.ts'],
  ...(integration ? { globalSetup: '<rootDir>/tools/tasks/jest/jest-integration.ts' } : {}),
  testSequencer: `<rootDir>/tools/tasks/jest/jest-${integration ? 'integration' : 'unit'}-order.ts`,
  globalTeardown: '<rootDir>/tools/tasks/jest/jest-teardown.ts',
  maxWorkers: 2,
  // On a busy machine a worker needs more than Jest's 500 ms to read that it must end.
  workerGracefulExitTimeout: 10_000,
  testTimeout: isNightly() ? 3_600_000 : integration ? 600_000 : 60_000,
};
