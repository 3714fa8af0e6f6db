/** What a SidecarSet must fulfil that other objects of the cluster decide. @see spec/sidecarset.md 4.2 rules 4, 5, 11, 21, 26 */
import { revisionReferenceOf } from '@kruise/kinds/sidecarset';
import {
  configuration,
  sidecarSetAnnotations,
  sidecarSetBaseOf,
  sidecarSetConflicts,
  sidecarSets,
  sidecarSetWhiteListKey,
  validatePatchedAnnotations,
  type Gates,
  type SidecarSet,
} from '@kruise/api';
import { ApiError, isFailure, type Informer } from '@kruise/kube';
import {
  configMaps,
  fieldInternal,
  fieldInvalid,
  type ConfigMap,
  type FieldError,
  type JsonObject,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { allLive, liveSidecarSets } from '../../../module/live-lists.ts';
import { RevisionLookup, type LookupSources } from '../revision-lookup.ts';

export interface OtherObjectsSources extends Omit<LookupSources, 'clock'> {
  readonly client: LookupSources['client'];
  readonly gates: Pick<Gates, 'SidecarSetPatchPodMetadataDefaultsAllowed'>;
}

type Key = { readonly namespace: string; readonly name: string };

/** Reads caches. Before an object is refused, the cause is read from the API server, because it may have changed just now. */
export class OtherObjects {
  readonly #sources: OtherObjectsSources;
  readonly #sets: Informer<SidecarSet>;
  readonly #configMaps: Informer<ConfigMap>;
  readonly #revisions: RevisionLookup;

  constructor(sources: OtherObjectsSources) {
    const { caches, podNamespace } = sources;
    this.#sources = sources;
    this.#sets = caches.of(sidecarSets);
    this.#configMaps = caches.part(configMaps, { namespace: podNamespace, fieldSelector: `metadata.name=${configuration.name}` });
    const { client } = sources;
    this.#revisions = new RevisionLookup({ client, caches, podNamespace });
  }

  /** Rules 4, 5, 11 and 21. */
  async faults(object: JsonObject, signal: AbortSignal): Promise<readonly FieldError[]> {
    await Promise.all([this.#sets.reflector.waitForSync(signal), this.#configMaps.reflector.waitForSync(signal)]);
    return [
      ...(await this.#baseFaults(object, signal)),
      ...(await this.#revisionFaults(object, signal)),
      ...(await this.#annotationFaults(object, signal)),
    ];
  }

  /**
   * Rule 26, for an object that has no other fault. Users write SidecarSets one right after the other, so the server is asked about a new
   * one, and before one is refused.
   */
  async conflicts(object: JsonObject, isNew: boolean, signal: AbortSignal): Promise<readonly FieldError[]> {
    await this.#sets.reflector.waitForSync(signal);
    const conflictsWith = (others: readonly SidecarSet[]): readonly FieldError[] =>
      sidecarSetConflicts(object as unknown as SidecarSet, others);
    const known = conflictsWith(this.#sets.store.list({ sorted: true }));
    return isNew || known.length > 0 ? conflictsWith(await this.#listed(signal)) : known;
  }

  /** What the cache holds is good enough where the server does not answer. */
  async #listed(signal: AbortSignal): Promise<readonly SidecarSet[]> {
    try {
      return await allLive(liveSidecarSets, this.#sources.client, { signal });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#sets.store.list({ sorted: true });
    }
  }

  async #read<T extends KubeObject>(type: ResourceType<T>, key: Key, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.#sources.client.get(type, key, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #baseFaults(object: JsonObject, signal: AbortSignal): Promise<readonly FieldError[]> {
    const name = sidecarSetBaseOf(object);
    if (name === undefined) return [];
    const path = `metadata.annotations[${sidecarSetAnnotations.base}]`;
    const key = { namespace: '', name };
    const base = this.#sets.store.get(key) ?? (await this.#read(sidecarSets, key, signal));
    if (base === undefined) return [fieldInternal(path, `fetch base sidecarSet[${name}] failed: not found`)];
    return sidecarSetBaseOf({ ...base }) === undefined ? [] : [fieldInvalid(path, name, 'base sidecarSet cannot be canary')];
  }

  async #revisionFaults(object: JsonObject, signal: AbortSignal): Promise<readonly FieldError[]> {
    const sidecarSet = object as unknown as SidecarSet;
    const reference = revisionReferenceOf(sidecarSet);
    if (reference === undefined) return [];
    const found = await this.#revisions.find(sidecarSet, reference, signal);
    if (found.kind === 'Found') return [];
    return [fieldInvalid('spec.injectionStrategy.revision', reference, `Cannot find specific ControllerRevision, err: ${found.why}`)];
  }

  async #annotationFaults(object: JsonObject, signal: AbortSignal): Promise<readonly FieldError[]> {
    const { gates, podNamespace } = this.#sources;
    const key = { namespace: podNamespace, name: configuration.name };
    const judge = (settings: ConfigMap | undefined): readonly FieldError[] =>
      validatePatchedAnnotations(object, {
        text: settings?.data?.[sidecarSetWhiteListKey],
        defaultsAllowed: gates.SidecarSetPatchPodMetadataDefaultsAllowed,
      });
    const faults = judge(this.#configMaps.store.get(key));
    return faults.length === 0 ? [] : judge(await this.#read(configMaps, key, signal));
  }
}
