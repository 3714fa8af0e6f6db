/**
 * Step 3 of the Pod webhook: finds the SidecarSets that match a new Pod, chooses their versions, and injects them. Dry runs as well.
 *
 * Reads caches only, but for what they do not know yet: a Namespace or a revision that was made a moment ago.
 * @see spec/sidecarset.md 5.2, 5.3
 */
import { sidecarSets, type Gates, type SidecarSet } from '@kruise/api';
import { isFailure, type Clock, type Informer, type Logger } from '@kruise/kube';
import {
  compareUtf8,
  isJsonObject,
  isPodActive,
  namespaces,
  type ControllerRevision,
  type KubeObject,
  type ObjectMeta,
  type Pod,
  type ResourceType,
  memoized,
  type Index,
} from '@kruise/objects';
import type { PodStep, PodStepResult } from '../../../module/pod-step.ts';
import {
  candidateIndex,
  clusterScope,
  podMatcherOf,
  withoutBasesOfCanaries,
  type PodMatcher,
  chooseVersion,
  shareOf,
  inject,
  type Injection,
  prepareVersion,
  type PreparedVersion,
  currentVersion,
  versionOfRevision,
} from '@kruise/kinds/sidecarset';
import { needsOfSidecarSets } from '../admission/pod-needs.ts';
import { RevisionLookup, type LookupSources } from '../revision-lookup.ts';

export interface InjectionSources extends LookupSources {
  readonly gates: Pick<Gates, 'EnableSortSidecarContainerByName'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger?: Pick<Logger, 'info'>;
}

type Labels = Readonly<Record<string, string>>;
type Chosen =
  | { readonly kind: 'Chosen'; readonly version: PreparedVersion }
  /** The SidecarSet was deleted a moment ago. */
  | { readonly kind: 'Gone' }
  | { readonly kind: 'Refused'; readonly why: string };

interface Asked {
  readonly pod: Pod;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

const byNamespace: Index<SidecarSet> = { name: 'injectionNamespace', valuesOf: candidateIndex };
const byName = (a: SidecarSet, b: SidecarSet): number => compareUtf8(a.metadata.name, b.metadata.name);

class SidecarInjection {
  readonly sets: Informer<SidecarSet>;
  readonly #sources: InjectionSources;
  readonly #namespaces: Informer<KubeObject>;
  readonly #revisions: RevisionLookup;
  readonly #matcherOf = memoized(podMatcherOf);
  readonly #prepare = memoized((sidecarSet: SidecarSet) => prepareVersion(currentVersion(sidecarSet)));
  /** Undefined for a revision that holds no version. A revision is of one SidecarSet. */
  readonly #preparedRevisions = new WeakMap<ControllerRevision, PreparedVersion>();

  constructor(sources: InjectionSources) {
    this.#sources = sources;
    this.sets = sources.caches.of(sidecarSets, byNamespace);
    this.#namespaces = sources.caches.of(namespaces);
    this.#revisions = new RevisionLookup(sources);
  }

  async apply(pod: Pod, requestId: string, signal: AbortSignal): Promise<PodStepResult> {
    if (!isPodActive(pod)) return { kind: 'Pod', pod };
    await this.#synced(signal);
    const matching = withoutBasesOfCanaries(await this.#matching(pod, signal));
    const versions: PreparedVersion[] = [];
    for (const sidecarSet of matching) {
      const chosen = await this.#chooseOrLook(sidecarSet, { pod, requestId, signal });
      if (chosen.kind === 'Refused') return { kind: 'Refused', message: chosen.why };
      if (chosen.kind === 'Chosen') versions.push(chosen.version);
    }
    const { gates, clock } = this.#sources;
    const injected = inject(pod, versions, { now: clock.now(), sortByName: gates.EnableSortSidecarContainerByName });
    if (injected.kind === 'Refused') return { kind: 'Refused', message: injected.why };
    this.#log(pod, injected);
    const warnings = injected.replaced.map((name) => `container ${name} is replaced by an injected sidecar`);
    return { kind: 'Pod', pod: injected.pod, warnings };
  }

  #log(pod: Pod, { replaced, missingEnv }: Extract<Injection, { kind: 'Injected' }>): void {
    const { namespace = '', name, generateName = '' } = pod.metadata as Partial<ObjectMeta> & { readonly generateName?: string };
    const subject = { pod: `${namespace}/${name ?? generateName}` };
    const { logger } = this.#sources;
    if (replaced.length > 0) logger?.info({ ...subject, containers: replaced }, 'Replaced containers with injected sidecars');
    if (missingEnv.length > 0) logger?.info({ ...subject, env: missingEnv }, 'Environment variables to transfer are missing in the Pod');
  }

  async #synced(signal: AbortSignal): Promise<void> {
    if (this.sets.store.synced && this.#namespaces.store.synced) return;
    await Promise.all([this.sets.reflector.waitForSync(signal), this.#namespaces.reflector.waitForSync(signal)]);
  }

  /** Those bound to the Pod's namespace first, then the others; each by name. */
  async #matching(pod: Pod, signal: AbortSignal): Promise<readonly SidecarSet[]> {
    const namespace = pod.metadata.namespace ?? '';
    const name = namespace === '' ? 'default' : namespace;
    const isMeant = (sidecarSet: SidecarSet): boolean =>
      isJsonObject(sidecarSet.spec) &&
      sidecarSet.spec.injectionStrategy?.paused !== true &&
      this.#matcherOf(sidecarSet).matchesLabels(pod.metadata.labels);
    const meant = [name, clusterScope].flatMap((value) => this.sets.store.byIndex(byNamespace, value).filter(isMeant).sort(byName));
    const matchers: readonly PodMatcher[] = meant.map((sidecarSet) => this.#matcherOf(sidecarSet));
    const labels = matchers.every(({ anyNamespace }) => anyNamespace) ? undefined : await this.#labelsOf(name, signal);
    return meant.filter((sidecarSet) => this.#matcherOf(sidecarSet).matchesNamespace(labels));
  }

  async #labelsOf(name: string, signal: AbortSignal): Promise<Labels | undefined> {
    const namespace = this.#namespaces.store.get({ namespace: '', name }) ?? (await this.#read(namespaces, name, signal));
    return namespace === undefined ? undefined : (namespace.metadata.labels ?? {});
  }

  /** As the server has it now; undefined when it has none. */
  async #read<T extends KubeObject>(type: ResourceType<T>, name: string, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#sources.client.get(type, { namespace: '', name }, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** If a revision does not exist, the SidecarSet may have been deleted or may name another revision, and the cache may not show it yet. */
  async #chooseOrLook(sidecarSet: SidecarSet, asked: Asked): Promise<Chosen> {
    const chosen = await this.#choose(sidecarSet, asked);
    if (chosen.kind !== 'Refused') return chosen;
    const held = await this.#read(sidecarSets, sidecarSet.metadata.name, asked.signal);
    if (held === undefined) return { kind: 'Gone' };
    return held.metadata.resourceVersion === sidecarSet.metadata.resourceVersion ? chosen : this.#choose(held, asked);
  }

  async #choose(sidecarSet: SidecarSet, { pod, requestId, signal }: Asked): Promise<Chosen> {
    const { name } = sidecarSet.metadata;
    const choice = chooseVersion(sidecarSet, pod.metadata.labels ?? {}, shareOf(`${requestId}/${name}`));
    if (choice.kind === 'Current') return { kind: 'Chosen', version: this.#prepare(sidecarSet) };
    const found = await this.#revisions.find(sidecarSet, choice.reference, signal);
    if (found.kind === 'Missing') return { kind: 'Refused', why: found.why };
    const version = this.#prepareRevision(name, found.revision);
    return version === undefined
      ? { kind: 'Refused', why: `ControllerRevision ${found.revision.metadata.name} holds no version of SidecarSet ${name}` }
      : { kind: 'Chosen', version };
  }

  #prepareRevision(name: string, revision: ControllerRevision): PreparedVersion | undefined {
    const held = this.#preparedRevisions.get(revision);
    if (held !== undefined) return held;
    const version = versionOfRevision(name, revision);
    if (version === undefined) return undefined;
    const prepared = prepareVersion(version);
    this.#preparedRevisions.set(revision, prepared);
    return prepared;
  }
}

export function sidecarInjectionStep(sources: InjectionSources): PodStep {
  const injection = new SidecarInjection(sources);
  return {
    name: 'sidecar-injection',
    needs: needsOfSidecarSets(injection.sets.store),
    apply: (pod, { uid }, signal) => injection.apply(pod, uid, signal),
  };
}
