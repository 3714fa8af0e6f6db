/**
 * Jest's global teardown: sees to it that Jest ends once its results are written, with the exit code that it has set.
 *
 * Two things keep it: a handle that was left open, for which Jest waits indefinitely (it is named after a grace, and fails the run; what a test file
 * leaves open has failed that file before, see jest-environment.ts), and Node's own end, which may spin in the clean-up of handles that are closed
 * already; an explicit exit does without that clean-up.
 */
const graceMs = 15_000;

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default function teardown(): void {
  process.once('beforeExit', () => process.exit());
  setTimeout(() => {
    // Timers and handles by kind, e.g. "TCPSocketWrap, Timeout"; `--detectOpenHandles` on a single file finds their origin.
    console.error(`Tests have left open: ${process.getActiveResourcesInfo().join(', ')}. Ending Jest: the run has failed.`);
    process.exit(1);
  }, graceMs).unref();
}
