/** Workloads as the API server has them, for who decides while a Pod waits. @see spec/workloadspread.md 4.2, 4.3 */
import type { WorkloadSpread } from '@kruise/api';
import { unlessDeleted, type Clock } from '@kruise/kube';
import {
  controllerOf,
  groupOf,
  memberAt,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type ResourceType,
  isPathSegmentName,
} from '@kruise/objects';
import type { LiveReads } from '../../module/handler-dependencies.ts';
import { KindMapper } from '../../workloads/finder/index.ts';
import { listedKind, type WhiteListReading, type GroupKind, targetOf, type Target } from '@kruise/workloads';
import { replicasAt, replicasAtAll, spreadableType } from '@kruise/kinds/workloadspread';

export type OwnerSeen = { readonly kind: 'Seen'; readonly controller: OwnerReference | undefined } | { readonly kind: 'Gone' };

interface Known {
  readonly controller: OwnerReference | undefined;
  readonly until: number;
}

/** An owner changes hands hardly ever. */
const believedMs = 60_000;
/** The oldest leaves for the newest. */
const mostKnown = 1000;

const countIn = (object: KubeObject, member: string): number => {
  const value = memberAt(object, 'spec', member) ?? 1;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0;
};

export class LiveWorkloads {
  readonly #client: LiveReads;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #mapper: KindMapper;
  /** Controllers of owners, by the owners' uids. */
  readonly #known = new Map<string, Known>();

  constructor(client: LiveReads, clock: Pick<Clock, 'monotonic'>) {
    this.#client = client;
    this.#clock = clock;
    this.#mapper = new KindMapper(client, clock);
  }

  /** Who controls the owner of a Pod. @throws UnknownKind, ApiError when that cannot be known */
  async controllerOf(owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<OwnerSeen> {
    const held = this.#known.get(owner.uid);
    if (held !== undefined && this.#clock.monotonic() < held.until) return { kind: 'Seen', controller: held.controller };
    const object = await this.#read(owner.apiVersion, owner.kind, { namespace, name: owner.name }, signal);
    if (object === undefined) return { kind: 'Gone' };
    const controller = controllerOf(object);
    this.#known.delete(owner.uid);
    this.#known.set(owner.uid, { controller, until: this.#clock.monotonic() + believedMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    return { kind: 'Seen', controller };
  }

  /** The workload of a WorkloadSpread; undefined when there is none, or none that can be read. @throws ApiError when there is no answer */
  async find(spread: WorkloadSpread, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { apiVersion, kind, name } = spread.spec.targetRef;
    return this.#read(apiVersion, kind, { namespace: spread.metadata.namespace ?? '', name }, signal);
  }

  /** How many Pods it is to have; 0 when that cannot be known. */
  async totalOf(spread: WorkloadSpread, reading: WhiteListReading, signal: AbortSignal): Promise<number> {
    try {
      const target = targetOf(spread);
      const object = target === undefined ? undefined : await this.find(spread, signal);
      return target === undefined || object === undefined ? 0 : totalIn(object, { spread, target, reading });
    } catch {
      signal.throwIfAborted();
      return 0;
    }
  }

  async #read(apiVersion: string, kind: string, key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
    if (!isPathSegmentName(key.name)) return undefined;
    const wanted: GroupKind = { group: groupOf(apiVersion), kind };
    const type: ResourceType = spreadableType(wanted) ?? (await this.#mapper.map(apiVersion, kind, signal)).type;
    return unlessDeleted(this.#client.get(type, key, { signal }));
  }
}

interface Wanted {
  readonly spread: WorkloadSpread;
  readonly target: Target;
  readonly reading: WhiteListReading;
}

function totalIn(object: KubeObject, { spread, target, reading }: Wanted): number {
  const paths = spread.spec.targetFilter?.replicasPathList ?? [];
  if (paths.length > 0) {
    const sum = replicasAtAll(object, paths);
    return sum.kind === 'Count' ? sum.value : 0;
  }
  const type = spreadableType(target);
  if (type !== undefined) return countIn(object, type.kind === 'Job' ? 'parallelism' : 'replicas');
  const listed = reading.kind === 'Read' ? listedKind(reading.kinds, target) : undefined;
  const count = replicasAt(object, listed?.replicasPath ?? '');
  return count.kind === 'Count' ? count.value : 0;
}
