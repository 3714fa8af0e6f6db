/**
 * Says that lists of different lengths are not equal, and leaves the rest to Jest, to whose `toEqual` alone `[undefined]` is like `[]`.
 * For `expect.addEqualityTesters`.
 */
export const unequalLists = (a: unknown, b: unknown): false | undefined =>
  Array.isArray(a) && Array.isArray(b) && a.length !== b.length ? false : undefined;
