/** Writes that the API server refuses for one object, or never answers: the others go on, and the limits hold. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { annotations, cloneSetLabels, cloneSets, labels, type CloneSet } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { instant, persistentVolumeClaims, pods, type Pod } from '@kruise/objects';
import { apiFailures, type FakeApi, type FakeCall } from '@kruise/kube/testing';
import { cloneSetController } from '../controller.ts';
import { CloneSetPasses, forbidden, type Refuse } from '../passes.testing.ts';
import { ownerReferenceTo } from '@kruise/kinds/cloneset';
import { kubeletStep, withKruisePodReady } from '../../../module/fixtures/kubelet-step.testing.ts';
import { asNew, type ControllerProcess } from '../../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../../module/in-memory-cluster.testing.ts';
import { aCloneSet, type CloneSetShape } from '@kruise/kinds/cloneset/testing';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

const denied = forbidden('admission webhook "no.example.com" denied the request: no');
const claimTemplate = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
const withClaims = { volumeClaimTemplates: [claimTemplate] as never };

const podsOf = (world: CloneSetPasses): readonly Pod[] => world.api.peekAll(pods, 'default');
const stayingIn = (world: CloneSetPasses): readonly Pod[] =>
  podsOf(world).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
const imageOf = (pod: Pod): string | undefined => pod.spec.containers[0]?.image;

function change(world: CloneSetPasses, spec: Partial<CloneSet['spec']>): void {
  const { cloneSet } = world;
  const metadata = { ...cloneSet.metadata, generation: (cloneSet.metadata.generation ?? 0) + 1 };
  world.api.seed(cloneSets, { ...cloneSet, metadata, spec: { ...cloneSet.spec, ...spec } });
}

const changeImage = (world: CloneSetPasses, image: string): void =>
  change(world, { template: { ...world.cloneSet.spec.template, spec: { containers: [{ name: 'main', image }] } } });

function label(world: CloneSetPasses, pod: Pod, added: Readonly<Record<string, string>>): void {
  world.api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...added } } });
}

/** Runs passes and kubelets in turn. */
async function run(world: CloneSetPasses, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await world.pass();
    for (const pod of podsOf(world)) {
      if (pod.metadata.deletionTimestamp === undefined)
        world.api.seed(pods, kubeletStep(withKruisePodReady(pod), instant(world.clock.now())));
      else await world.api.delete(pods, { namespace: 'default', name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    }
  }
}

/** A CloneSet whose Pods are all available. */
async function running(shape: CloneSetShape): Promise<CloneSetPasses> {
  opened = new AsyncDisposableStack();
  const world = opened.use(new CloneSetPasses(shape));
  await run(world, 4);
  return world;
}

const refusing =
  (verb: string, plural: string, error: Error = denied): Refuse =>
  (call) =>
    call.verb === verb && call.type?.plural === plural ? error : undefined;

describe('an action that fails after its first write', () => {
  it('counts as done: no update begins beside a Pod whose claim could not be deleted with it', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 }, spec: withClaims });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(world, 'app:2');
    await world.pass(); // the revision
    world.refuse = refusing('delete', 'persistentvolumeclaims');
    await world.pass();
    expect(stayingIn(world).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1']);
  });

  it('counts as done when its answer was lost: no update begins beside a deletion that may have happened', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(world, 'app:2');
    await world.pass(); // the revision
    world.refuse = refusing('delete', 'pods', new ApiError('no answer came', { kind: 'Unreachable', cause: undefined }));
    await world.pass();
    expect(stayingIn(world).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });

  it('counts as done when a Pod was taken out of service and could not be labelled', async () => {
    const preDelete = { labelsHandler: { hold: 'yes' }, markPodNotReady: true };
    const template = {
      metadata: { labels: { app: 'sample', hold: 'yes' } },
      spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
    };
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 }, spec: { lifecycle: { preDelete }, template } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(world, 'app:2');
    await world.pass(); // the revision
    let writes = 0;
    world.refuse = ({ verb, type, key }) =>
      verb === 'patch' && type?.plural === 'pods' && key?.name === first?.metadata.name && ++writes > 1 ? denied : undefined;
    await world.pass();
    expect(writes).toBe(2);
    expect(podsOf(world).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });
});

describe('a deletion whose answer was lost', () => {
  it('costs no other Pod while the watch is late', async () => {
    const world = await running({ replicas: 4 });
    change(world, { replicas: 1 });
    let losses = 1;
    world.faults.after = ({ verb, type }): void => {
      if (verb === 'delete' && type?.plural === 'pods' && losses-- > 0) throw apiFailures.unreachable();
    };
    world.api.holdWatches(pods);
    await world.pass();
    const ended = podsOf(world).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const { metadata } of ended)
      await world.api.delete(pods, { namespace: 'default', name: metadata.name }, { gracePeriodSeconds: 0 });
    for (let passes = 0; passes < 3; passes++) await world.pass();
    expect([ended.length, stayingIn(world).length]).toEqual([3, 1]);
    world.api.releaseWatches();
    await run(world, 3);
    expect(podsOf(world)).toHaveLength(1);
  });

  it('of a claim leaves no Pod without its claim, when a Pod of the same name is created while the watch is late', async () => {
    const world = await running({ replicas: 2, spec: { ...withClaims, scaleStrategy: { enablePVCReuse: true } } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    let losses = 1;
    world.faults.after = ({ verb, type }): void => {
      if (verb === 'delete' && type?.plural === 'persistentvolumeclaims' && losses-- > 0) throw apiFailures.unreachable();
    };
    world.api.holdWatches(persistentVolumeClaims);
    await run(world, 6);
    world.api.releaseWatches();
    await run(world, 2);
    const claims = world.api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
    expect(claims).toEqual(podsOf(world).map(({ metadata }) => `data-${metadata.name}`));
    expect([
      losses,
      podsOf(world)
        .map(({ metadata }) => metadata.name)
        .includes(first?.metadata.name ?? ''),
    ]).toEqual([0, true]);
  });
});

describe('a claim without a Pod of the CloneSet', () => {
  const claimsOf = (world: CloneSetPasses): readonly string[] =>
    world.api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);

  it('of a Pod that is released is handed over to that Pod', async () => {
    const world = await running({ replicas: 2, spec: withClaims });
    const [first] = podsOf(world);
    label(world, first as Pod, { app: 'debugged' });
    await run(world, 6);
    const pod = podsOf(world).find(({ metadata }) => metadata.name === first?.metadata.name);
    expect(pod?.metadata.ownerReferences ?? []).toEqual([]);
    expect(claimsOf(world)).toHaveLength(3);
    const used = world.api.peek(persistentVolumeClaims, { namespace: 'default', name: `data-${first?.metadata.name ?? ''}` });
    expect(used?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'Pod', name: first?.metadata.name, controller: true }),
    ]);
  });

  it('of a running Pod that lost its instance id stays', async () => {
    const world = await running({ replicas: 2, spec: withClaims });
    const before = claimsOf(world);
    label(world, podsOf(world)[0] as Pod, { [cloneSetLabels.instanceId]: '' });
    await run(world, 4);
    expect(claimsOf(world)).toEqual(before);
  });

  it('is not deleted while the server has a Pod that mounts it, whatever the cache says', async () => {
    const world = await running({ replicas: 1, spec: withClaims });
    const left = { name: 'data-sample-late1', namespace: 'default', labels: { [cloneSetLabels.instanceId]: 'late1' } };
    const ownerReferences = [ownerReferenceTo(world.cloneSet)];
    world.api.seed(persistentVolumeClaims, { metadata: { ...left, ownerReferences } });
    await world.clock.settle();
    world.api.holdWatches();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: left.name } }];
    world.api.seed(pods, { metadata: { ...left, name: 'sample-late1', ownerReferences }, spec: { containers: [], volumes } });
    await world.pass();
    expect(claimsOf(world)).toContain(left.name);
    world.api.releaseWatches();
  });
});

describe('a Pod that cannot be created, without reuse of claims,', () => {
  const key = { namespace: 'default', name: 'sample' };
  const claims = (api: FakeApi): readonly string[] => api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
  const creationsOf = (api: FakeApi, plural: string): number =>
    api.calls.filter((call) => call.verb === 'create' && call.type?.plural === plural).length;

  /** A controller that runs by itself, with one CloneSet of one Pod. */
  function begin(before: (call: FakeCall) => void): { readonly api: FakeApi; readonly manager: ControllerProcess } {
    const cluster = new InMemoryCluster(cloneSetController);
    const { api } = cluster;
    api.seed(cloneSets, asNew(aCloneSet({ replicas: 1, spec: withClaims })));
    return { api, manager: cluster.begin({ before }) };
  }

  it('costs one claim, and a number of tries that its backoff bounds', async () => {
    const { api, manager } = begin(({ verb, type }) => {
      if (verb === 'create' && type?.plural === 'pods') throw denied;
    });
    for (let second = 0; second < 300; second++) await manager.clock.step(1000);
    expect(creationsOf(api, 'persistentvolumeclaims')).toBe(1);
    expect(creationsOf(api, 'pods')).toBeGreaterThan(8);
    expect(creationsOf(api, 'pods')).toBeLessThan(12);
    await manager.stop();
  });

  it('uses the claim that was made for it once it can be', async () => {
    let isRefusing = true;
    const { api, manager } = begin(({ verb, type }) => {
      if (isRefusing && verb === 'create' && type?.plural === 'pods') throw denied;
    });
    await manager.clock.step(10_000);
    const made = claims(api);
    isRefusing = false;
    await manager.clock.step(60_000);
    const [pod] = api.peekAll(pods, 'default');
    expect([made, claims(api)]).toEqual([[`data-${pod?.metadata.name ?? ''}`], made]);
    await manager.stop();
  });

  it('loses the claim that was made for it once it is not wanted any more', async () => {
    const { api, manager } = begin(({ verb, type }) => {
      if (verb === 'create' && type?.plural === 'pods') throw denied;
    });
    await manager.clock.step(10_000);
    const held = api.peek(cloneSets, key) as CloneSet;
    api.seed(cloneSets, { ...held, metadata: { ...held.metadata, generation: 2 }, spec: { ...held.spec, replicas: 0 } });
    await manager.clock.step(60_000);
    expect(claims(api)).toEqual([]);
    await manager.stop();
  });

  it('as far as the controller knows, is found, and keeps its claim, when only the answer was lost', async () => {
    const world = await running({ replicas: 1, spec: withClaims });
    let isLosing = true;
    world.faults.after = ({ verb, type }): void => {
      if (isLosing && verb === 'create' && type?.plural === 'pods') throw apiFailures.unreachable();
    };
    world.api.holdWatches();
    change(world, { replicas: 2 });
    world.api.releaseWatches();
    await world.clock.settle();
    world.api.holdWatches();
    await world.pass();
    isLosing = false;
    await world.pass();
    world.api.releaseWatches();
    await run(world, 3);
    expect(podsOf(world)).toHaveLength(2);
    expect(claims(world.api)).toEqual(podsOf(world).map(({ metadata }) => `data-${metadata.name}`));
  });
});

describe('an action that is refused before it wrote anything', () => {
  it('leaves the room to updates', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2 } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(world, 'app:2');
    await world.pass(); // the revision
    world.refuse = refusing('delete', 'pods');
    await world.pass();
    expect(
      podsOf(world)
        .map(imageOf)
        .filter((image) => image === 'app:2'),
    ).not.toEqual([]);
  });
});

describe('one object that is refused something', () => {
  const limited = { maxUnavailable: 1 };
  const isNamed =
    (name: string | undefined, ...verbs: readonly string[]): Refuse =>
    (call) =>
      call.key.name === name && verbs.includes(call.verb) ? denied : undefined;
  const updated = (world: CloneSetPasses): number => podsOf(world).filter((pod) => imageOf(pod) === 'app:2').length;

  it('a claim that may not be deleted keeps no Pod from being created or updated', async () => {
    const world = await running({ replicas: 3, rollingUpdate: limited, spec: withClaims });
    const left = { name: 'data-sample-gone1', namespace: 'default', labels: { [cloneSetLabels.instanceId]: 'gone1' } };
    world.api.seed(persistentVolumeClaims, { metadata: { ...left, ownerReferences: [ownerReferenceTo(world.cloneSet)] } });
    world.refuse = isNamed(left.name, 'delete');
    changeImage(world, 'app:2');
    change(world, { replicas: 4 });
    await run(world, 30);
    expect([podsOf(world).length, updated(world)]).toEqual([4, 4]);
    expect(world.conditions[0]).toBe(`FailedScale : ${denied.message}`);
  });

  it('a Pod that may not be released keeps none from being created or updated', async () => {
    const world = await running({ replicas: 3, rollingUpdate: limited });
    const [first] = podsOf(world);
    label(world, first as Pod, { app: 'debugged' });
    world.refuse = isNamed(first?.metadata.name, 'patch');
    changeImage(world, 'app:2');
    await run(world, 30);
    expect([podsOf(world).length, updated(world)]).toEqual([4, 3]);
  });

  it('a Pod whose lifecycle may not move keeps none from being updated', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2 } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.lifecycleState]: 'PreparingNormal' });
    world.refuse = isNamed(first?.metadata.name, 'patch');
    changeImage(world, 'app:2');
    await run(world, 30);
    expect(updated(world)).toBe(3);
  });

  it('a Pod whose annotations cannot be read keeps none from being updated', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(world) as [Pod];
    const { metadata } = first;
    const odd = { ...metadata.annotations, [annotations.inPlaceUpdateGrace]: '{"revision":"x","graceSeconds":1}' };
    world.api.seed(pods, { ...first, metadata: { ...metadata, annotations: odd } });
    changeImage(world, 'app:2');
    await run(world, 30);
    expect(updated(world)).toBe(3);
    expect(world.conditions[0]).toMatch(/^FailedUpdate : Pod sample-/);
  });

  it.each(['InPlaceIfPossible', 'ReCreate'] as const)(
    'a Pod that may not be patched keeps none from its update, and is updated within a minute once it may be (%s)',
    async (podUpdatePolicy) => {
      const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2, podUpdatePolicy } });
      const [first] = podsOf(world);
      world.refuse = (call) => (call.subresource === '' ? isNamed(first?.metadata.name, 'patch')(call) : undefined);
      changeImage(world, 'app:2');
      await run(world, 150);
      expect(updated(world)).toBe(3);
      world.refuse = () => undefined;
      const allowedAt = world.clock.now();
      for (let round = 0; round < 80 && updated(world) < 4; round++) await run(world, 1);
      expect(updated(world)).toBe(4);
      expect(world.clock.now() - allowedAt).toBeLessThanOrEqual(65_000);
    },
  );

  it('a Pod that may not be deleted keeps none from its recreation', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1, podUpdatePolicy: 'ReCreate' } });
    const [first] = podsOf(world);
    world.refuse = isNamed(first?.metadata.name, 'delete');
    changeImage(world, 'app:2');
    await run(world, 40);
    expect(updated(world)).toBe(3);
    expect(podsOf(world)).toHaveLength(4);
  });

  it.each([
    { name: '', lifecycle: {} },
    { name: ', with a hook that let go of it', lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } } } },
  ])('a Pod that may not be deleted keeps none from being scaled in$name', async ({ lifecycle }) => {
    const world = await running({ replicas: 5, rollingUpdate: { maxUnavailable: 1 }, spec: { lifecycle } });
    const stays = new Set<string>();
    // Whichever is chosen first may not be deleted.
    world.refuse = ({ verb, type, key }) => {
      if (verb !== 'delete' || type?.plural !== 'pods') return undefined;
      if (stays.size === 0) stays.add(key.name);
      return stays.has(key.name) ? denied : undefined;
    };
    change(world, { replicas: 2 });
    await run(world, 30);
    const left = podsOf(world).map(({ metadata }) => metadata.name);
    expect(left).toHaveLength(2);
    expect(stays.size).toBe(1);
  });

  it('a marked Pod that may not be deleted keeps none from being scaled in', async () => {
    const world = await running({ replicas: 5, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(world);
    label(world, first as Pod, { [labels.specifiedDelete]: 'true' });
    world.refuse = isNamed(first?.metadata.name, 'delete');
    change(world, { replicas: 2 });
    await run(world, 30);
    expect(podsOf(world)).toHaveLength(3);
  });

  it('a marked Pod of the update revision that may not be deleted keeps no other from being updated', async () => {
    const rollingUpdate = { podUpdatePolicy: 'ReCreate', maxUnavailable: 2, partition: 1 } as const;
    const world = await running({ replicas: 5, rollingUpdate });
    changeImage(world, 'app:2');
    await run(world, 12);
    const marked = podsOf(world).find((pod) => imageOf(pod) === 'app:2') as Pod;
    world.refuse = (call) => (call.verb === 'delete' && call.key.name === marked.metadata.name ? denied : undefined);
    label(world, marked, { [labels.specifiedDelete]: 'true' });
    await run(world, 2);
    change(world, { replicas: 6 });
    await run(world, 4);
    change(world, { replicas: 5, updateStrategy: { rollingUpdate: { ...rollingUpdate, partition: 0 } } });
    await run(world, 12);
    expect(podsOf(world).filter((pod) => imageOf(pod) === 'app:1')).toEqual([]);
  });

  it('an instance id whose Pod may not be created keeps no other from being created, with reuse of claims', async () => {
    const world = await running({ replicas: 4, spec: { ...withClaims, scaleStrategy: { enablePVCReuse: true } } });
    const names = podsOf(world).map(({ metadata }) => metadata.name);
    for (const name of names) await world.api.delete(pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 });
    world.refuse = isNamed(names[0], 'create');
    await run(world, 10);
    expect(podsOf(world).map(({ metadata }) => metadata.name)).toEqual(names.slice(1));
  });
});

describe('surge that a quota leaves no room for', () => {
  it('does not keep the update from going on within maxUnavailable', async () => {
    const world = await running({
      replicas: 4,
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1, podUpdatePolicy: 'ReCreate' },
    });
    world.refuse = ({ verb, type }) => (verb === 'create' && type?.plural === 'pods' && podsOf(world).length >= 4 ? denied : undefined);
    changeImage(world, 'app:2');
    for (let round = 0; round < 60; round++) {
      await run(world, 1);
      expect(stayingIn(world).length).toBeGreaterThanOrEqual(3);
    }
    expect(podsOf(world).map(imageOf)).toEqual(['app:2', 'app:2', 'app:2', 'app:2']);
  });

  it('keeps an update that may take no Pod out of service', async () => {
    const world = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 0, maxSurge: 1, podUpdatePolicy: 'ReCreate' } });
    world.refuse = refusing('create', 'pods');
    changeImage(world, 'app:2');
    await run(world, 30);
    expect(stayingIn(world).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });
});
