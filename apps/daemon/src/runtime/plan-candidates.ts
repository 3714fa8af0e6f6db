/** Where the socket of a container runtime may be. @see spec/daemon.md 3 */

export interface Candidates {
  /** Absolute, in the order in which they are tried; of two runtimes of one name the first counts. */
  readonly paths: readonly string[];
  /** Said once at start: how a `--socket-file` that is no relative path was understood. */
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

const join = (root: string, path: string): string => `${root.replace(/\/+$/, '')}/${path}`;

/** An absolute path of the host, or one below the mount, is taken for what was meant: the same file below the mount. */
function relative(socketFile: string, root: string): string {
  const path = socketFile.replace(/^unix:\/\//, '');
  const prefix = [join(root, ''), '/var/run/', '/run/'].find((start) => path.startsWith(start)) ?? '';
  return path.slice(prefix.length).replace(/^\/+/, '');
}

/**
 * @param socketFile `--socket-file`; '' for the usual places
 * @param root where the host's run directory is mounted
 */
export function planCandidates(socketFile: string, root: string): Candidates {
  if (socketFile === '') return { paths: usualPlaces.map((place) => join(root, place)) };
  const path = join(root, relative(socketFile, root));
  if (path === join(root, socketFile)) return { paths: [path] };
  return { paths: [path], notice: `--socket-file must be relative to ${root}; "${socketFile}" is understood as ${path}` };
}
