/** The rules of a ResourceDistribution: which copies are made, changed and deleted. Pure. @see spec/resourcedistribution.md 5.2 */
import { distributionReasons } from '@kruise/api';
import { isTerminating, type KubeObject, type Milliseconds } from '@kruise/objects';
import type { Copy } from './copy.ts';
import { isOf, judgeCopy } from './judge-copy.ts';
import type { Problem } from './status.ts';
import { divide, targetsOf } from './targets.ts';
import type { Wanted } from './wanted.ts';

/** What is seen at one moment. */
export interface Snapshot {
  readonly wanted: Wanted;
  /** All that exist, as far as the manager works in them; any order. */
  readonly namespaces: readonly KubeObject[];
  /** The only namespace that the manager works in; undefined for all. */
  readonly scope?: string | undefined;
  /** Objects of the kind and name, by namespace. */
  readonly copies: ReadonlyMap<string, Copy>;
  /** Namespaces whose copy another client changes repeatedly, and how long the copy is left alone. */
  readonly pauses?: ReadonlyMap<string, Milliseconds>;
}

export type Action =
  | { readonly kind: 'Create'; readonly namespace: string; readonly because: string }
  | { readonly kind: 'Update'; readonly namespace: string; readonly copy: Copy; readonly because: string }
  | { readonly kind: 'Delete'; readonly namespace: string; readonly copy: Copy; readonly because: string };

export interface Plan {
  /** For namespaces that get a copy. */
  readonly distribute: readonly Action[];
  /** For namespaces that do not. */
  readonly clean: readonly Action[];
  /** Number of namespaces that should have a copy, missing ones included. */
  readonly desired: number;
  /** What keeps namespaces from getting one that no write can mend. */
  readonly problems: readonly Problem[];
}

/** A namespace that does not take objects any more is as good as none. */
const standing = (namespaces: readonly KubeObject[]): ReadonlySet<string> =>
  new Set(namespaces.filter((namespace) => !isTerminating(namespace)).map(({ metadata }) => metadata.name));

/** Also reports a copy that is in line now, because the other client will change it again. */
export const conflictIn = (namespace: string): Problem => ({
  namespace,
  condition: 'UpdateResourceFailed',
  reason: distributionReasons.overwritten,
});

function distribution(
  namespace: string,
  { wanted, copies, pauses }: Snapshot,
  exists: boolean,
): { readonly action?: Action; readonly problem?: Problem } {
  if (!exists) return { problem: { namespace, condition: 'NamespaceNotExists', reason: distributionReasons.missing } };
  const copy = copies.get(namespace);
  const verdict = judgeCopy(wanted, copy);
  if (verdict.kind === 'Foreign') return { problem: { namespace, condition: 'ConflictOccurred', reason: distributionReasons.conflict } };
  if (pauses?.has(namespace) === true) return { problem: conflictIn(namespace) };
  if (copy === undefined) return { action: { kind: 'Create', namespace, because: `namespace ${namespace} has no copy` } };
  return verdict.kind === 'Differs'
    ? { action: { kind: 'Update', namespace, copy, because: `in namespace ${namespace} ${verdict.why}` } }
    : {};
}

/** A copy that is being deleted needs no second deletion. */
function cleaning(namespace: string, { wanted, copies }: Snapshot): readonly Action[] {
  const copy = copies.get(namespace);
  if (copy === undefined || isTerminating(copy) || !isOf(wanted.distribution, copy)) return [];
  return [{ kind: 'Delete', namespace, copy, because: `namespace ${namespace} is not a target` }];
}

export function plan(seen: Snapshot): Plan {
  const { wanted, namespaces, scope } = seen;
  const { matched, unmatched } = divide(targetsOf(wanted.distribution), namespaces, scope);
  const exists = standing(namespaces);
  const results = matched.map((namespace) => distribution(namespace, seen, exists.has(namespace)));
  return {
    distribute: results.flatMap(({ action }) => action ?? []),
    clean: unmatched.filter((namespace) => exists.has(namespace)).flatMap((namespace) => cleaning(namespace, seen)),
    desired: matched.length,
    problems: results.flatMap(({ problem }) => problem ?? []),
  };
}
