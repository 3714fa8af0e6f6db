/** The revisions of one workload while its plans are carried out in memory. */
import { byName, deepCopy, deepFreeze, formatTime, unreachable, type ControllerRevision, type Instant } from '@kruise/objects';
import type { HistoryAction } from '@kruise/workloads';

/** Revisions as a store holds them: frozen, so that what is computed from one is remembered. */
export class SimulatedHistory {
  readonly #revisions = new Map<string, ControllerRevision>();
  readonly #nextUid: () => string;

  constructor(revisions: readonly ControllerRevision[], nextUid: () => string) {
    this.#nextUid = nextUid;
    for (const revision of revisions) this.#set(deepCopy(revision));
  }

  /** Oldest first. */
  get list(): readonly ControllerRevision[] {
    return [...this.#revisions.values()].toSorted((a, b) => a.revision - b.revision || byName(a, b));
  }

  get byName(): ReadonlyMap<string, ControllerRevision> {
    return this.#revisions;
  }

  /** Carries out an action at a time. */
  apply(action: HistoryAction, now: Instant): void {
    switch (action.kind) {
      case 'CreateRevision': {
        const { revision } = action.attempt;
        const metadata = { uid: this.#nextUid(), creationTimestamp: formatTime(now), ...revision.metadata };
        return this.#set({ ...revision, metadata });
      }
      case 'BumpRevision':
        return this.#set(action.revision);
      case 'DeleteRevision':
        this.#revisions.delete(action.revision.metadata.name);
        return;
      default:
        return unreachable(action);
    }
  }

  label(revision: ControllerRevision, wanted: Readonly<Record<string, string>>): void {
    const { metadata } = revision;
    this.#set({ ...revision, metadata: { ...metadata, labels: { ...metadata.labels, ...wanted } } });
  }

  #set(revision: ControllerRevision): void {
    this.#revisions.set(revision.metadata.name, deepFreeze(revision));
  }
}
