/** What a pass sees of a ResourceDistribution: its resource, and its copies once they are listed. @see spec/resourcedistribution.md 5 */
import type { ResourceDistribution } from '@kruise/api';
import { asError, type StoreReader } from '@kruise/kube';
import { milliseconds, seconds, type KubeObject } from '@kruise/objects';
import { divide, readWanted, targetsOf, type Copy, type Seen } from '@kruise/kinds/resourcedistribution';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { sideOf, type CopyConflicts } from './copy-conflicts.ts';
import type { CopyStores } from './copy-stores.ts';

/** What a pass reads. */
export interface Sources {
  readonly namespaces: StoreReader<KubeObject>;
  readonly copies: CopyStores;
  readonly conflicts: CopyConflicts;
  /** The only namespace that the manager works in; undefined for all. */
  readonly scope: string | undefined;
}

const byNamespace = (store: StoreReader<Copy>): ReadonlyMap<string, Copy> =>
  new Map(store.list().map((copy) => [copy.metadata.namespace ?? '', copy]));

/** The watch of the copies enqueues the distribution once they are listed; where rights are missing they never are. */
export async function observe(known: Sources, distribution: ResourceDistribution, { signal }: PassView): Promise<Seen> {
  const { copies, conflicts, scope } = known;
  const targets = (): readonly string[] => divide(targetsOf(distribution), known.namespaces.list(), scope).matched;
  const reading = readWanted(distribution);
  if (reading.kind === 'Faulty') return { kind: 'Faulty', distribution, why: reading.why, targets: targets() };
  const { wanted } = reading;
  const copyName = { of: wanted.of, name: wanted.resource.metadata.name };
  const store = copies.of(copyName);
  if (store !== undefined) {
    const pauses = conflicts.pauses(sideOf(distribution));
    const snapshot = { wanted, namespaces: known.namespaces.list(), scope, copies: byNamespace(store), pauses };
    return { kind: 'Readable', distribution, snapshot };
  }
  const left = copies.patienceLeft(copyName);
  if (left > 0) return { kind: 'Listing', distribution, left: milliseconds(left) };
  try {
    await copies.probe(copyName, signal);
    return { kind: 'Listing', distribution, left: seconds(1) };
  } catch (error) {
    return { kind: 'Unlisted', distribution, error: asError(error), targets: targets() };
  }
}
