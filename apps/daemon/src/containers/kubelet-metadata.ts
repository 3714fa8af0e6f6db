/** The labels and annotations that the kubelet wrote on a container. Missing or malformed values count as absent. Pure. @see spec/daemon.md 4 */
import type { CriContainer } from '@kruise/cri';
import { isJsonObject, parseJsonText, type JsonObject } from '@kruise/objects';

const labels = {
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
  containerName: 'io.kubernetes.container.name',
} as const;

const annotations = {
  hash: 'io.kubernetes.container.hash',
  restartCount: 'io.kubernetes.container.restartCount',
  deletionGrace: 'io.kubernetes.pod.deletionGracePeriod',
  terminationGrace: 'io.kubernetes.pod.terminationGracePeriod',
  preStop: 'io.kubernetes.container.preStopHandler',
  ports: 'io.kubernetes.container.ports',
} as const;

type Labelled = Pick<CriContainer, 'labels'>;
type Annotated = Pick<CriContainer, 'annotations'>;

/** Returns a selector of the containers of one Pod. */
export const podSelector = (uid: string): Readonly<Record<string, string>> => ({ [labels.podUid]: uid });

export const podUidOf = ({ labels: held }: Labelled): string => held[labels.podUid] ?? '';
export const podKeyOf = ({ labels: held }: Labelled): { readonly namespace: string; readonly name: string } => ({
  namespace: held[labels.podNamespace] ?? '',
  name: held[labels.podName] ?? '',
});
export const containerNameOf = ({ labels: held }: Labelled): string => held[labels.containerName] ?? '';

/** Returns the kubelet's hash of the container's spec; 0 when absent, or beyond a number. */
export function hashOf({ annotations: held }: Annotated): number {
  const text = held[annotations.hash] ?? '';
  const hash = /^[0-9a-f]{1,16}$/i.test(text) ? Number.parseInt(text, 16) : 0;
  return Number.isSafeInteger(hash) ? hash : 0;
}

const decimal = (text: string | undefined): number | undefined => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined);

export const restartCountOf = ({ annotations: held }: Annotated): number => decimal(held[annotations.restartCount]) ?? 0;

const defaultGraceSeconds = 2;

/**
 * Returns the grace period of the Pod's deletion when it was being deleted as the container was created, otherwise that of the Pod's spec, otherwise
 * 2.
 */
export const graceSecondsOf = ({ annotations: held }: Annotated): number =>
  decimal(held[annotations.deletionGrace]) ?? decimal(held[annotations.terminationGrace]) ?? defaultGraceSeconds;

function json(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseJsonText(text);
  } catch {
    return undefined;
  }
}

export interface ContainerPort {
  readonly name: string;
  readonly containerPort: number;
}

export function portsOf({ annotations: held }: Annotated): readonly ContainerPort[] {
  const ports = json(held[annotations.ports]);
  if (!Array.isArray(ports)) return [];
  return ports.filter(isJsonObject).map(({ name, containerPort }) => ({
    name: typeof name === 'string' ? name : '',
    containerPort: typeof containerPort === 'number' ? containerPort : 0,
  }));
}

/** Returns the preStop hook as the Pod's spec has it; undefined when there is none. */
export function preStopOf({ annotations: held }: Annotated): JsonObject | undefined {
  const handler = json(held[annotations.preStop]);
  return isJsonObject(handler) && Object.values(handler).some((value) => value !== null) ? handler : undefined;
}
