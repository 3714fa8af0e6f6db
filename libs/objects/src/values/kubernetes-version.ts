/** The version of an API server, as far as its features depend on it. */

/**
 * Returns the number after the first dot: 34 for `v1.34.4+k3s1`.
 *
 * @param gitVersion of `/version`
 * @returns Infinity for any Kubernetes after 1; undefined for a text without three numbers, and for one before 1
 */
export function minorVersionOf(gitVersion: string): number | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d/.exec(gitVersion) ?? [];
  if (major === undefined || Number(major) === 0) return undefined;
  return Number(major) > 1 ? Infinity : Number(minor);
}
