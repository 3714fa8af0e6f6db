// Tests on a real cluster that `npm run e2e` has started and installed Kruise on. Those in `serial/` disturb the manager and run one by one.
import project from '../jest.config.mjs';

const serial = process.env.KRUISE_E2E_STAGE === 'serial';

export default {
  ...project,
  testMatch: [serial ? '<rootDir>/e2e/serial/*.e2e.test.ts' : '<rootDir>/e2e/*.e2e.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  // Scenarios run beside each other and expect something in no test's own time; many wait for a state, which throws.
  setupFilesAfterEnv: [],
  testTimeout: 600_000,
};
