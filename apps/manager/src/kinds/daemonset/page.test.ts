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

/** Ten nodes for it, one of them of the control plane, and one that it does not request. */
function exampleCluster(): DaemonSetCluster {
  const cluster = new DaemonSetCluster({ spec: complete.spec }, { nodes: [] });
  for (const name of names) cluster.node(name, { labels: linux, ...(name === 'n0' ? { spec: { taints: controlPlane } } : {}) });
  cluster.node('windows', { labels: { 'kubernetes.io/os': 'windows' } });
  return cluster;
}

const withImage = ({ spec: { template } }: DaemonSet, image: string): DaemonSet['spec']['template'] => {
  const containers = (template.spec?.containers ?? []).map((container) => ({ ...container, image }));
  return { ...template, spec: { ...template.spec, containers } };
};

const nodesWith = (cluster: DaemonSetCluster, image: string): readonly (string | undefined)[] =>
  cluster.pods.filter(({ spec }) => spec.containers[0]?.image === image).map(nodeOf);

const uidsOf = (cluster: DaemonSetCluster): readonly (string | undefined)[] => cluster.pods.map(({ metadata }) => metadata.uid);

describe('the example of the page', () => {
  it('is admitted without a warning', () => {
    const object = complete as DaemonSet & JsonObject;
    expect(validateDaemonSet(object, { version: 'v1beta1', allowPrivileged: true, hostNetworkHostPorts: true })).toEqual([]);
    expect(daemonSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates: defaultGates })).toEqual([]);
  });

  it('runs on the Linux nodes, the control plane included', async () => {
    await using cluster = exampleCluster();
    await cluster.settle();
    expect(cluster.pods.map(nodeOf)).toEqual(names);
  });

  it('updates one node of ten at a time, in place and from the highest name, and stops at half of them', async () => {
    await using cluster = exampleCluster();
    // Until all are available: those that are not would be updated at once.
    await cluster.ticks(30);
    const before = uidsOf(cluster);
    cluster.change({ template: withImage(cluster.set, 'nginx:1.27') });
    const order: (string | undefined)[] = [];
    let most = 0;
    for (let second = 0; second < 120; second++) {
      await cluster.tick();
      order.push(...nodesWith(cluster, 'nginx:1.27').filter((node) => !order.includes(node)));
      most = Math.max(most, cluster.set.status?.numberUnavailable ?? 0);
    }
    expect([order, most]).toEqual([['n9', 'n8', 'n7', 'n6', 'n5'], 1]);
    expect(uidsOf(cluster)).toEqual(before);
    expect(cluster.conditions).toEqual([expect.stringMatching(/^Blocked PartitionReached: .* 5 nodes/)]);
  });
});

const withoutOwner = <T extends KubeObject>(object: T): T => {
  const { ownerReferences: _gone, ...metadata } = object.metadata;
  return { ...object, metadata };
};

/** Pods and revisions of a DaemonSet that is deleted with `--cascade=orphan`, and another one of the name and of this template. */
async function orphaned(cluster: DaemonSetCluster, template: DaemonSet['spec']['template']): Promise<void> {
  await cluster.manager.stop();
  for (const pod of cluster.pods) cluster.api.seed(pods, withoutOwner(pod));
  for (const revision of cluster.api.peekAll(controllerRevisions, 'default')) cluster.api.seed(controllerRevisions, withoutOwner(revision));
  const { status: _gone, ...rest } = cluster.set;
  cluster.api.seed(daemonSets, { ...rest, metadata: { ...rest.metadata, uid: 'next' }, spec: { ...rest.spec, template } });
  cluster.begin();
}

describe('what a DaemonSet has left behind', () => {
  const owners = (cluster: DaemonSetCluster): readonly (string | undefined)[] => cluster.pods.map((pod: Pod) => controllerOf(pod)?.uid);

  it('is taken over without a restart when the template is the same', async () => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    const before = uidsOf(cluster);
    const { template } = cluster.set.spec;
    await orphaned(cluster, { ...template, metadata: { ...template.metadata, creationTimestamp: null } });
    await cluster.settle();
    expect(uidsOf(cluster)).toEqual(before);
    expect(new Set(owners(cluster))).toEqual(new Set([cluster.set.metadata.uid]));
    expect(cluster.revisions).toHaveLength(1);
  });

  it('is another revision when the template lacks what the API server has filled in', async () => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    const before = uidsOf(cluster);
    const { template } = cluster.set.spec;
    await orphaned(cluster, { ...template, spec: { containers: [], ...template.spec, dnsPolicy: 'ClusterFirst' } });
    await cluster.settle();
    expect(uidsOf(cluster).filter((uid) => before.includes(uid))).toEqual([]);
  });
});

it('a node that gets a taint keeps its Pod, and has none after an update', async () => {
  await using cluster = new DaemonSetCluster();
  await cluster.settle();
  cluster.node('n3', { spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } });
  await cluster.settle();
  expect(cluster.shown).toEqual(['n1 app:1', 'n2 app:1', 'n3 app:1']);
  cluster.changeImage('app:2');
  await cluster.settle();
  expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:2']);
});

it('a dead node delays an update, unless nodes that do not fit are skipped', async () => {
  const shownWith = async (prunes: boolean): Promise<readonly string[]> => {
    await using cluster = new DaemonSetCluster({}, { gates: { DaemonSetPruneIneligibleNodes: prunes } });
    await cluster.settle();
    cluster.lost.add('n3');
    cluster.node('n3', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] } });
    cluster.setPod(cluster.podOn('n3'), (pod) => ({ ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }] } }));
    cluster.changeImage('app:2');
    await cluster.ticks(60);
    return cluster.shown;
  };
  expect(await shownWith(false)).toEqual(['n1 app:1', 'n2 app:2', 'n3 app:1 unready going']);
  expect(await shownWith(true)).toEqual(['n1 app:2', 'n2 app:2', 'n3 app:1 unready']);
});
