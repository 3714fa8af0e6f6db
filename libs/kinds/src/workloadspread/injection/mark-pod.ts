/** What a Pod that exists gets of its WorkloadSpread: the subset that it is taken into, and its deletion cost. Pure. @see spec/workloadspread.md 5.4, 5.5 */
import { annotations, workloadSpreadAnnotations, type WorkloadSpread } from '@kruise/api';
import { memberAt, type JsonObject, type Pod } from '@kruise/objects';
import { formatMatched } from '../subsets/matched.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];

export interface MarkPod {
  readonly kind: 'MarkPod';
  readonly pod: Pod;
  /** Strategic, of metadata alone. */
  readonly patch: JsonObject;
  readonly because: string;
}

export interface Marks {
  /** Name of the WorkloadSpread. */
  readonly spread: string;
  /** That the Pod is taken into; undefined when it is in one, or in none. */
  readonly subset: Subset | undefined;
  /** Undefined when it stays as it is. */
  readonly cost: number | undefined;
  /** Whether a Pod that is taken in does not get the subset's metadata. */
  readonly ignoresMetadata: boolean;
}

/** Undefined when there is nothing to write. */
export function markOf(pod: Pod, { spread, subset, cost, ignoresMetadata }: Marks): MarkPod | undefined {
  if (subset === undefined && cost === undefined) return undefined;
  const given = ignoresMetadata ? undefined : memberAt(subset?.patch, 'metadata');
  const metadata = (subset === undefined ? {} : (given ?? {})) as JsonObject;
  const matched = subset === undefined ? {} : { [workloadSpreadAnnotations.matched]: formatMatched({ name: spread, subset: subset.name }) };
  const costs = cost === undefined ? {} : { [annotations.podDeletionCost]: String(cost) };
  const text = { ...(metadata['annotations'] as JsonObject | undefined), ...matched, ...costs };
  const reasons = [
    ...(subset === undefined ? [] : [`it fits subset ${subset.name} where it is`]),
    ...(cost === undefined ? [] : [`its deletion cost is ${cost}`]),
  ];
  return {
    kind: 'MarkPod',
    pod,
    patch: { metadata: { ...metadata, uid: pod.metadata.uid, annotations: text } },
    because: reasons.join(', '),
  };
}
