/**
 * Jest's global teardown. Jest waits for ever for a handle that a test left open, which would hold up whoever waits for Jest; so name what is
 * still open after a grace and end. The results are written by then, and the exit code stays the one that Jest has set.
 */
const graceMs = 15_000;

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default function teardown(): void {
  setTimeout(() => {
    // Timers and handles by kind, e.g. "TCPSocketWrap, Timeout"; `--detectOpenHandles` on a single file finds their origin.
    console.error(`Tests have left open: ${process.getActiveResourcesInfo().join(', ')}. Ending Jest.`);
    process.exit();
  }, graceMs).unref();
}
