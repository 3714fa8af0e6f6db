/** Fixed shares, and an even spread of the rest. Pure. @see spec/uniteddeployment.md 5.4, allocator S */
import { parseSubsetShare } from '@kruise/api';
import { compareUtf8 } from '@kruise/objects';
import { allocated, impossible, type Allocation, type SubsetSeen } from './subset.ts';

const currentOf = ({ child }: SubsetSeen): number => child?.replicas ?? 0;

type Share = number | undefined | { readonly why: string };

function shareOf({ name, replicas }: SubsetSeen, total: number): Share {
  if (replicas === undefined) return undefined;
  const share = parseSubsetShare(replicas, total);
  return share.kind === 'Pods' ? share.value : { why: `replicas ${JSON.stringify(replicas)} of subset ${name} ${share.why}` };
}

/** The subsets that get one more than others: those that have most, so that few Pods move; among equals those of the greater name. */
const byWhoIsLast = (a: SubsetSeen, b: SubsetSeen): number => currentOf(b) - currentOf(a) || compareUtf8(b.name, a.name);

export function allocateSpecific(subsets: readonly SubsetSeen[], total: number): Allocation {
  const shares = subsets.map((subset) => shareOf(subset, total));
  const fault = shares.find((share) => typeof share === 'object');
  if (fault !== undefined) return impossible(fault.why);
  const specified = shares.filter((share) => typeof share === 'number');
  const sum = specified.reduce((a, b) => a + b, 0);
  const others = subsets.filter((_subset, i) => shares[i] === undefined);
  if (sum > total) return impossible(`the sum of the replicas of the subsets is ${sum}, more than spec.replicas ${total}`);
  if (sum < total && others.length === 0)
    return impossible(`all subsets have replicas, with a sum of ${sum}, less than spec.replicas ${total}`);
  const rest = total - sum;
  const even = others.length === 0 ? 0 : Math.floor(rest / others.length);
  const withOneMore = new Set(others.toSorted(byWhoIsLast).slice(0, rest - even * others.length));
  return allocated(subsets.map((subset, i) => (typeof shares[i] === 'number' ? shares[i] : even + (withOneMore.has(subset) ? 1 : 0))));
}
