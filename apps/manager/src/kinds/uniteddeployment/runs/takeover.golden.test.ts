/**
 * A manager that starts on a cluster where another implementation ran takes its UnitedDeployments over as they are: no child is written, no revision
 * made or touched, and the status is the same.
 */
import { describe, expect, it } from '@jest/globals';
import { cloneSets, inHub, unitedDeployments, type CloneSet, type UnitedDeployment } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import { controllerOf, controllerRevisions, instant, pods, type ControllerRevision, type KubeObject, type Pod } from '@kruise/objects';
import { recordedObjects, recordedStages, type RecordedStage } from '@kruise/testing';
import { byController } from '@kruise/workloads';
import { childKinds, type ChildObject, plan, type Snapshot, isStatusChanged, withSuccess, examine } from '@kruise/kinds/uniteddeployment';
import { observe, orphanedSubsets } from '../observe.ts';

const indexes = { [byController.name]: byController.valuesOf, [orphanedSubsets.name]: orphanedSubsets.valuesOf };
const cloneSetKind = childKinds.find(({ name }) => name === 'CloneSet');

interface Changes {
  readonly united?: (united: UnitedDeployment) => UnitedDeployment;
  readonly revision?: (revision: ControllerRevision) => ControllerRevision;
}

function snapshotOf(stage: RecordedStage, { united: change = (one) => one, revision = (one) => one }: Changes = {}): Snapshot {
  const [recorded] = recordedObjects<UnitedDeployment>(stage, 'uniteddeployments.v1beta1');
  if (recorded === undefined || cloneSetKind === undefined) throw new Error('nothing was recorded');
  const united = change(recorded);
  const examined = examine(united);
  if (examined.kind === 'Malformed') throw new Error(examined.why);
  const isOurs = (object: KubeObject): boolean => controllerOf(object)?.uid === united.metadata.uid;
  const children = recordedObjects<CloneSet>(stage, 'clonesets.v1beta1').filter(isOurs) as readonly ChildObject[];
  const revisions = recordedObjects<ControllerRevision>(stage, 'controllerrevisions').filter(isOurs).map(revision);
  const { seen } = observe(
    {
      united: storeOf(unitedDeployments, [united]),
      pods: storeOf(pods, recordedObjects<Pod>(stage, 'pods'), indexes),
      revisions: storeOf(controllerRevisions, revisions, indexes),
      children: [{ kind: cloneSetKind, store: storeOf(cloneSets as never, children, indexes as never) }],
      replicaSets: undefined,
    },
    united,
    examined.selector,
    examined.childKind,
  );
  return seen;
}

const now = instant(Date.parse('2026-11-22T00:00:00Z'));
const nothing = {
  revisions: [],
  groundwork: [],
  creations: [],
  strays: [],
  stuckPods: [],
  housekeeping: [],
};

function expectNothing(seen: Snapshot): void {
  expect(seen.children.map(({ subset, pods: own }) => `${subset} ${own.length}`)).toEqual(['a 1', 'b 2']);
  const { status, giving, ...actions } = plan(seen, { now });
  expect([actions, giving(new Set())]).toEqual([nothing, { updates: [], deletions: [] }]);
  expect(isStatusChanged(seen.united, withSuccess(status, { provisioned: 'Before', updated: true }, now))).toBe(false);
}

describe('taking a cluster over', () => {
  it.each(recordedStages)('leaves everything alone and counts the same (%s)', (stage) => {
    expectNothing(snapshotOf(stage));
  });

  it('knows a revision that writes what is empty in another way', () => {
    const revision = (one: ControllerRevision): ControllerRevision => {
      const text = JSON.stringify(one.data)
        .replace('"scaleStrategy":{}', '"scaleStrategy":{"enablePVCReuse":false,"podsToDelete":[]}')
        .replace('"updateStrategy":{}', '"updateStrategy":{"type":""},"lifecycle":null,"minReadySeconds":0')
        .replaceAll('"creationTimestamp":null,', '');
      return { ...one, data: JSON.parse(text) as ControllerRevision['data'] };
    };
    expectNothing(snapshotOf('3-updated', { revision }));
  });

  it('knows a revision of 1.9.0, whose CloneSet template is in the form of v1alpha1', () => {
    const flat = { type: 'InPlaceIfPossible', maxUnavailable: '30%', inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } };
    const revision = (one: ControllerRevision): ControllerRevision => ({
      ...one,
      data: JSON.parse(
        JSON.stringify(one.data).replace('"updateStrategy":{}', `"updateStrategy":${JSON.stringify(flat)}`),
      ) as ControllerRevision['data'],
    });
    const united = (one: UnitedDeployment): UnitedDeployment => {
      const { enablePVCReuse: _absent, ...scaleStrategy } = one.spec.template?.cloneSetTemplate?.spec.scaleStrategy ?? {};
      const cloneSetTemplate = {
        ...one.spec.template?.cloneSetTemplate,
        spec: { ...one.spec.template?.cloneSetTemplate?.spec, scaleStrategy, updateStrategy: flat },
      };
      const alpha = { ...one, apiVersion: 'apps.kruise.io/v1alpha1', spec: { ...one.spec, template: { cloneSetTemplate } } };
      return inHub(alpha as never);
    };
    const seen = snapshotOf('3-updated', { revision, united });
    expect(seen.united.spec.template?.cloneSetTemplate?.spec.updateStrategy).toMatchObject({
      type: 'RollingUpdate',
      rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '30%' },
    });
    expectNothing(seen);
  });

  it('a template that says something else is a new revision, named as the original names it', () => {
    const seen = snapshotOf('3-updated', {
      united: (one) => JSON.parse(JSON.stringify(one).replaceAll('nginx:alpine-20', 'nginx:alpine-21')) as UnitedDeployment,
    });
    const [made] = plan(seen, { now }).revisions;
    if (made?.kind !== 'CreateRevision') throw new Error(`${String(made?.kind)} instead of a revision`);
    expect(made.attempt.revision).toMatchObject({ revision: 2, metadata: { labels: { app: 'ud' } } });
    expect(made.attempt.revision.metadata.name).toMatch(/^ud-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
  });
});
