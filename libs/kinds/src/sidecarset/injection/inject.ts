/** Injects versions of SidecarSets into a Pod that is about to be created. Pure. @see spec/sidecarset.md 5.4 */
import { sidecarSetEnvNames } from '@kruise/api';
import type { Container, Instant, Pod, PodSpec } from '@kruise/objects';
import { isNativeSidecar } from '../revisions/hash.ts';
import { patchAnnotations } from '../pods/patch-annotations.ts';
import { buildContainers } from './build-containers.ts';
import { recordInjection } from './injection-record.ts';
import { placeContainers, sortedByName, type Placed } from './place-containers.ts';
import { PodSources } from './pod-sources.ts';
import type { PreparedSidecar, PreparedVersion } from './prepared-version.ts';

export interface InjectionContext {
  readonly now: Instant;
  /** Gate EnableSortSidecarContainerByName: containers are sorted as init containers always are. */
  readonly sortByName: boolean;
}

export type Injection =
  | {
      readonly kind: 'Injected';
      readonly pod: Pod;
      /** Containers that the Pod came with and that sidecars of the same name have taken the place of. */
      readonly replaced: readonly string[];
      /** Variables, as `container/name`, that sidecars should have taken over and the Pod has not. */
      readonly missingEnv: readonly string[];
    }
  | { readonly kind: 'Refused'; readonly why: string };

type Annotations = Readonly<Record<string, string>>;

class InjectionDenied extends Error {}

function patchedAnnotations(held: Annotations, versions: readonly PreparedVersion[]): Annotations {
  return versions.reduce((annotations, { name, patches }) => {
    const patched = patches.length === 0 ? ({ kind: 'Patched', annotations } as const) : patchAnnotations(annotations, patches);
    if (patched.kind === 'Refused') throw new InjectionDenied(`SidecarSet ${name}: ${patched.why}`);
    return patched.annotations;
  }, held);
}

/** Containers that run as long as the Pod does and are no sidecars of the SidecarSets: what resources are computed from. */
function resourceCandidates({ containers, initContainers }: PodSpec, versions: readonly PreparedVersion[]): readonly Container[] {
  const all = [...(initContainers ?? []).filter(isNativeSidecar), ...(containers ?? [])];
  return all.filter(({ name }) => versions.every(({ containerNames }) => !containerNames.has(name)));
}

interface Building {
  readonly sources: PodSources;
  readonly candidates: readonly Container[];
}

interface Injected extends Placed {
  readonly sidecarSet: string;
}

function builtOf(version: PreparedVersion, sidecars: readonly PreparedSidecar[], { sources, candidates }: Building): readonly Injected[] {
  return sidecars.flatMap((sidecar) => {
    const built = buildContainers(sidecar, sources, candidates);
    if (built.kind === 'Refused') throw new InjectionDenied(`SidecarSet ${version.name}: ${built.why}`);
    return built.containers.map((container) => ({ container, isBeforeApp: sidecar.isBeforeApp, sidecarSet: version.name }));
  });
}

/** SidecarSets that were written at the same moment may conflict: the API server would refuse the Pod without a word on whose fault it is. */
function checkNames(held: readonly Container[], injected: readonly Injected[]): void {
  const givers = new Map<string, string>();
  const present = new Set(held.map(({ name }) => name));
  for (const { container, sidecarSet } of injected) {
    const other = givers.get(container.name) ?? sidecarSet;
    if (other !== sidecarSet && !present.has(container.name))
      throw new InjectionDenied(`SidecarSets ${other} and ${sidecarSet} both inject a container ${container.name}`);
    givers.set(container.name, other);
  }
}

/** Items whose key is not there yet, behind those that are; repetitions among those that are there are the API server's to judge. */
function withNew<T>(held: readonly T[], added: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const present = new Set(held.map(keyOf));
  const fresh = uniqueBy(added, keyOf).filter((item) => !present.has(keyOf(item)));
  return fresh.length === 0 ? held : [...held, ...fresh];
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isNew = !seen.has(keyOf(item));
    seen.add(keyOf(item));
    return isNew;
  });
}

function replacedIn(held: readonly Container[], injected: readonly Placed[]): readonly string[] {
  const names = new Set(injected.map(({ container }) => container.name));
  return held
    .filter(({ name, env }) => names.has(name) && env?.some((variable) => variable.name === sidecarSetEnvNames.isInjected) !== true)
    .map(({ name }) => name);
}

/** What is injected, in its final order. */
function buildAll({ spec }: Pod, versions: readonly PreparedVersion[], sources: PodSources, { sortByName }: InjectionContext) {
  const building = { sources, candidates: resourceCandidates(spec, versions) };
  const inits = sortedByName(versions.flatMap((version) => builtOf(version, version.initSidecars, building)));
  const inOrder = versions.flatMap((version) => builtOf(version, version.sidecars, building));
  checkNames([...(spec.initContainers ?? []), ...(spec.containers ?? [])], [...inits, ...inOrder]);
  return { inits, sidecars: sortByName ? sortedByName(inOrder) : inOrder };
}

function injectSpec(pod: Pod, versions: readonly PreparedVersion[], context: InjectionContext) {
  const { spec } = pod;
  const sources = new PodSources(pod);
  const { inits, sidecars } = buildAll(pod, versions, sources, context);
  const initContainers = placeContainers(spec.initContainers ?? [], inits);
  const volumes = withNew(
    spec.volumes ?? [],
    versions.flatMap((version) => version.volumes),
    ({ name }) => name,
  );
  const pullSecrets = versions.flatMap((version) => version.pullSecrets);
  const secrets = uniqueBy([...(spec.imagePullSecrets ?? []), ...pullSecrets], ({ name = '' }) => name);
  const injected: PodSpec = {
    ...spec,
    containers: placeContainers(spec.containers ?? [], sidecars),
    ...(initContainers.length === 0 ? {} : { initContainers }),
    ...(volumes.length === 0 ? {} : { volumes }),
    ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
  };
  const replaced = [...replacedIn(spec.initContainers ?? [], inits), ...replacedIn(spec.containers ?? [], sidecars)];
  return { spec: injected, replaced, missingEnv: sources.missing };
}

/**
 * @param versions of the SidecarSets that match the Pod, in the order in which they are injected; none leaves the Pod as it is
 * @returns shares with the Pod what does not change; `Refused` when the Pod cannot get what the SidecarSets request
 */
export function inject(pod: Pod, versions: readonly PreparedVersion[], context: InjectionContext): Injection {
  if (versions.length === 0) return { kind: 'Injected', pod, replaced: [], missingEnv: [] };
  try {
    const patched = patchedAnnotations(pod.metadata.annotations ?? {}, versions);
    const { spec, ...notes } = injectSpec({ ...pod, metadata: { ...pod.metadata, annotations: patched } }, versions, context);
    const recorded = recordInjection(patched, versions, context.now);
    if (recorded.kind === 'Refused') return recorded;
    return { kind: 'Injected', pod: { ...pod, metadata: { ...pod.metadata, annotations: recorded.annotations }, spec }, ...notes };
  } catch (error) {
    if (error instanceof InjectionDenied) return { kind: 'Refused', why: error.message };
    throw error;
  }
}
