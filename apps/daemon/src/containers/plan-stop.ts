/** Decides how to stop a container: by what the kubelet wrote on it, or as a request requires. Pure. @see spec/daemon.md 5.4 */
import type { CriContainer } from '@kruise/cri';
import { isJsonObject, textAt, type JsonObject } from '@kruise/objects';
import { containerNameOf, graceSecondsOf, portsOf, preStopOf, type ContainerPort } from './kubelet-metadata.ts';

export interface HttpGet {
  readonly scheme: 'http' | 'https';
  /** '' for the Pod's own address. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type Hook =
  | { readonly kind: 'Exec'; readonly command: readonly string[] }
  | { readonly kind: 'HttpGet'; readonly request: HttpGet }
  | { readonly kind: 'Sleep'; readonly seconds: number }
  | { readonly kind: 'Invalid'; readonly why: string };

export interface StopPlan {
  readonly containerId: string;
  readonly containerName: string;
  /** Whole seconds for hook and stop together, 0 or more. */
  readonly graceSeconds: number;
  /** Undefined when there is none, or no time for it. */
  readonly hook: Hook | undefined;
}

/** What determines how a container is stopped. */
export interface StopTerms {
  /** Whole seconds for hook and stop together, 0 or more. */
  readonly graceSeconds: number;
  /** As in a Pod's spec; undefined when there is none. */
  readonly preStop: JsonObject | undefined;
  /** Ports whose names a hook may use. */
  readonly ports: readonly ContainerPort[];
}

/** A process gets at least this many seconds to end by itself. */
const leastStopSeconds = 2;

function portOf(value: unknown, ports: readonly ContainerPort[]): number | undefined {
  if (typeof value === 'number') return value;
  const text = textAt(value);
  if (/^\d+$/.test(text)) return Number(text);
  return ports.find(({ name }) => name === text && text !== '')?.containerPort;
}

function httpGetOf(action: JsonObject, ports: readonly ContainerPort[]): Hook {
  const port = portOf(action['port'], ports);
  if (port === undefined || port < 1 || port > 65_535)
    return { kind: 'Invalid', why: `port ${JSON.stringify(action['port'])} is not a port of the container` };
  const path = textAt(action, 'path');
  const headers = Array.isArray(action['httpHeaders']) ? action['httpHeaders'].filter(isJsonObject) : [];
  return {
    kind: 'HttpGet',
    request: {
      scheme: textAt(action, 'scheme').toUpperCase() === 'HTTPS' ? 'https' : 'http',
      host: textAt(action, 'host'),
      port,
      path: path.startsWith('/') ? path : `/${path}`,
      headers: headers.map(({ name, value }) => [textAt(name), textAt(value)] as const).filter(([name]) => name !== ''),
    },
  };
}

function hookOf(handler: JsonObject, ports: readonly ContainerPort[]): Hook {
  const { exec, httpGet, sleep } = handler;
  if (isJsonObject(exec)) {
    const command = Array.isArray(exec['command']) ? exec['command'].filter((word) => typeof word === 'string') : [];
    return command.length === 0 ? { kind: 'Invalid', why: 'it has no command' } : { kind: 'Exec', command };
  }
  if (isJsonObject(httpGet)) return httpGetOf(httpGet, ports);
  if (isJsonObject(sleep)) return { kind: 'Sleep', seconds: Math.max(0, Number(sleep['seconds']) || 0) };
  return { kind: 'Invalid', why: `handler ${Object.keys(handler).join(', ')} is not known` };
}

/** Returns the terms that the kubelet created the container with. */
export const kubeletTerms = (container: CriContainer): StopTerms => ({
  graceSeconds: graceSecondsOf(container),
  preStop: preStopOf(container),
  ports: portsOf(container),
});

export function planStop(container: CriContainer, terms: StopTerms = kubeletTerms(container)): StopPlan {
  const { graceSeconds, preStop, ports } = terms;
  return {
    containerId: container.id,
    containerName: containerNameOf(container),
    graceSeconds,
    hook: preStop === undefined || graceSeconds === 0 ? undefined : hookOf(preStop, ports),
  };
}

/** Returns the remaining seconds. @param spentSeconds of the hook; only whole seconds count */
export const stopSecondsAfter = (graceSeconds: number, spentSeconds: number): number =>
  Math.max(leastStopSeconds, graceSeconds - Math.floor(spentSeconds));
