/** Decides what to report about the containers of a Pod. Pure. @see spec/daemon.md 5.6 */
import { annotations } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { formatRuntimeMeta, runtimeMetaOf, type RuntimeContainerMeta } from '@kruise/pods';
import { hashOf, restartCountOf } from '../containers/kubelet-metadata.ts';
import type { RunningContainer } from '../containers/observe-containers.ts';

/** By container name. */
export type Containers = ReadonlyMap<string, RunningContainer>;

/**
 * Returns one entry for each container that has a status, is in the spec and known to the runtime, in the order of the statuses. An instance keeps
 * what was reported of it: the hashes are those of its start. The hash of its environment stays 0 until that is read.
 */
export function planMeta(pod: Pod, containers: Containers): readonly RuntimeContainerMeta[] {
  const reported = new Map((runtimeMetaOf(pod) ?? []).map((meta) => [meta.containerID, meta]));
  const declared = new Set(pod.spec.containers.map(({ name }) => name));
  return (pod.status?.containerStatuses ?? []).flatMap(({ name }) => {
    const running = containers.get(name);
    return running === undefined || !declared.has(name) ? [] : [reported.get(running.containerID) ?? firstMeta(running)];
  });
}

const firstMeta = ({ name, containerID, container }: RunningContainer): RuntimeContainerMeta => ({
  name,
  containerID,
  restartCount: restartCountOf(container),
  plainHash: hashOf(container),
  metadataEnvHash: 0,
});

/** Returns entries whose environment is still to be read, which needs a running container. */
export const withoutEnvHash = (metas: readonly RuntimeContainerMeta[], containers: Containers): readonly RuntimeContainerMeta[] =>
  metas.filter(({ name, metadataEnvHash }) => metadataEnvHash === 0 && containers.get(name)?.isRunning === true);

/** Returns entries with hashes. @param hashes by container name */
export const withEnvHashes = (
  metas: readonly RuntimeContainerMeta[],
  hashes: ReadonlyMap<string, number>,
): readonly RuntimeContainerMeta[] => metas.map((meta) => ({ ...meta, metadataEnvHash: hashes.get(meta.name) ?? meta.metadataEnvHash }));

const isSame = (a: readonly RuntimeContainerMeta[], b: readonly RuntimeContainerMeta[]): boolean =>
  formatRuntimeMeta(a) === formatRuntimeMeta(b);

export interface Report {
  /** For the status subresource, strategic; refused when the Pod is another one with the same name by now. */
  readonly patch: object;
}

/** Returns the report, undefined when the Pod has it already, or there is nothing to report. */
export function planReport(pod: Pod, metas: readonly RuntimeContainerMeta[]): Report | undefined {
  const reported = runtimeMetaOf(pod);
  if (reported === undefined ? metas.length === 0 : isSame(reported, metas)) return undefined;
  return { patch: { metadata: { uid: pod.metadata.uid, annotations: { [annotations.runtimeContainersMeta]: formatRuntimeMeta(metas) } } } };
}
