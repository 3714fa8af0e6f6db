/** Which build this is. */

/** As in package.json. */
export const version = '0.1.0';

export const versionLine = `kruise-state-metrics, version ${version}`;
