/** SidecarSets and Pods for tests of the injection. */
import type { SidecarContainer, SidecarSet } from '@kruise/api';
import { deepFreeze, instant, type Container, type Pod, type PodSpec, type JsonObject } from '@kruise/objects';
import { completeSidecarSet } from '../revisions/admission-hashes.ts';
import { inject, type Injection } from './inject.ts';
import { prepareVersion } from './prepared-version.ts';
import { currentVersion } from './version.ts';

export const now = instant(Date.UTC(2026, 10, 21, 7, 38, 13));

/** As the webhook stores it: with defaults and hashes. Selects Pods labelled `app: web`. */
export function aSidecarSet(name: string, spec: object = {}, metadata: object = {}): SidecarSet {
  const given = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, uid: `uid-${name}`, ...metadata },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { latestRevision: `${name}-rev1`, matchedPods: 0, updatedPods: 0, readyPods: 0 },
  };
  return deepFreeze(completeSidecarSet(given as JsonObject) as unknown as SidecarSet);
}

export const sidecar = (name: string, over: object = {}): SidecarContainer => ({ name, image: `${name}:1`, ...over });

/** As it comes to the webhook: not stored yet. */
export const aNewPod = (spec: Partial<PodSpec> = {}, metadata: object = {}): Pod =>
  deepFreeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', generateName: 'web-', labels: { app: 'web' }, ...metadata } as unknown as Pod['metadata'],
    spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
  });

export const injection = (pod: Pod, sets: readonly SidecarSet[], sortByName = false): Injection =>
  inject(
    pod,
    sets.map((sidecarSet) => prepareVersion(currentVersion(sidecarSet))),
    { now, sortByName },
  );

/** The Pod with the SidecarSets injected in their order; an Error when it is refused. */
export function injected(pod: Pod, sets: readonly SidecarSet[], sortByName = false): Pod {
  const result = injection(pod, sets, sortByName);
  if (result.kind === 'Refused') throw new Error(result.why);
  return result.pod;
}

export const namesOf = (containers: readonly Container[] | undefined): readonly string[] => (containers ?? []).map(({ name }) => name);

export function containerOf(pod: Pod, name: string): Container {
  const found = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((container) => container.name === name);
  if (found === undefined) throw new Error(`no container ${name} in ${namesOf(pod.spec.containers).join()}`);
  return found;
}
