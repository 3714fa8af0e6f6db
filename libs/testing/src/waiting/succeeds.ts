/** Returns whether a call succeeds, for waits until it does: {@link eventually} ends at the first call that throws. */
export const succeeds = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  );
