const decimal = /^(0|[1-9]\d*)$/;

/**
 * Orders two resourceVersions of one resource type.
 *
 * @returns negative, 0 or positive; undefined when either is no decimal number, so that the order is unknown
 * @remarks Exact at any length: the digits are compared, never converted to a float.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
