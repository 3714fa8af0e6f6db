/** What this program was built from. */

/** As `kubectl version` names the fields; '' for what the build does not say. */
export const buildInfo = {
  major: '0',
  minor: '1',
  gitVersion: 'v0.1.0',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  platform: `${process.platform}/${process.arch}`,
} as const;
