/** Ends a `switch` over a union. It does not compile while a member has no case, and throws for an unexpected value from outside. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
