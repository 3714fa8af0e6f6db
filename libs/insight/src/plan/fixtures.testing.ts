/** Workloads with their Pods, and what a plan of their change reads. */
import { defaultGates } from '@kruise/api';
import { instant, parseLossless, stringifyLossless, type ControllerRevision, type KubeObject, type Pod } from '@kruise/objects';
import { revisionId } from '@kruise/pods';
import { aCloneSet, aMember, aRevision, type CloneSetShape } from '@kruise/kinds/cloneset/testing';
import { kindOf, type AnyObject } from '../seen.ts';
import type { PlanFacts } from './change-plan.ts';
import { changed, runKinds, startOf } from './plan-workload.ts';
import { runRounds } from './run/workload-run.ts';

/** One hour after the Pods became ready. */
const now = instant(Date.parse('2026-01-01T01:00:00Z'));

export const asObject = (object: KubeObject): AnyObject => object as unknown as AnyObject;
export const typed = (apiVersion: string, kind: string, object: object): AnyObject =>
  ({ apiVersion, kind, ...object }) as unknown as AnyObject;

export const factsOf = (...objects: readonly AnyObject[]): PlanFacts => ({ objects, now, gates: defaultGates });

/** A CloneSet and what belongs to it. */
export interface RunningSet {
  readonly set: AnyObject;
  readonly facts: PlanFacts;
}

/** A CloneSet whose Pods all have image `app:1` and are ready; `change` makes Pods other than that. */
export function runningCloneSet(shape: CloneSetShape = {}, change: (pod: Pod, index: number) => Pod = (pod) => pod): RunningSet {
  const plain = aCloneSet(shape);
  const revision: ControllerRevision = aRevision(plain, shape.image ?? 'app:1', 1);
  const { name } = revision.metadata;
  const cloneSet = {
    ...plain,
    status: {
      observedGeneration: 1,
      replicas: 5,
      readyReplicas: 5,
      availableReplicas: 5,
      updatedReplicas: 5,
      updatedReadyReplicas: 5,
      expectedUpdatedReplicas: 5,
      currentRevision: name,
      updateRevision: name,
    },
  };
  const pods = Array.from({ length: cloneSet.spec.replicas ?? 0 }, (_, index) =>
    change(
      aMember(plain, revision, {
        name: `sample-p${index}`,
        image: shape.image ?? 'app:1',
        labels: { 'apps.kruise.io/cloneset-instance-id': `p${index}` },
      }),
      index,
    ),
  );
  const held = [typed('apps/v1', 'ControllerRevision', revision), ...pods.map((pod) => typed('v1', 'Pod', pod))];
  return { set: asObject(cloneSet), facts: factsOf(...held) };
}

/** An object of a kind that is carried out in memory, after its creation, and what belongs to it. */
export function settled(object: KubeObject, ...others: readonly AnyObject[]): RunningSet {
  const created = changed(undefined, asObject(object), true);
  const kind = runKinds[kindOf(created)]!;
  const run = kind.start(created, startOf(created, undefined, factsOf(...others)));
  runRounds(run, 100);
  const revision = run.pods.history.list.at(-1)!;
  const name = revisionId(kind.adapter(factsOf()), revision);
  const status = { observedGeneration: 1, currentRevision: revision.metadata.name, updateRevision: name };
  /** Predicted objects get uids of this plan: others would have the same ones in the next plan. */
  const made = (apiVersion: string, kind: string, one: KubeObject): AnyObject =>
    parseLossless(stringifyLossless(typed(apiVersion, kind, one)).replaceAll('predicted-', 'held-')) as never;
  const held = [
    ...run.pods.pods.map((pod) => made('v1', 'Pod', pod)),
    ...[...run.pods.claims.byName.values()].map((claim) => made('v1', 'PersistentVolumeClaim', claim)),
    ...run.pods.history.list.map((one) => made('apps/v1', 'ControllerRevision', one)),
  ];
  return { set: { ...created, status }, facts: factsOf(...held, ...others) };
}

/** The same object with another spec. */
export const withSpec = (object: AnyObject, spec: object): AnyObject => ({ ...object, spec: { ...(object['spec'] as object), ...spec } });

/** The spec of a template with one container. */
export const templateOf = (image: string, more: object = {}, labels: object = { app: 'sample' }): object => ({
  template: { metadata: { labels }, spec: { containers: [{ name: 'main', image, ...more }] } },
});
