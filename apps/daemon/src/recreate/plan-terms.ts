/** Determines the runtime of the containers of a request, and how to stop them. Pure. @see spec/containerrecreaterequest.md 5.3 */
import type { ContainerRecreateRequest } from '@kruise/api';
import { isJsonObject, type JsonObject } from '@kruise/objects';
import type { StopTerms } from '../containers/plan-stop.ts';

/** The default when the request has none; admission fills in that of the Pod. */
const defaultGraceSeconds = 30;
/** More than eleven days count as unlimited, and still fit into timers. */
const longestGraceSeconds = 1_000_000;

export type RuntimeOfRequest = { readonly kind: 'Found'; readonly name: string } | { readonly kind: 'Unclear'; readonly why: string };

/** Returns the scheme of the containers' ids. */
export function runtimeOfRequest({ spec }: ContainerRecreateRequest): RuntimeOfRequest {
  const names = new Set<string>();
  for (const { name, statusContext } of spec.containers) {
    const [, scheme] = /^([^:/]+):\/\/.+$/.exec(statusContext?.containerID ?? '') ?? [];
    if (scheme === undefined) return { kind: 'Unclear', why: `no containerID of ${name} in its statusContext` };
    names.add(scheme);
  }
  const [name, ...others] = names;
  if (name === undefined) return { kind: 'Unclear', why: 'no containers' };
  return others.length === 0
    ? { kind: 'Found', name }
    : { kind: 'Unclear', why: `containers of several runtimes: ${[...names].join(', ')}` };
}

const hasHandler = (handler: JsonObject): boolean => Object.values(handler).some((value) => value !== null);

/**
 * Returns how to stop a container.
 *
 * @param written on the container by the kubelet. Its hook counts when the request has an empty one: members that the request's schema lacks
 * (`sleep`) are removed when it is stored
 */
export function termsOfRequest({ spec }: ContainerRecreateRequest, name: string, written: StopTerms): StopTerms {
  const container = spec.containers.find((one) => one.name === name);
  const graceSeconds = spec.strategy?.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  const preStop: unknown = container?.preStop;
  const named = isJsonObject(preStop) ? (hasHandler(preStop) ? preStop : written.preStop) : undefined;
  return {
    graceSeconds: Math.min(Math.max(graceSeconds, 0), longestGraceSeconds),
    preStop: named,
    ports: (container?.ports ?? []).map(({ name: portName = '', containerPort }) => ({ name: portName, containerPort })),
  };
}
