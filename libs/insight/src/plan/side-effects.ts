/** What a rollout does besides updating Pods: claims, images, and what its prediction relies on. */
import { groupOf, labelMatcherOrNothing, memberAt, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import type { AnyObject } from '../seen.ts';
import type { ClaimChange, ImagePull, PlanFacts } from './change-plan.ts';
import type { ClaimAct } from './run/simulated-claims.ts';
import type { Act } from './run/simulated-pods.ts';
import type { WorkloadRun } from './run/workload-run.ts';

const requestOf = (claim: PersistentVolumeClaim | undefined): string | undefined => claim?.spec?.resources?.requests?.['storage'];

function changeOf(kinds: ReadonlySet<ClaimAct['kind']>): ClaimChange['change'] {
  if (kinds.has('Create')) return kinds.has('Delete') ? 'Recreated' : 'Created';
  return kinds.has('Delete') ? 'Deleted' : 'Resized';
}

/** Returns what happens to each claim in the end. */
export function claimChanges(acts: readonly ClaimAct[]): readonly ClaimChange[] {
  const byName = Map.groupBy(acts, ({ before, after }) => (after ?? before)?.metadata.name ?? '');
  return [...byName].map(([claim, own]): ClaimChange => {
    const change = changeOf(new Set(own.map(({ kind }) => kind)));
    const [from, to] = [requestOf(own[0]?.before), requestOf(own.at(-1)?.after)];
    return { claim, change, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  });
}

const imagesOf = (pod: Pod): readonly string[] =>
  [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(({ image }) => image ?? []);

/** Returns the node of a Pod; a Pod that is scheduled again is its own place. */
const placeOf = ({ metadata, spec }: Pod, isScheduled: boolean): string => (isScheduled ? `Pod ${metadata.name}` : (spec.nodeName ?? ''));

/** Returns images of Pods that were acted on, and that no Pod on the same node has had. @param keepsNodes whether new Pods are on the nodes of former ones */
export function imagePulls(run: WorkloadRun, acts: readonly Act[], held: readonly Pod[], keepsNodes: boolean): readonly ImagePull[] {
  const present = new Set(held.flatMap((pod) => imagesOf(pod).map((image) => `${placeOf(pod, false)} ${image}`)));
  const touched = new Set(acts.filter(({ kind }) => kind !== 'Delete').map(({ pod }) => pod));
  const made = new Set(acts.filter(({ kind }) => kind === 'Create').map(({ pod }) => pod));
  const needs = run.pods.pods
    .filter(({ metadata }) => touched.has(metadata.name))
    .flatMap((pod) => {
      const isScheduled = made.has(pod.metadata.name) && !keepsNodes;
      return imagesOf(pod).map((image) => ({ image, place: placeOf(pod, isScheduled), isScheduled }));
    })
    .filter(({ image, place }) => !present.has(`${place} ${image}`));
  return [...Map.groupBy(needs, ({ image }) => image)].map(([image, own]) => ({
    image,
    nodes: new Set(own.map(({ place }) => place)).size,
    isExact: own.every(({ isScheduled }) => !isScheduled),
  }));
}

/** Returns what the prediction relies on. */
export function assumptionsOf(object: AnyObject, facts: PlanFacts, own: readonly Pod[]): readonly string[] {
  const hooks = Object.keys(memberAt(object, 'spec', 'lifecycle') ?? {});
  const disruption = facts.objects.filter(
    ({ apiVersion, kind }) => kind === 'PodDisruptionBudget' && groupOf(apiVersion ?? '') === 'policy',
  );
  const names = disruption
    .filter((one) => own.some((pod) => labelMatcherOrNothing(memberAt(one, 'spec', 'selector') as object).matches(pod.metadata.labels)))
    .map(({ metadata }) => metadata.name);
  return [
    ...hooks.map((hook) => `the program behind the hook lifecycle.${hook} releases every Pod`),
    ...names.map((name) => `PodDisruptionBudget ${name} limits only evictions, not this rollout`),
  ];
}
