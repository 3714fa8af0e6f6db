/** Ends a `switch` over a union: does not compile while a member has no case, and throws should one come from outside all the same. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
