/** What a job requests, read once from its spec; and what is wrong with one that came past admission. Pure. */
import { imagePullJobFault, parseParallelism, pullBoundsFault, type ImagePullJob } from '@kruise/api';
import { imageTaskOf, labelMatcherOrNothing, type ImageTask, type LabelMatcher } from '@kruise/objects';

/** Which nodes a job is for. */
export type NodeChoice =
  | { readonly kind: 'All' }
  | { readonly kind: 'Names'; readonly names: readonly string[] }
  | { readonly kind: 'Labels'; readonly matcher: LabelMatcher }
  | { readonly kind: 'Pods'; readonly matcher: LabelMatcher };

export interface Terms {
  readonly task: ImageTask;
  /** Nodes that may pull at a time. */
  readonly parallelism: number;
  readonly nodes: NodeChoice;
  /** Whether the job ends; one that does not keeps the image on its nodes. */
  readonly ends: boolean;
}

export type ReadTerms = { readonly kind: 'Terms'; readonly terms: Terms } | { readonly kind: 'Faulty'; readonly why: string };

/** @see spec/image-pulling.md 5.4, 5.5 step 5 */
export function nodeChoiceOf({ selector, podSelector }: ImagePullJob['spec']): NodeChoice {
  if (podSelector !== undefined) return { kind: 'Pods', matcher: labelMatcherOrNothing(podSelector) };
  if (selector === undefined) return { kind: 'All' };
  if (selector.names !== undefined) return { kind: 'Names', names: selector.names };
  // One without any condition takes all nodes.
  return { kind: 'Labels', matcher: labelMatcherOrNothing(selector) };
}

/** The type of a job is Always unless it says otherwise: one that came past the defaults is as good as any. */
export const endsOf = ({ completionPolicy }: ImagePullJob['spec']): boolean => completionPolicy?.type !== 'Never';

/** A job that lacks what the webhook would have filled in is read as if it had it. */
export function readTerms(job: ImagePullJob): ReadTerms {
  const { spec } = job;
  const fault = imagePullJobFault({
    ...job,
    spec: typeof spec === 'object' && spec !== null ? { ...spec, completionPolicy: { type: 'Always', ...spec.completionPolicy } } : spec,
  });
  const why = fault ?? pullBoundsFault({ ...job });
  if (why !== undefined) return { kind: 'Faulty', why };
  const task = imageTaskOf(spec.image) as ImageTask;
  const parallelism = parseParallelism(spec.parallelism) as number;
  return { kind: 'Terms', terms: { task, parallelism, nodes: nodeChoiceOf(spec), ends: endsOf(spec) } };
}
