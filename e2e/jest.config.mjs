// Tests on a real cluster that `npm run e2e` has started and installed Kruise on. For those in `gates/` the managers run with other gates. Those in
// `nightly/` repeat scenarios that every run covers with simulated kubelets. Those in `serial/` disturb managers or nodes and run one by one. Those in
// `audit/` come last and check what all others made the programs ask of the API server, and what became of StatefulSets meanwhile.
import project from '../jest.config.mjs';

const stage = process.env.KRUISE_E2E_STAGE;

export default {
  ...project,
  testMatch: [`<rootDir>/e2e/${stage}/**/*.e2e.test.ts`],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  testSequencer: '<rootDir>/e2e/support/longest-first.ts',
  // Scenarios run beside each other and expect something in no test's own time; many wait for a state, which throws.
  setupFilesAfterEnv: [],
  ...(stage === 'audit' ? {} : { globalSetup: '<rootDir>/e2e/support/gates-of-stage.ts' }),
  testTimeout: 600_000,
};
