import { afterEach, describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import { apiFailures } from '@kruise/kube/testing';
import type { OwnerReference, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { deployments, replicaSets } from '@kruise/workloads';
import { asNew } from '../../../module/controller-process.testing.ts';
import { podUnavailableBudgetStep } from './pod-step.ts';
import { BudgetCluster, namespace, refer, relatedPub } from '../cluster.testing.ts';

let cluster: BudgetCluster;
afterEach(() => cluster.stop());
const target = (kind: string, name: string, group = 'apps') => ({
  targetRef: { apiVersion: `${group}/v1`, kind, name },
  maxUnavailable: 1,
});
const web = (owner?: OwnerReference): Pod => aPod({ name: 'new', labels: { app: 'web' }, ...(owner === undefined ? {} : { owner }) });
const nameOf = ({ metadata }: Pod): readonly (string | undefined)[] => [
  metadata.annotations?.[relatedPub],
  metadata.annotations?.['kruise.io/related-pub'],
];

describe('a new Pod (4.3, 4.4)', () => {
  it.each<{
    name: string;
    budgets: readonly (readonly [string, object])[];
    owner?: 'ReplicaSet' | 'Lone' | 'StatefulSet' | 'Gone';
    then: string | undefined;
  }>([
    { name: 'gets the name of the budget that selects it', budgets: [['b', {}]], then: 'b' },
    { name: 'gets none from one that selects others', budgets: [['b', { selector: { matchLabels: { app: 'x' } } }]], then: undefined },
    { name: 'gets none from one that selects nothing', budgets: [['b', { selector: {} }]], then: undefined },
    { name: 'gets that of its Deployment', budgets: [['b', target('Deployment', 'web')]], owner: 'ReplicaSet', then: 'b' },
    { name: 'gets that of its ReplicaSet', budgets: [['b', target('ReplicaSet', 'web-1')]], owner: 'ReplicaSet', then: 'b' },
    { name: 'gets none of another Deployment', budgets: [['b', target('Deployment', 'x')]], owner: 'ReplicaSet', then: undefined },
    {
      name: 'gets that of its StatefulSet, in whatever version',
      budgets: [['b', { targetRef: { apiVersion: 'apps/v1beta1', kind: 'StatefulSet', name: 'db' } }]],
      owner: 'StatefulSet',
      then: 'b',
    },
    {
      name: 'gets none of a workload of the same name in another group',
      budgets: [['b', target('StatefulSet', 'db', 'apps.kruise.io')]],
      owner: 'StatefulSet',
      then: undefined,
    },
    { name: 'gets none by target without a controller', budgets: [['b', target('Deployment', 'web')]], then: undefined },
    {
      name: 'gets that of the ReplicaSet when this is deleted',
      budgets: [['b', target('Deployment', 'web')]],
      owner: 'Gone',
      then: undefined,
    },
    {
      name: 'gets the first of several',
      budgets: [
        ['z', {}],
        ['c', target('Deployment', 'web')],
        ['d', {}],
      ],
      owner: 'ReplicaSet',
      then: 'c',
    },
  ])('$name', async ({ budgets, owner, then }) => {
    cluster = new BudgetCluster();
    cluster.deployment('web', 1);
    for (const [name, spec] of budgets) cluster.budget(spec, { name });
    const replicaSet = cluster.api.peek(replicaSets, { namespace, name: 'web-1' })!;
    const owners = {
      ReplicaSet: refer(replicaSet, replicaSets),
      Lone: refer(replicaSet, replicaSets),
      Gone: { ...refer(replicaSet, replicaSets), name: 'gone' },
      StatefulSet: { ...refer(replicaSet, deployments), kind: 'StatefulSet', name: 'db' },
    };
    const replica = await cluster.replica();
    expect(nameOf(await replica.mutate(web(owner === undefined ? undefined : owners[owner])))).toEqual([then, then]);
  });

  it('keeps its annotation when no budget selects it, and gets a new one when one does', async () => {
    cluster = new BudgetCluster();
    cluster.budget({});
    const replica = await cluster.replica();
    const foreign = (app: string): Pod => aPod({ name: 'new', labels: { app }, annotations: { [relatedPub]: 'mine' } });
    expect(nameOf(await replica.mutate(foreign('x')))).toEqual(['mine', undefined]);
    expect(nameOf(await replica.mutate(foreign('web')))).toEqual(['b', 'b']);
    expect(await replica.mutate(await replica.mutate(foreign('web')))).toEqual(await replica.mutate(foreign('web')));
  });

  it('is created all the same when its budget cannot be known', async () => {
    cluster = new BudgetCluster();
    cluster.budget(target('Deployment', 'web'));
    cluster.deployment('web', 1);
    const owner = refer(cluster.api.peek(replicaSets, { namespace, name: 'web-1' })!, replicaSets);
    const replica = await cluster.replica({
      faults: {
        before: ({ verb, type }) => {
          if (verb === 'get' && type === replicaSets) throw apiFailures.unreachable();
        },
      },
    });
    expect(nameOf(await replica.mutate(asNew(web(owner))))).toEqual([undefined, undefined]);
  });

  it('is not looked at with both gates off', async () => {
    cluster = new BudgetCluster();
    const off = { ...defaultGates, PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: false };
    expect(podUnavailableBudgetStep({ gates: off } as never)).toBeUndefined();
  });
});
