/**
 * The acceptance scenarios of WorkloadSpreads by their number, for any cluster: with simulated nodes and with real ones. Those of listed kinds,
 * which need a ConfigMap of the whole cluster, are apart.
 * @see docs/spec/workloadspread.md 9
 */
import { expect, it } from '@jest/globals';
import {
  cloneSets,
  statefulSets,
  workloadSpreads,
  workloadSpreadsV1Alpha1,
  workloadSpreadWhiteListKey,
  type WorkloadSpread,
} from '@kruise/api';
import { jobs, pods, type KubeObject, type Pod } from '@kruise/objects';
import { comesToRest } from '@kruise/testing';
import { deployments, replicaSets } from '@kruise/workloads';
import { gameSets } from './game-sets.testing.ts';
import type { SpreadWorld, Subset } from './spread-world.testing.ts';

export interface ScenarioOptions {
  readonly world: () => SpreadWorld;
  /** Ends a Pod whose container does not end by itself; absent where containers run. */
  readonly finish?: (pod: Pod) => Promise<unknown>;
  /** Whether the API server reaches the conversion; true by default. */
  readonly converts?: boolean;
}

const a = (limit: number | string | undefined, more: Partial<Subset> = {}): Subset => ({
  name: 'a',
  ...(limit === undefined ? {} : { maxReplicas: limit }),
  ...more,
});
const b = (limit: number | string | undefined, more: Partial<Subset> = {}): Subset => ({ ...a(limit, more), name: 'b' });

/** Pods in zones, their subsets and deletion costs. */
export function placementScenarios({ world }: ScenarioOptions): void {
  it('Pods get subsets in order, with rules, annotation and cost; lower limits mark the surplus, which is deleted first (1, 2)', async () => {
    const here = world();
    await here.spread(cloneSets, 'web', [
      a(5, { requiredNodeSelector: here.zone('a') }),
      b(3, { requiredNodeSelector: here.zone('b'), patch: { metadata: { labels: { place: 'b' } } } }),
    ]);
    await here.workload(cloneSets, 'web', 8);
    await here.untilCounted('web', 'a 5/0', 'b 3/0');
    await here.untilShown('web', { 'a 200': 5, 'b 100': 3 });
    await here.untilReady(cloneSets, 'web', 8);
    for (const pod of await here.active('web')) {
      const subset = here.subsetOf(pod);
      const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
      expect([terms, pod.metadata.labels?.['place']]).toEqual([[here.zone(subset)], subset === 'b' ? 'b' : undefined]);
    }
    await here.settles('nothing is promised any more', async () => (await here.status('web')).versionedSubsetStatuses, {
      versionIgnored: [
        { name: 'a', replicas: 5, missingReplicas: 0 },
        { name: 'b', replicas: 3, missingReplicas: 0 },
      ],
    });
    const { spec } = await here.get('web');
    const lower = spec.subsets.map((subset, index) => ({ ...subset, maxReplicas: index === 0 ? 3 : 2 }));
    const { metadata } = await here.client.patch(workloadSpreads, here.key('web'), { spec: { subsets: lower } }, { type: 'merge' });
    await here.settles('the limits are observed', async () => (await here.status('web')).observedGeneration, metadata.generation);
    expect(await here.shown('web')).toEqual({ 'a 200': 3, 'a -100': 2, 'b 100': 2, 'b -200': 1 });
    await here.untilPodsAreSeen();
    await here.scale(cloneSets, 'web', 5);
    await here.untilShown('web', { 'a 200': 3, 'b 100': 2 });
    await here.untilCounted('web', 'a 3/0', 'b 2/0');
  });

  it('the last subset without a limit takes what others do not, and is emptied first (3)', async () => {
    const here = world();
    await here.spread(cloneSets, 'tail', [a(3), b(undefined)]);
    await here.workload(cloneSets, 'tail', 3);
    await here.untilCounted('tail', 'a 3/0', 'b 0/-1');
    await here.scale(cloneSets, 'tail', 7);
    await here.untilCounted('tail', 'a 3/0', 'b 4/-1');
    await here.untilShown('tail', { 'a 200': 3, 'b 100': 4 });
    await here.untilReady(cloneSets, 'tail', 7);
    await here.untilPodsAreSeen();
    await here.scale(cloneSets, 'tail', 3);
    await here.untilCounted('tail', 'a 3/0', 'b 0/-1');
    await here.untilShown('tail', { 'a 200': 3 });
  });

  it('Pods without a free place are created without a subset, and left alone (4)', async () => {
    const here = world();
    await here.spread(cloneSets, 'full', [a(3)]);
    await here.workload(cloneSets, 'full', 5);
    await here.untilCounted('full', 'a 3/0');
    await here.untilShown('full', { 'a 100': 3, none: 2 });
  });

  it('a new revision of a Deployment fills the first subset again, and the old one is forgotten (5)', async () => {
    const here = world();
    await here.spread(deployments, 'site', [a(3), b(undefined)]);
    await here.workload(deployments, 'site', 7, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } } });
    await here.untilCounted('site', 'a 3/0', 'b 4/-1');
    const [old = ''] = Object.keys((await here.status('site')).versionedSubsetStatuses ?? {});
    const containers = [{ name: 'main', image: here.images.second }];
    await here.change(deployments, 'site', { spec: { template: { spec: { containers } } } });
    await here.settles(
      'the new revision alone is counted',
      async () => {
        const { versionedSubsetStatuses = {} } = await here.status('site');
        const shown = Object.values(versionedSubsetStatuses).map((states) =>
          states.map((state) => `${state.name} ${state.replicas}/${state.missingReplicas}`),
        );
        return { shown, isOldGone: !Object.hasOwn(versionedSubsetStatuses, old) };
      },
      { shown: [['a 3/0', 'b 4/-1']], isOldGone: true },
    );
    await here.untilShown('site', { 'a 200': 3, 'b 100': 4 });
  });

  /** Pods on nodes of a zone, which a ReplicaSet made afterwards takes over. */
  async function adopted(name: string, count: number, zone: string, tolerated: object = {}): Promise<void> {
    const here = world();
    const spec = { nodeSelector: { [here.zoneLabel]: zone }, ...tolerated };
    for (let index = 0; index < count; index += 1) await here.client.create(pods, here.podOf(`${name}-${index}`, name, undefined, spec));
    await here.eventually(async () => (await here.active(name)).every((pod) => pod.status?.phase === 'Running'), 'all run');
    await here.workload(replicaSets, name, count);
    await here.eventually(
      async () => (await here.active(name)).every((pod) => (pod.metadata.ownerReferences ?? []).length > 0),
      'the Pods are taken over',
    );
  }

  it('existing Pods are assigned to the subset that they fit, and the surplus is deleted first (6)', async () => {
    const here = world();
    await adopted('before', 5, 'a');
    await here.spread(replicaSets, 'before', [
      a(3, { requiredNodeSelector: here.zone('a') }),
      b(undefined, { requiredNodeSelector: here.zone('b') }),
    ]);
    await here.untilShown('before', { 'a 200': 3, 'a -100': 2 });
    const surplus = (await here.active('before')).filter((pod) => here.costOf(pod) === '-100').map(({ metadata }) => metadata.name);
    await here.scale(replicaSets, 'before', 7);
    await here.untilShown('before', { 'a 200': 3, 'a -100': 2, 'b 100': 2 });
    await here.untilReady(replicaSets, 'before', 7);
    await here.scale(replicaSets, 'before', 5);
    await here.untilShown('before', { 'a 200': 3, 'b 100': 2 });
    expect((await here.active('before')).filter(({ metadata }) => surplus.includes(metadata.name))).toEqual([]);
  });

  it('preferences alone decide the subset of Pods, and those of a removed subset are deleted first (7)', async () => {
    const here = world();
    await adopted('liked', 2, 'b');
    const prefers = (first: number, second: number): NonNullable<Subset['preferredNodeSelector']> => [
      { weight: first, preference: here.zone('a') },
      { weight: second, preference: here.zone('b') },
    ];
    await here.spread(replicaSets, 'liked', [
      a(undefined, { preferredNodeSelector: prefers(30, 5) }),
      b(undefined, { preferredNodeSelector: prefers(5, 30) }),
    ]);
    await here.untilCounted('liked', 'a 0/-1', 'b 2/-1');
    await here.untilShown('liked', { 'b 100': 2 });
    const { spec } = await here.get('liked');
    await here.client.patch(workloadSpreads, here.key('liked'), { spec: { subsets: spec.subsets.slice(0, 1) } }, { type: 'merge' });
    await here.untilShown('liked', { 'b -200': 2 });
  });

  it('Pods of an Advanced StatefulSet are spread by their ordinals (8)', async () => {
    const here = world();
    const marked = (place: string) => ({ patch: { metadata: { annotations: { place } } } });
    await here.spread(statefulSets, 'db', [a(1, marked('a')), b(3, marked('b')), { name: 'c', ...marked('c') }]);
    await here.workload(statefulSets, 'db', 6, { serviceName: 'db', podManagementPolicy: 'Parallel' });
    const places = async () =>
      Object.fromEntries(
        (await here.active('db')).map((pod) => [pod.metadata.name, `${here.subsetOf(pod)} ${pod.metadata.annotations?.['place'] ?? ''}`]),
      );
    await here.settles('the ordinals', places, {
      'db-0': 'a a',
      'db-1': 'b b',
      'db-2': 'b b',
      'db-3': 'b b',
      'db-4': 'c c',
      'db-5': 'c c',
    });
    await here.untilCounted('db', 'a 1/0', 'b 3/0', 'c 2/-1');
  });
}

/** Pods that find no node. */
export function scheduleScenarios({ world }: ScenarioOptions): void {
  const nowhere = { requiredNodeSelector: { matchExpressions: [{ key: 'example.com/nowhere', operator: 'Exists' }] } };

  it('Adaptive: Pods that find no node go to the next subset, and the first is tried again after 300 s (9)', async () => {
    const here = world();
    const scheduleStrategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } as const;
    await here.spread(cloneSets, 'moving', [a(2, nowhere), b(undefined)], { scheduleStrategy });
    await here.workload(cloneSets, 'moving', 2);
    await here.untilShown('moving', { 'b 100': 2 });
    const condition = async () => {
      const [first] = (await here.status('moving')).subsetStatuses ?? [];
      return first?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    };
    await here.settles('the condition', condition, ['Schedulable False PodUnschedulable']);
    // As if most of the 300 s had passed: the manager counts them from the time in the condition, and waits for the rest.
    await here.setBack('moving', 'subsetStatuses/0/conditions/0/lastTransitionTime', 295);
    await here.eventually(async () => (await condition())?.[0] === 'Schedulable True Sufficient', 'it is tried again', 500_000);
    await here.untilEvent('moving', 'RecoverSchedulable');
  });

  it('Fixed: Pods that find no node stay, and no condition reports it (10)', async () => {
    const here = world();
    await here.spread(cloneSets, 'fixed', [a(2, nowhere), b(undefined)], { scheduleStrategy: { type: 'Fixed' } });
    await here.workload(cloneSets, 'fixed', 3);
    await here.untilCounted('fixed', 'a 2/0', 'b 1/-1');
    expect((await here.status('fixed')).subsetStatuses?.flatMap(({ conditions = [] }) => conditions)).toEqual([]);
    await here.untilShown('fixed', { 'a 200': 2, 'b 100': 1 });
    expect((await here.active('fixed')).filter((pod) => (pod.spec.nodeName ?? '') === '')).toHaveLength(2);
  });
}

/** Admission, conversion, and counters that are right whatever becomes of a Pod. */
export function countingScenarios({ world, finish, converts = true }: ScenarioOptions): void {
  it('Pods of a Job take turns: the successor of one that is finished gets the first place that is free (11)', async () => {
    const here = world();
    const sleeping = (seconds: number) => ({
      patch: { spec: { containers: [{ name: 'main', command: ['sh', '-c', `sleep ${seconds}`] }] } },
    });
    await here.spread(jobs, 'work', [a('50%', sleeping(15)), b('50%', sleeping(3600))]);
    const template = here.template('work', { restartPolicy: 'Never' });
    await here.client.create(jobs, {
      metadata: here.key('work'),
      spec: { parallelism: 4, completions: 8, template },
    } as KubeObject);
    await here.untilCounted('work', 'a 2/0', 'b 2/0');
    const first = new Set((await here.active('work')).filter((pod) => here.subsetOf(pod) === 'a').map(({ metadata }) => metadata.name));
    for (const pod of await here.active('work')) if (first.has(pod.metadata.name)) await finish?.(pod);
    await here.eventually(
      async () => (await here.active('work')).filter((pod) => here.subsetOf(pod) === 'a' && !first.has(pod.metadata.name)).length === 2,
      'the successors are in the first subset',
    );
  });

  it('one workload has one WorkloadSpread, which may change the version of its target alone (14)', async () => {
    const here = world();
    const sole = await here.spread(cloneSets, 'sole', [a(1), b(undefined)]);
    const second = { ...here.spreadOf(cloneSets, 'sole', [a(undefined)]), metadata: here.key('second') };
    expect(await here.refusal(second)).toContain('is in conflict with WorkloadSpread sole');
    const renamed = here.client.patch(workloadSpreads, here.key('sole'), { spec: { targetRef: { name: 'other' } } }, { type: 'merge' });
    await expect(renamed).rejects.toThrow('only the version of targetRef may be changed');
    const apiVersion = 'apps.kruise.io/v1alpha1';
    const changed = await here.client.patch(workloadSpreads, here.key('sole'), { spec: { targetRef: { apiVersion } } }, { type: 'merge' });
    expect([changed.spec.targetRef.apiVersion, changed.metadata.uid]).toEqual([apiVersion, sole.metadata.uid]);
  });

  it('a time to wait for a node that leaves none to try the others is refused (15)', async () => {
    const here = world();
    const subsets = ['a', 'b', 'c', 'd', 'e'].map((name): Subset => ({ name }));
    const waiting = (rescheduleCriticalSeconds: number) =>
      here.spreadOf(cloneSets, 'slow', subsets, { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds } } });
    expect(await here.refusal(waiting(80))).toContain('must not be above 73 with 5 subsets');
    expect(await here.refusal(waiting(73))).toBe('none');
  });

  if (converts)
    it('an object in v1alpha1 is the same in v1beta1, and its Pods are spread (16)', async () => {
      const here = world();
      const targetRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'former' };
      const subsets = [{ name: 'a', requiredNodeSelectorTerm: here.zone('a') }];
      await here.client.create(workloadSpreadsV1Alpha1, { metadata: here.key('former'), spec: { targetRef, subsets } });
      expect((await here.get('former')).spec.subsets).toEqual([{ name: 'a', requiredNodeSelector: here.zone('a') }]);
      await here.workload(cloneSets, 'former', 1);
      await here.untilShown('former', { 'a 100': 1 });
      const [pod] = await here.active('former');
      expect(pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([here.zone('a')]);
    });

  it('a Pod whose ReplicaSet is not there is refused, and spread once it is (17)', async () => {
    const here = world();
    await here.spread(deployments, 'late', [a(2), b(undefined)]);
    const deployment = await here.workload(deployments, 'late', 0);
    await here.untilPodsAreSeen();
    const early = here.ownerOf(replicaSets, { metadata: { name: 'late-rs', uid: 'none' } });
    await expect(here.client.create(pods, here.podOf('late-rs-', 'late', early))).rejects.toThrow(
      'ReplicaSet late-rs, which controls the Pod',
    );
    const made = await here.client.create(replicaSets, {
      metadata: { ...here.key('late-rs'), ownerReferences: [here.ownerOf(deployments, deployment)], labels: { app: 'late' } },
      spec: { replicas: 0, selector: { matchLabels: { app: 'late' } }, template: here.template('late') },
    });
    const pod = await here.client.create(pods, here.podOf('late-rs-', 'late', here.ownerOf(replicaSets, made)));
    expect(here.subsetOf(pod)).toBe('a');
  });

  it('dry runs change no counter (18)', async () => {
    const here = world();
    await here.spread(cloneSets, 'dry', [a(3), b(2)]);
    const set = await here.workload(cloneSets, 'dry', 2);
    await here.untilCounted('dry', 'a 2/1', 'b 0/2');
    await here.settles(
      'nothing is promised any more',
      async () => JSON.stringify(await here.status('dry')).includes('creatingPods'),
      false,
    );
    const version = async (): Promise<string | undefined> => (await here.get('dry')).metadata.resourceVersion;
    const before = await comesToRest('the WorkloadSpread', version, 1_500);
    const dryRun = { dryRun: true } as const;
    await here.client.create(pods, here.podOf('dry-x', 'dry', here.ownerOf(cloneSets, set)), dryRun);
    const [pod] = await here.active('dry');
    await here.client.delete(pods, here.key(pod?.metadata.name ?? ''), dryRun);
    await here.client.evict(here.key(pod?.metadata.name ?? ''), dryRun);
    expect(await version()).toBe(before);
  });

  it('an evicted Pod is noted, and the one that comes for it goes to its subset (19)', async () => {
    const here = world();
    await here.spread(cloneSets, 'moved', [a(2), b(2)]);
    await here.workload(cloneSets, 'moved', 4);
    await here.untilCounted('moved', 'a 2/0', 'b 2/0');
    await here.eventually(async () => (await here.active('moved')).every((pod) => pod.status?.phase === 'Running'), 'all run');
    const pod = (await here.active('moved')).find((one) => here.subsetOf(one) === 'a');
    const name = pod?.metadata.name ?? '';
    const watching = await here.watchStatuses('moved');
    await here.client.evict(here.key(name));
    await here.eventually(
      async () => (await here.active('moved')).length === 4 && !(await here.active('moved')).some(({ metadata }) => metadata.name === name),
      'another has come',
    );
    await here.untilCounted('moved', 'a 2/0', 'b 2/0');
    await here.untilShown('moved', { 'a 200': 2, 'b 100': 2 });
    const noted = (await watching.stop()).flatMap(({ versionedSubsetStatuses = {} }) => versionedSubsetStatuses['versionIgnored'] ?? []);
    const going = noted.filter(({ deletingPods = {} }) => Object.hasOwn(deletingPods, name));
    expect(going.map((state) => [state.name, state.missingReplicas])).toContainEqual(['a', 1]);
  });

  it('a Pod that was counted and never came is forgotten after 30 s (20)', async () => {
    const here = world();
    await here.spread(cloneSets, 'ghost', [a(1), b(undefined)]);
    const set = await here.workload(cloneSets, 'ghost', 0);
    await here.untilPodsAreSeen();
    const spec = { containers: [{ name: 'NO NAME', image: here.images.first }] };
    const refused = here.client.create(pods, here.podOf('ghost-x', 'ghost', here.ownerOf(cloneSets, set), spec));
    await expect(refused).rejects.toThrow('spec.containers[0].name');
    const promised = async () => (await here.status('ghost')).versionedSubsetStatuses?.['versionIgnored']?.[0]?.creatingPods ?? {};
    expect(Object.keys(await promised())).toEqual(['ghost-x']);
    await here.setBack('ghost', 'versionedSubsetStatuses/versionIgnored/0/creatingPods/ghost-x', 25);
    await here.eventually(async () => Object.keys(await promised()).length === 0, 'it is forgotten');
    await here.untilEvent('ghost', 'CreatePodFailed');
    await here.scale(cloneSets, 'ghost', 1);
    await here.untilShown('ghost', { 'a 200': 1 });
  });
}

/** The entry of the shared ConfigMap for {@link listedScenarios}. */
const spreadWhiteList = {
  [workloadSpreadWhiteListKey]: JSON.stringify({
    workloads: [{ Group: gameSets.group, Version: gameSets.version, Kind: gameSets.kind, ReplicasPath: 'spec.size' }],
  }),
};
/** Without a path to the number of Pods. */
export const pathlessWhiteList = {
  [workloadSpreadWhiteListKey]: JSON.stringify({ workloads: [{ Group: gameSets.group, Version: gameSets.version, Kind: gameSets.kind }] }),
};

/** @param list makes the white list be so */
export function listedScenarios({
  world,
  list,
}: ScenarioOptions & { readonly list: (data: Readonly<Record<string, string>>) => Promise<void> }): void {
  const game = async (name: string, spec: object): Promise<KubeObject> =>
    world().client.create(gameSets, {
      apiVersion: 'game.example.com/v1',
      kind: 'GameSet',
      metadata: world().key(name),
      spec,
    } as KubeObject);
  const create = async (name: string, set: KubeObject, count: number, labels: Readonly<Record<string, string>> = {}): Promise<void> => {
    const here = world();
    for (let index = 0; index < count; index += 1) {
      const pod = here.podOf(`${name}-${Object.values(labels).join('') || 'x'}${index}`, name, here.ownerOf(gameSets, set));
      await here.client.create(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } });
    }
  };
  const untilListed = async (spread: WorkloadSpread): Promise<void> => {
    // By every replica that may be asked.
    for (let time = 0; time < 10; time += 1) await world().settles('the kind is listed', () => world().refusal(spread), 'none');
    await world().client.create(workloadSpreads, spread);
    await world().untilPodsAreSeen();
  };

  it('a listed kind without a number of Pods is spread by numbers, from the moment that it is listed (12)', async () => {
    const here = world();
    const spread = here.spreadOf(gameSets, 'plain', [a(1), b(4)]);
    expect(await here.refusal(spread)).toContain('white list');
    await list(pathlessWhiteList);
    await untilListed(spread);
    await create('plain', await game('plain', {}), 3);
    await here.untilCounted('plain', 'a 1/0', 'b 2/2');
  });

  it('a listed kind is spread by percentages of the value at its path, and by roles (13)', async () => {
    const here = world();
    await list(spreadWhiteList);
    await untilListed(here.spreadOf(gameSets, 'sized', [a('30%'), b('70%')]));
    const sized = await game('sized', { size: 10 });
    // The list has to have reached both the controller and the webhook before numbers count.
    await here.untilCounted('sized', 'a 0/3', 'b 0/7');
    await create('sized', sized, 6);
    await here.untilCounted('sized', 'a 3/0', 'b 3/4');

    await untilListed(
      here.spreadOf(gameSets, 'roles', [a('50%'), b('50%')], {
        targetFilter: { selector: { matchLabels: { role: 'x' } }, replicasPathList: ['spec.roles.1.size'] },
      }),
    );
    const roles = await game('roles', { size: 9, roles: [{ size: 3 }, { size: 6 }] });
    await here.untilCounted('roles', 'a 0/3', 'b 0/3');
    await create('roles', roles, 4, { role: 'x' });
    await create('roles', roles, 2, { role: 'y' });
    await here.untilCounted('roles', 'a 3/0', 'b 1/2');
    const others = (await here.active('roles')).filter(({ metadata }) => metadata.labels?.['role'] === 'y');
    expect(others.map((pod) => here.subsetOf(pod))).toEqual(['none', 'none']);
  });
}
