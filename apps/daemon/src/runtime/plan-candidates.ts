/** Where the socket of a container runtime may be. @see spec/daemon.md 3 */

export interface Candidates {
  /** Absolute, in the order in which they are tried. Of two runtimes with one name the first counts. */
  readonly paths: readonly string[];
  /** Logged once at start: how a `--socket-file` that is no relative path was interpreted. */
  readonly notice?: string;
}

const usualPlaces = [
  'containerd.sock',
  'containerd/containerd.sock',
  'crio.sock',
  'crio/crio.sock',
  'cri-dockerd.sock',
  'cri-dockerd/cri-dockerd.sock',
] as const;

/** On Windows there is one place, and no mount: the agent is a process of the node. */
const windowsPipe = '\\\\.\\pipe\\containerd-containerd';

const join = (root: string, path: string): string => `${root.replace(/\/+$/, '')}/${path}`;

/**
 * Returns the path that was probably meant: an absolute path of the host, or one below the mount, is the same file below the mount. When the mount is
 * a subdirectory of the run directory, the path below it is shorter, so each shorter one is tried as well.
 */
function meantBy(socketFile: string, root: string): readonly [string, ...string[]] {
  const path = socketFile.replace(/^unix:\/\//, '');
  const prefix = [join(root, ''), '/var/run/', '/run/'].find((start) => path.startsWith(start)) ?? '';
  const parts = path.slice(prefix.length).replace(/^\/+/, '').split('/');
  const below = path.startsWith('/') && prefix !== join(root, '') ? parts.slice(1) : [];
  return [parts.join('/'), ...below.map((_part, index) => parts.slice(index + 1).join('/'))];
}

/**
 * Returns the candidates.
 *
 * @param socketFile `--socket-file`; '' for the usual places
 * @param root where the host's run directory is mounted
 * @param platform as Node names it
 */
export function planCandidates(socketFile: string, root: string, platform: string): Candidates {
  if (platform === 'win32') return { paths: [windowsPipe] };
  if (socketFile === '') return { paths: usualPlaces.map((place) => join(root, place)) };
  const paths = meantBy(socketFile, root).map((path) => join(root, path));
  if (paths[0] === join(root, socketFile)) return { paths };
  return { paths, notice: `--socket-file must be relative to ${root}; "${socketFile}" is understood as ${paths.join(' or ')}` };
}
