/** Checks whether a CRI v1 runtime answers at a socket. @see spec/daemon.md 3 */
import { statSync } from 'node:fs';
import { CriChannel, isCriFailure, isNamedPipe, version, type CriMethodDefinitions } from '@kruise/cri';
import type { Finding } from './plan-scan.ts';

/** Returns why there is no socket. Synchronous, so that no other use of the thread pool delays it. */
function whyNoSocket(path: string): string | undefined {
  if (isNamedPipe(path)) return undefined;
  try {
    return statSync(path).isSocket() ? undefined : 'is not a socket';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be looked at (${code ?? 'failed'})`;
  }
}

const reasonOf = (error: unknown): string => {
  if (isCriFailure(error, 'Unimplemented')) return 'CRI v1 is not served here';
  return error instanceof Error ? error.message : String(error);
};

/**
 * Probes a socket. Only `Version` decides: on a node with many images, or with a busy disk, the image service may answer slowly.
 *
 * @param known the channel in use for this path, if any; it is reused and never closed here
 */
export async function probeSocket(
  path: string,
  known: CriChannel | undefined,
  methods: CriMethodDefinitions,
  signal: AbortSignal,
): Promise<Finding<CriChannel>> {
  const missing = whyNoSocket(path);
  if (missing !== undefined) return { kind: 'Unusable', socket: path, why: missing };
  const connection = known ?? new CriChannel(path, methods);
  try {
    const { runtimeName, runtimeVersion } = await version(connection, { signal });
    return { kind: 'Usable', socket: path, name: runtimeName, version: runtimeVersion, connection };
  } catch (error) {
    if (connection !== known) connection.close();
    return { kind: 'Unusable', socket: path, why: reasonOf(error) };
  }
}
