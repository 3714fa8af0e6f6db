/** The npm package of the plugin, for people who have Node. Pure. */
import type { CommonFiles, ReleaseFile } from './archive-files.ts';

/** The oldest Node that the bundles are made for. */
const oldestNode = '>=24';

/** npm reads the programs of a package from here. */
const programs = {
  'kubectl-kruise': 'main.mjs',
  'kubectl_complete-kruise': 'kubectl_complete-kruise.mjs',
  resourcedistributiongenerator: 'resourcedistributiongenerator.mjs',
} as const;

function manifest(version: string): string {
  const members = {
    name: 'kubectl-kruise',
    version,
    description: 'kubectl plugin for Kruise: rollouts, trees, causes and plans of CloneSets and other workloads',
    keywords: ['kubernetes', 'kubectl', 'kubectl-plugin', 'kruise'],
    license: 'Apache-2.0',
    type: 'module',
    bin: programs,
    engines: { node: oldestNode },
  };
  return `${JSON.stringify(members, undefined, 2)}\n`;
}

/**
 * @param bundle files with the entries that {@link programs} names
 * @param notices of the packages in the bundle
 * @returns the files of the package, below `package/` as npm wants them
 */
export function npmFiles(
  version: string,
  bundle: readonly ReleaseFile[],
  { license, readme, notices }: Pick<CommonFiles, 'license' | 'readme' | 'notices'>,
): readonly ReleaseFile[] {
  const entries: readonly string[] = Object.values(programs);
  const texts = { 'package.json': manifest(version), LICENSE: license, 'README.md': readme, 'THIRD_PARTY_NOTICES.txt': notices };
  return [
    ...Object.entries(texts).map(([path, content]): ReleaseFile => ({ path: `package/${path}`, content: Buffer.from(content) })),
    ...bundle.map(({ path, content }): ReleaseFile => ({
      path: `package/${path}`,
      content,
      ...(entries.includes(path) ? { executable: true } : {}),
    })),
  ];
}
