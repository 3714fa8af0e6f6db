/**
 * Whether files are being read or written: a test that owns the clock waits for that, or fake time would run past it.
 *
 * @remarks Of the whole process, as Node keeps no account by caller.
 */
export const isBusyWithFiles = (): boolean => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
