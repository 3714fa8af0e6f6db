/** What this program was built from. */

/** The version that `npm run build` or `npm run release` puts in place; the sources as they are have none. */
declare const kruiseVersion: string | undefined;

const version = typeof kruiseVersion === 'undefined' ? '0.1.0' : kruiseVersion;
const [major = '', minor = ''] = version.split('.');

/** As `kubectl version` names the fields; '' for what the build does not say. */
export const buildInfo = {
  major,
  minor,
  gitVersion: `v${version}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  platform: `${process.platform}/${process.arch}`,
} as const;
