/**
 * The named ConfigMaps and Secrets in the passes of one kind: each pass is planned with a template that has the hash of their contents.
 *
 *   annotation -> references -> watches -> contents -> hash -> template | cause of `Blocked`
 *
 * @see docs/decisions/config-rollout.md
 */
import { conditionTypes } from '@kruise/api';
import type { Watch } from '@kruise/kube';
import { objectsAt, seconds, textAt, type ControllerRevision, type Instant, type KubeObject, type Milliseconds } from '@kruise/objects';
import {
  changesOtherwise,
  ConfigHashes,
  configContent,
  configNamesOf,
  configUnavailable,
  heldHash,
  heldTemplate,
  planningWith,
  withConfigHash,
  type BlockingCause,
  type ConfigContent,
  type ConfigurableKind,
  type ConfigurableWorkload,
} from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { ConfigWatches } from './config-watches.ts';
import { digestOf } from './slim-config.ts';

/** What is reported beside the plan of a pass. */
export interface ConfigNote {
  readonly cause?: BlockingCause;
  readonly requeueAfter?: Milliseconds;
}

/** How a pass over a workload continues. */
export type ConfiguredPass<S> =
  | { readonly kind: 'Plan'; readonly snapshot: S; readonly note: ConfigNote }
  /**
   * The next revision cannot be computed: the workload has none, or its template has changed and the first answers are still to come. Pods that
   * are created or updated now would be updated again a moment later.
   */
  | { readonly kind: 'Wait'; readonly note: ConfigNote };

/** Digits of a hash. 64 bits: a collision needs 2^32 contents of one workload. */
const hashLength = 16;
/** When a workload for which no watches are left is tried again. */
const crowdedWait = seconds(60);

const plan = <S>(snapshot: S, note: ConfigNote = {}): ConfiguredPass<S> => ({ kind: 'Plan', snapshot, note });

/** Contents that are still to come are so for a few seconds at most, after which there is a cause. */
const isAwaitedBy = (
  workload: ConfigurableWorkload,
  revisions: readonly ControllerRevision[],
  { cause }: Extract<ConfigContent, { readonly kind: 'Unknown' }>,
): boolean => revisions.length === 0 || (cause === undefined && changesOtherwise(workload, revisions));

/** The cause that the condition names: it stays until the first answers that a process receives say otherwise. */
function shownCause(workload: KubeObject): Pick<ConfigNote, 'cause'> {
  const shown = objectsAt(workload, 'status', 'conditions').find(
    (one) => one['type'] === conditionTypes.blocked && one['reason'] === 'ConfigUnavailable',
  );
  return shown === undefined ? {} : { cause: configUnavailable(textAt(shown, 'message')) };
}

export class ConfigRollout<S, W extends ConfigurableWorkload> {
  readonly #kind: ConfigurableKind<S, W>;
  readonly #isOn: boolean;
  readonly #watches: ConfigWatches;
  readonly #hashes = new ConfigHashes();

  constructor(kind: ConfigurableKind<S, W>, dependencies: Pick<ControllerDependencies, 'client' | 'clock' | 'logger' | 'gates'>) {
    this.#kind = kind;
    this.#isOn = dependencies.gates.ConfigRollout;
    this.#watches = new ConfigWatches(dependencies);
  }

  watches(): readonly Watch[] {
    return this.#isOn ? [this.#watches.watch()] : [];
  }

  /** Called for every workload that is deleted. */
  forget(uid: string): void {
    this.#watches.forget(uid);
    this.#hashes.forget(uid);
  }

  /** Returns what to plan with: the same snapshot for a workload that names nothing and has no hash. */
  configure(snapshot: S, now: Instant): ConfiguredPass<S> {
    const workload = this.#kind.workloadOf(snapshot);
    const revisions = this.#kind.revisionsOf(snapshot);
    const content = this.#isOn ? this.#contentOf(workload, now) : undefined;
    if (content?.kind === 'Known') return this.#withContent(snapshot, content.text, now);
    const { uid = '', deletionTimestamp } = workload.metadata;
    this.#hashes.interrupt(uid, now);
    const { kind: _kind, ...note } = content ?? {};
    const isWaiting = content !== undefined && isAwaitedBy(workload, revisions, content);
    if (isWaiting && deletionTimestamp === undefined) return { kind: 'Wait', note };
    const shown = content === undefined ? {} : shownCause(workload);
    return plan(planningWith(this.#kind, snapshot, heldTemplate(workload, revisions)), { ...shown, ...note });
  }

  #withContent(snapshot: S, text: string, now: Instant): ConfiguredPass<S> {
    const workload = this.#kind.workloadOf(snapshot);
    const { metadata, spec } = workload;
    const revisions: readonly ControllerRevision[] = this.#kind.revisionsOf(snapshot);
    const wanted = digestOf(text).slice(0, hashLength);
    const held = heldHash(revisions);
    const isFree = wanted !== held && changesOtherwise(workload, revisions);
    const seen = { uid: metadata.uid ?? '', wanted, held, isFree, now };
    const { hash, ...note } = this.#hashes.next(seen);
    return plan(hash === undefined ? snapshot : planningWith(this.#kind, snapshot, withConfigHash(spec.template, hash)), note);
  }

  /** Undefined for a workload that names nothing. */
  #contentOf(workload: W, now: Instant): ConfigContent | undefined {
    const names = configNamesOf(workload);
    const { uid = '', namespace = '' } = workload.metadata;
    if (names.kind !== 'Named') {
      this.#watches.forget(uid);
      return names.kind === 'None' ? undefined : { kind: 'Unknown', cause: configUnavailable(names.why) };
    }
    const following = this.#watches.follow(workload, names.references);
    if (following === 'Followed') return configContent(names.references, (reference) => this.#watches.stateOf(namespace, reference), now);
    const who =
      following === 'NamespaceFull' ? `the workloads of namespace ${namespace} name` : 'the workloads of all namespaces together name';
    const cause = configUnavailable(`${who} too many ConfigMaps and Secrets in annotation config-rollout`);
    return { kind: 'Unknown', cause, requeueAfter: crowdedWait };
  }
}
