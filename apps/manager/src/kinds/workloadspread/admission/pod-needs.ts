/** Which Pods the Pod webhooks have to see: those whose workload some WorkloadSpread is for. Pure. */
import type { RequestNeed } from '@kruise/admission';
import { isSpreadable, workloadSpreadAnnotations, type WorkloadSpread } from '@kruise/api';
import { deployments, replicaSets, isSameKind, type WhiteListedKind, targetOf, type Target } from '@kruise/workloads';
import { controllerCondition, inNamespaces, ownerNeeds, type OwnedPods } from '../../../workloads/owner-needs.ts';
import { ownerKinds } from '@kruise/kinds/workloadspread';

type Spread = Pick<WorkloadSpread, 'metadata' | 'spec'>;

const key = workloadSpreadAnnotations.matched;

/** What injection leaves in a Pod. */
export const injectionTrace = `has(object.metadata.annotations) && "${key}" in object.metadata.annotations`;

/** In webhook names. */
const reason = 'workloadspread';

const namespaceOf = ({ metadata }: Spread): string => metadata.namespace ?? 'default';

/** Pods of a Deployment are owned by its ReplicaSets: of any name, as it adopts those that its selector matches. */
function ownedBy(target: Target, namespace: string): OwnedPods {
  const { group, kind } = replicaSets;
  return isSameKind(target, deployments) ? { group, kind, namespace } : { ...target, namespace };
}

/**
 * @param listed kinds of the white list: a Pod of theirs may belong to a workload above, and their own Pods may be owned by any kind
 */
export function spreadNeeds(spreads: readonly Spread[], listed: readonly WhiteListedKind[]): readonly RequestNeed[] {
  const owned: OwnedPods[] = [];
  const open: string[] = [];
  for (const spread of spreads) {
    const target = targetOf(spread);
    const namespace = namespaceOf(spread);
    if (target === undefined) continue;
    if (!isSpreadable(target)) open.push(namespace);
    else owned.push(ownedBy(target, namespace), ...ownerKinds(listed).map(({ group, kind }) => ({ group, kind, namespace })));
  }
  const ofAnyOwner: readonly RequestNeed[] =
    open.length === 0 ? [] : [{ reason, condition: controllerCondition(''), ...inNamespaces(open) }];
  return [...ownerNeeds(reason, owned), ...ofAnyOwner];
}

/** Deletions of Pods that were injected. What is lost of them the controller counts: no deletion fails for it. */
export function releaseNeeds(spreads: readonly Spread[]): readonly RequestNeed[] {
  if (spreads.length === 0) return [];
  const condition = `request.operation == "DELETE" && has(oldObject.metadata.annotations) && "${key}" in oldObject.metadata.annotations`;
  return [{ reason, condition, failurePolicy: 'Ignore', ...inNamespaces(spreads.map(namespaceOf)) }];
}
