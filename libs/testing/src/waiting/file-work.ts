/**
 * Returns whether files are being read or written: a test that controls the clock waits for that, because fake time would pass it.
 *
 * @remarks For the whole process, because Node does not distinguish callers.
 */
export const isBusyWithFiles = (): boolean => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
