/** Finds the revision of a SidecarSet for new Pods. @see spec/sidecarset.md 5.1 "Restoring" */
import { sidecarSetLabels, type SidecarSet } from '@kruise/api';
import { isFailure, type Clock, type Informer } from '@kruise/kube';
import { controllerRevisions, referenceLimits, type ControllerRevision, type Index } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { belongsTo, isLabel, newestWith, type FoundRevision, type RevisionReference } from '@kruise/kinds/sidecarset';
import type { LiveReads } from '../../module/handler-dependencies.ts';
import { allLive, liveRevisions } from '../../module/live-lists.ts';

export interface LookupSources {
  readonly client: Pick<LiveReads, 'get' | 'list'>;
  readonly caches: Caches;
  /** Where revisions of SidecarSets live: the manager's. */
  readonly podNamespace: string;
  /** Given where many ask one after the other: a version that the server does not have is not listed again for some seconds. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/** Names that the server did not have a moment ago. */
class Unknown {
  readonly #clock: LookupSources['clock'] | undefined;
  /** Until when, the oldest first. */
  readonly #until = new Map<string, number>();

  constructor(clock: LookupSources['clock'] | undefined) {
    this.#clock = clock;
  }

  has(name: string): boolean {
    const now = this.#clock?.monotonic() ?? 0;
    for (const [held, until] of this.#until) {
      if (until > now) break;
      this.#until.delete(held);
    }
    return this.#until.has(name);
  }

  note(name: string): void {
    if (this.#clock === undefined) return;
    this.#until.delete(name);
    this.#until.set(name, this.#clock.monotonic() + referenceLimits.unknownVersionMs.value);
  }
}

const bySidecarSet: Index<ControllerRevision> = {
  name: 'sidecarSet',
  valuesOf: ({ metadata }) => [metadata.labels?.[sidecarSetLabels.name] ?? ''],
};

/** Reads the cache, and the server where the cache does not know: a revision may be requested right after it was written. */
export class RevisionLookup {
  readonly #client: LookupSources['client'];
  readonly #namespace: string;
  readonly #informer: Informer<ControllerRevision>;
  readonly #unknown: Unknown;

  constructor({ client, caches, podNamespace, clock }: LookupSources) {
    this.#client = client;
    this.#unknown = new Unknown(clock);
    this.#namespace = podNamespace;
    this.#informer = caches.part(controllerRevisions, { namespace: podNamespace, labelSelector: sidecarSetLabels.name }, bySidecarSet);
  }

  /** @throws ApiError when the server cannot be asked */
  async find(sidecarSet: SidecarSet, { revisionName, customVersion }: RevisionReference, signal: AbortSignal): Promise<FoundRevision> {
    await this.#informer.reflector.waitForSync(signal);
    const revision =
      revisionName === '' ? await this.#byVersion(sidecarSet, customVersion, signal) : await this.#byName(sidecarSet, revisionName, signal);
    if (revision !== undefined) return { kind: 'Found', revision };
    const wanted = revisionName === '' ? `with custom version ${JSON.stringify(customVersion)}` : JSON.stringify(revisionName);
    return { kind: 'Missing', why: `SidecarSet ${sidecarSet.metadata.name} has no revision ${wanted}: not found` };
  }

  async #byName(sidecarSet: SidecarSet, name: string, signal: AbortSignal): Promise<ControllerRevision | undefined> {
    const key = { namespace: this.#namespace, name };
    const revision = this.#informer.store.get(key) ?? (await this.#read(key, signal));
    return revision !== undefined && belongsTo(revision, sidecarSet) ? revision : undefined;
  }

  async #read(key: { readonly namespace: string; readonly name: string }, signal: AbortSignal): Promise<ControllerRevision | undefined> {
    try {
      return await this.#client.get(controllerRevisions, key, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #byVersion({ metadata }: SidecarSet, customVersion: string, signal: AbortSignal): Promise<ControllerRevision | undefined> {
    const known = newestWith(customVersion, this.#informer.store.byIndex(bySidecarSet, metadata.name));
    // A SidecarSet whose name is no label has no revisions, and would make a selector of its own.
    const name = JSON.stringify([metadata.name, customVersion]);
    if (known !== undefined || !isLabel(metadata.name) || this.#unknown.has(name)) return known;
    const labelSelector = `${sidecarSetLabels.name}=${metadata.name}`;
    const revisions = await allLive(liveRevisions, this.#client, { namespace: this.#namespace, labelSelector, signal });
    const found = newestWith(customVersion, revisions);
    if (found === undefined) this.#unknown.note(name);
    return found;
  }
}
