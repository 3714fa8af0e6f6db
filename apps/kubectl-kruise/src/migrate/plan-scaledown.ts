/** `scaledown`: which Pods a CloneSet deletes, in one update (spec/kubectl-kruise.md 4). */
import { isControlledBy, memberAt, numberAt } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { withMember, type Untyped } from '../objects/untyped.ts';

/** The names of `--pods`, without blanks and doubles. */
export function podNames(texts: readonly string[]): readonly string[] {
  const names = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
  if (names.length === 0) throw new UserError('must specify one pod name');
  return names;
}

/**
 * The CloneSet with the Pods in `podsToDelete` and as many replicas fewer; those that are listed already are passed over.
 *
 * @param pods all Pods of the namespace by those names that exist
 * @returns the same object when all are listed already
 * @throws UserError for a Pod that is not there or not of this CloneSet
 */
export function scaledDown(cloneSet: Untyped, names: readonly string[], pods: readonly Untyped[]): Untyped {
  const listed = memberAt(cloneSet, 'spec', 'scaleStrategy', 'podsToDelete');
  const before = Array.isArray(listed) ? (listed as unknown[]).filter((name) => typeof name === 'string') : [];
  const fresh = names.filter((name) => !before.includes(name));
  if (fresh.length === 0) return cloneSet;
  const unknown = fresh.filter((name) => !pods.some(({ metadata }) => metadata.name === name));
  if (unknown.length > 0) throw new UserError(`pods ${unknown.map((name) => JSON.stringify(name)).join(', ')} not found`);
  const foreign = fresh.filter((name) =>
    pods.some((pod) => pod.metadata.name === name && !isControlledBy(pod, cloneSet.metadata.uid ?? '')),
  );
  if (foreign.length > 0)
    throw new UserError(
      `pods ${foreign.map((name) => JSON.stringify(name)).join(', ')} are not controlled by CloneSet ${JSON.stringify(cloneSet.metadata.name)}`,
    );
  const replicas = (numberAt(cloneSet, 'spec', 'replicas') ?? 1) - fresh.length;
  if (replicas < 0) throw new UserError(`replicas would be ${replicas}`);
  return withMember(
    withMember(cloneSet, ['spec', 'scaleStrategy', 'podsToDelete'], [...before, ...fresh]),
    ['spec', 'replicas'],
    replicas,
  ) as Untyped;
}
