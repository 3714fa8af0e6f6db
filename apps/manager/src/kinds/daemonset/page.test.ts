/** The page of this kind: admission accepts its example unchanged, the example does what the page says, and Pods of the built-in kind keep running. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { daemonSets, daemonSetWarnings, defaultDaemonSet, defaultGates, validateDaemonSet, type DaemonSet } from '@kruise/api';
import { controllerOf, controllerRevisions, pods, type JsonObject, type KubeObject, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { parse } from 'yaml';
import { DaemonSetCluster } from './cluster.testing.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/daemonset.md'), 'utf8');
const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const example = parse(text) as DaemonSet & JsonObject;
const complete = defaultDaemonSet(example, { version: 'v1beta1' }) as unknown as DaemonSet;

const linux = { 'kubernetes.io/os': 'linux' };
const controlPlane = [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }];
const names = Array.from({ length: 10 }, (_, index) => `n${index}`);

/** Ten nodes for it, one of them of the control plane, and one that it does not ask for. */
function exampleWorld(): DaemonSetCluster {
  const world = new DaemonSetCluster({ spec: complete.spec }, { nodes: [] });
  for (const name of names) world.node(name, { labels: linux, ...(name === 'n0' ? { spec: { taints: controlPlane } } : {}) });
  world.node('windows', { labels: { 'kubernetes.io/os': 'windows' } });
  return world;
}

const withImage = ({ spec: { template } }: DaemonSet, image: string): DaemonSet['spec']['template'] => {
  const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, image }));
  return { ...template, spec: { ...template.spec, containers } };
};

const nodesWith = (world: DaemonSetCluster, image: string): readonly (string | undefined)[] =>
  world.pods.filter(({ spec }) => spec.containers[0]?.image === image).map(nodeOf);

const uidsOf = (world: DaemonSetCluster): readonly (string | undefined)[] => world.pods.map(({ metadata }) => metadata.uid);

describe('the example of the page', () => {
  it('is admitted without a warning', () => {
    const object = complete as DaemonSet & JsonObject;
    expect(validateDaemonSet(object, { version: 'v1beta1', allowPrivileged: true, hostNetworkHostPorts: true })).toEqual([]);
    expect(daemonSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates: defaultGates })).toEqual([]);
  });

  it('runs on the Linux nodes, the control plane included', async () => {
    await using world = exampleWorld();
    await world.settle();
    expect(world.pods.map(nodeOf)).toEqual(names);
  });

  it('updates one node of ten at a time, in place and from the highest name, and stops at half of them', async () => {
    await using world = exampleWorld();
    // Until all are available: those that are not would be updated at once.
    await world.ticks(30);
    const before = uidsOf(world);
    world.change({ template: withImage(world.set, 'nginx:1.27') });
    const order: (string | undefined)[] = [];
    let most = 0;
    for (let second = 0; second < 120; second++) {
      await world.tick();
      order.push(...nodesWith(world, 'nginx:1.27').filter((node) => !order.includes(node)));
      most = Math.max(most, world.set.status?.numberUnavailable ?? 0);
    }
    expect([order, most]).toEqual([['n9', 'n8', 'n7', 'n6', 'n5'], 1]);
    expect(uidsOf(world)).toEqual(before);
    expect(world.conditions).toEqual([expect.stringMatching(/^Blocked PartitionReached: .* 5 nodes/)]);
  });
});

const withoutOwner = <T extends KubeObject>(object: T): T => {
  const { ownerReferences: _gone, ...metadata } = object.metadata;
  return { ...object, metadata };
};

/** Pods and revisions of a DaemonSet that is deleted with `--cascade=orphan`, and another one of the name and of this template. */
async function orphaned(world: DaemonSetCluster, template: DaemonSet['spec']['template']): Promise<void> {
  await world.manager.stop();
  for (const pod of world.pods) world.api.seed(pods, withoutOwner(pod));
  for (const revision of world.api.peekAll(controllerRevisions, 'default')) world.api.seed(controllerRevisions, withoutOwner(revision));
  const { status: _gone, ...rest } = world.set;
  world.api.seed(daemonSets, { ...rest, metadata: { ...rest.metadata, uid: 'next' }, spec: { ...rest.spec, template } });
  world.begin();
}

describe('what a DaemonSet has left behind', () => {
  const owners = (world: DaemonSetCluster): readonly (string | undefined)[] => world.pods.map((pod: Pod) => controllerOf(pod)?.uid);

  it('is taken over without a restart when the template is the same', async () => {
    await using world = new DaemonSetCluster();
    await world.settle();
    const before = uidsOf(world);
    const { template } = world.set.spec;
    await orphaned(world, { ...template, metadata: { ...template.metadata, creationTimestamp: null } });
    await world.settle();
    expect(uidsOf(world)).toEqual(before);
    expect(new Set(owners(world))).toEqual(new Set([world.set.metadata.uid]));
    expect(world.revisions).toHaveLength(1);
  });

  it('is another revision when the template lacks what the API server has filled in', async () => {
    await using world = new DaemonSetCluster();
    await world.settle();
    const before = uidsOf(world);
    const { template } = world.set.spec;
    await orphaned(world, { ...template, spec: { containers: [], ...template.spec, dnsPolicy: 'ClusterFirst' } });
    await world.settle();
    expect(uidsOf(world).filter((uid) => before.includes(uid))).toEqual([]);
  });
});

it('a node that gets a taint keeps its Pod, and has none after an update', async () => {
  await using world = new DaemonSetCluster();
  await world.settle();
  world.node('n3', { spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } });
  await world.settle();
  expect(world.shown).toEqual(['n1 app:1', 'n2 app:1', 'n3 app:1']);
  world.changeImage('app:2');
  await world.settle();
  expect(world.shown).toEqual(['n1 app:2', 'n2 app:2']);
});

it('a node that is dead holds up an update, unless nodes that do not fit are left out', async () => {
  const shownWith = async (prunes: boolean): Promise<readonly string[]> => {
    await using world = new DaemonSetCluster({}, { gates: { DaemonSetPruneIneligibleNodes: prunes } });
    await world.settle();
    world.lost.add('n3');
    world.node('n3', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] } });
    world.setPod(world.podOn('n3'), (pod) => ({ ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }] } }));
    world.changeImage('app:2');
    await world.ticks(60);
    return world.shown;
  };
  expect(await shownWith(false)).toEqual(['n1 app:1', 'n2 app:2', 'n3 app:1 unready going']);
  expect(await shownWith(true)).toEqual(['n1 app:2', 'n2 app:2', 'n3 app:1 unready']);
});
