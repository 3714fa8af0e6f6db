/**
 * Objects of OpenKruise are taken over for every kind of child, as either of its versions stores them: its names, a revision with its hash that
 * has another notation of the same template, a v1alpha1 status. Nothing is written, and no Pod is recreated. @see spec/uniteddeployment.md 1, 5.3
 */
import { describe, expect, it } from '@jest/globals';
import {
  convertObject,
  inHub,
  normalizeCloneSetTemplate,
  unitedDeploymentLabels as labels,
  unitedDeployments,
  type UnitedDeployment,
} from '@kruise/api';
import { controllerRevisions, pods, type ControllerRevision, type JsonObject, type KubeObject, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { childKinds, type ChildKind } from '@kruise/kinds/uniteddeployment';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

const namespace = 'default';
const original = 'web-5f7d8c9b44';

interface Left {
  readonly kind: ChildKind['name'];
  readonly version: 'v1alpha1' | 'v1beta1';
  /** Members of the child's spec that the user gave. */
  readonly child: object;
  /** The child's spec as the original's revision has it. */
  readonly stored: (spec: JsonObject) => JsonObject;
}

const emptyMeta = { creationTimestamp: null };
const claim = (over: object): object => ({
  metadata: { name: 'data', ...over },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});

const left: readonly Left[] = [
  {
    kind: 'StatefulSet',
    version: 'v1beta1',
    child: { serviceName: 'web', volumeClaimTemplates: [claim({})] },
    stored: (spec) => ({
      minReadySeconds: 0,
      podManagementPolicy: '',
      ...spec,
      updateStrategy: {},
      volumeClaimTemplates: [{ ...claim(emptyMeta), status: {} }],
    }),
  },
  {
    kind: 'AdvancedStatefulSet',
    version: 'v1beta1',
    child: { serviceName: 'web', reserveOrdinals: [1], updateStrategy: { rollingUpdate: { maxUnavailable: '50%' } } },
    stored: (spec) => ({ lifecycle: null, volumeClaimTemplates: [], volumeClaimUpdateStrategy: { type: '' }, ...spec }),
  },
  {
    kind: 'CloneSet',
    version: 'v1beta1',
    child: { minReadySeconds: 2, updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: 1 } } },
    stored: (spec) => ({ scaleStrategy: { enablePVCReuse: false, podsToDelete: [] }, lifecycle: null, ...spec }),
  },
  {
    kind: 'Deployment',
    version: 'v1beta1',
    child: { minReadySeconds: 2, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
    stored: (spec) => ({ paused: false, revisionHistoryLimit: null, ...spec }),
  },
];

/** 1.9.0 has the settings of a CloneSet's update beside its type, in the object and in its revision. */
const flat = { type: 'InPlaceIfPossible', maxUnavailable: '30%', inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } };
const inFlatForm = (spec: JsonObject): JsonObject => ({ ...spec, scaleStrategy: {}, updateStrategy: flat });
const nested = normalizeCloneSetTemplate({ spec: { updateStrategy: flat } })['spec'] as object;
const released: readonly Left[] = left.map((one) => {
  const alpha = { ...one, version: 'v1alpha1' } as const;
  return one.kind === 'CloneSet' ? { ...alpha, child: nested, stored: inFlatForm } : alpha;
});

/** Members in another order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
};

const renamed = <T extends KubeObject>(object: T, from: string): T => JSON.parse(JSON.stringify(object).replaceAll(from, original)) as T;

/** As the API server hands out what is stored in the old version. */
function asStoredThen(united: UnitedDeployment, member: string, template: JsonObject): UnitedDeployment {
  const beta = { ...united, apiVersion: 'apps.kruise.io/v1beta1', kind: 'UnitedDeployment' };
  const alpha = convertObject({ ...beta }, 'apps.kruise.io/v1alpha1');
  if (alpha.kind !== 'Converted') throw new Error(alpha.kind);
  const old = alpha.object as never as UnitedDeployment;
  const { spec } = template[member] as { readonly spec: JsonObject };
  const now = (old.spec.template as Readonly<Record<string, object>>)[member];
  const { scaleStrategy, updateStrategy } = spec;
  const own =
    updateStrategy === flat ? { ...now, spec: { ...old.spec.template?.cloneSetTemplate?.spec, scaleStrategy, updateStrategy } } : now;
  return inHub({ ...old, spec: { ...old.spec, template: { [member]: own } } } as never);
}

/** What a manager of the original would have written instead of ours. */
async function leave(cluster: UnitedDeploymentCluster, { kind, version, stored }: Left): Promise<void> {
  const { api, united, workloads } = cluster;
  const ours = united.status?.updatedRevision ?? '';
  const childKind = childKinds.find(({ name }) => name === kind) as ChildKind;
  const member = childKind.template;
  const revision = api.peek(controllerRevisions, { namespace, name: ours }) as ControllerRevision;
  const template = united.spec.template?.[member] as { readonly metadata: object; readonly spec: JsonObject };
  const pod = template.spec['template'] as JsonObject;
  const written = {
    [member]: {
      metadata: { ...emptyMeta, ...template.metadata },
      spec: stored({ ...template.spec, template: { ...pod, metadata: { ...(pod['metadata'] as object), ...emptyMeta } } }),
    },
    $patch: 'replace',
  };
  const { name: _name, resourceVersion: _version, uid: _uid, ...metadata } = revision.metadata;
  await api.delete(controllerRevisions, { namespace, name: ours });
  api.seed(controllerRevisions, {
    ...revision,
    metadata: { ...metadata, name: original },
    data: reversed({ spec: { template: written } }),
  });
  for (const type of [childKind.type, replicaSets, pods] as readonly ResourceType[])
    for (const object of api.peekAll(type, namespace)) api.seed(type, renamed(object, ours));
  const held = renamed(united, ours);
  api.seed(unitedDeployments, version === 'v1alpha1' ? asStoredThen(held, member, written) : held);
  expect(workloads.children.map(({ object }) => object.metadata.labels?.[labels.revision])).toEqual([original, original]);
}

describe('a UnitedDeployment that another implementation left', () => {
  it.each([...left, ...released])('with children of kind $kind, stored as $version, is taken over without a write', async (one) => {
    const { child } = one;
    await using cluster = new UnitedDeploymentCluster({ kind: one.kind, replicas: 4, child, partitions: { a: 1 } });
    await cluster.settle();
    await cluster.manager.stop();
    await leave(cluster, one);
    const before = cluster.workloads.children.flatMap(({ object }) => cluster.workloads.podsOf(object)).map(({ metadata }) => metadata.uid);
    const written: string[] = [];
    cluster.api.onWrite(({ call }) => {
      if (call.from === 'manager') written.push(`${call.verb} ${call.type?.kind ?? ''} ${call.key.name}`);
    });
    cluster.begin();
    await cluster.settle();
    expect(written).toEqual([]);
    expect(
      cluster.workloads.children.flatMap(({ object }) => cluster.workloads.podsOf(object)).map(({ metadata }) => metadata.uid),
    ).toEqual(before);
    // And it is the same that is updated afterwards.
    cluster.changeImage('app:2', one.kind, child);
    cluster.change({ updateStrategy: { type: 'Manual', manualUpdate: {} } });
    await cluster.settle();
    cluster.changeImage('app:1', one.kind, child);
    await cluster.settle();
    expect(cluster.status.currentRevision).toBe(original);
    expect(cluster.revisions).toContain(`${original} 3`);
  });
});
