/** The manifest with which Krew installs the plugin. Pure. */
import { stringify } from 'yaml';
import { archiveName, type Platform } from '../platforms.ts';
import { programFile } from './archive-files.ts';

/** An archive of the release. */
export interface PublishedArchive {
  readonly platform: Platform;
  /** Hexadecimal. */
  readonly sha256: string;
}

const description = `Manages rollouts of the workloads of Kruise (CloneSet, Advanced StatefulSet,
Advanced DaemonSet) and of those of Kubernetes: status, history, undo, pause,
restart, set image, scale down, migrate.

"tree" shows what belongs to an object, "why" the cause when it makes no
progress, "plan" what a change does to each Pod before it is applied, and
"check" whether the installation works.
`;

interface Selector {
  readonly os: Platform['os'];
  readonly arch: Platform['arch'];
}

/** The platforms that an archive serves: Windows on arm64 runs programs of amd64. */
const selectorsOf = ({ os, arch }: Platform): readonly Selector[] =>
  os === 'windows'
    ? [
        { os, arch },
        { os, arch: 'arm64' },
      ]
    : [{ os, arch }];

/**
 * @param baseUrl of the archives, without a slash at the end
 * @see https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
 */
export function krewManifest(version: string, baseUrl: string, archives: readonly PublishedArchive[]): string {
  const platforms = archives.flatMap(({ platform, sha256 }) =>
    selectorsOf(platform).map((matchLabels) => ({
      selector: { matchLabels },
      uri: `${baseUrl}/${archiveName(platform, version)}`,
      sha256,
      bin: programFile(platform),
    })),
  );
  const spec = { version: `v${version}`, shortDescription: 'Manage and understand workloads of Kruise', description, platforms };
  const manifest = { apiVersion: 'krew.googlecontainertools.github.com/v1alpha2', kind: 'Plugin', metadata: { name: 'kruise' }, spec };
  return stringify(manifest, { blockQuote: 'literal' });
}
