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

const podsOf = (passes: CloneSetPasses): readonly Pod[] => passes.api.peekAll(pods, 'default');
const stayingIn = (passes: CloneSetPasses): readonly Pod[] =>
  podsOf(passes).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
const imageOf = (pod: Pod): string | undefined => pod.spec.containers[0]?.image;

function change(passes: CloneSetPasses, spec: Partial<CloneSet['spec']>): void {
  const { cloneSet } = passes;
  const metadata = { ...cloneSet.metadata, generation: (cloneSet.metadata.generation ?? 0) + 1 };
  passes.api.seed(cloneSets, { ...cloneSet, metadata, spec: { ...cloneSet.spec, ...spec } });
}

const changeImage = (passes: CloneSetPasses, image: string): void =>
  change(passes, { template: { ...passes.cloneSet.spec.template, spec: { containers: [{ name: 'main', image }] } } });

function label(passes: CloneSetPasses, pod: Pod, added: Readonly<Record<string, string>>): void {
  passes.api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...added } } });
}

/** Runs passes and kubelets in turn. */
async function run(passes: CloneSetPasses, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await passes.pass();
    for (const pod of podsOf(passes)) {
      if (pod.metadata.deletionTimestamp === undefined)
        passes.api.seed(pods, kubeletStep(withKruisePodReady(pod), instant(passes.clock.now())));
      else await passes.api.delete(pods, { namespace: 'default', name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    }
  }
}

/** A CloneSet whose Pods are all available. */
async function running(shape: CloneSetShape): Promise<CloneSetPasses> {
  opened = new AsyncDisposableStack();
  const passes = opened.use(new CloneSetPasses(shape));
  await run(passes, 4);
  return passes;
}

const refusing =
  (verb: string, plural: string, error: Error = denied): Refuse =>
  (call) =>
    call.verb === verb && call.type?.plural === plural ? error : undefined;

describe('an action that fails after its first write', () => {
  it('counts as done: no update begins beside a Pod whose claim could not be deleted with it', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 }, spec: withClaims });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(passes, 'app:2');
    await passes.pass(); // the revision
    passes.refuse = refusing('delete', 'persistentvolumeclaims');
    await passes.pass();
    expect(stayingIn(passes).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1']);
  });

  it('counts as done when its answer was lost: no update begins beside a deletion that may have happened', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(passes, 'app:2');
    await passes.pass(); // the revision
    passes.refuse = refusing('delete', 'pods', new ApiError('no answer came', { kind: 'Unreachable', cause: undefined }));
    await passes.pass();
    expect(stayingIn(passes).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });

  it('counts as done when a Pod was taken out of service and could not be labelled', async () => {
    const preDelete = { labelsHandler: { hold: 'yes' }, markPodNotReady: true };
    const template = {
      metadata: { labels: { app: 'sample', hold: 'yes' } },
      spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
    };
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 }, spec: { lifecycle: { preDelete }, template } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(passes, 'app:2');
    await passes.pass(); // the revision
    let writes = 0;
    passes.refuse = ({ verb, type, key }) =>
      verb === 'patch' && type?.plural === 'pods' && key?.name === first?.metadata.name && ++writes > 1 ? denied : undefined;
    await passes.pass();
    expect(writes).toBe(2);
    expect(podsOf(passes).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });
});

describe('a deletion whose answer was lost', () => {
  it('costs no other Pod while the watch is late', async () => {
    const passes = await running({ replicas: 4 });
    change(passes, { replicas: 1 });
    let losses = 1;
    passes.faults.after = ({ verb, type }): void => {
      if (verb === 'delete' && type?.plural === 'pods' && losses-- > 0) throw apiFailures.unreachable();
    };
    passes.api.holdWatches(pods);
    await passes.pass();
    const ended = podsOf(passes).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const { metadata } of ended)
      await passes.api.delete(pods, { namespace: 'default', name: metadata.name }, { gracePeriodSeconds: 0 });
    for (let pass = 0; pass < 3; pass++) await passes.pass();
    expect([ended.length, stayingIn(passes).length]).toEqual([3, 1]);
    passes.api.releaseWatches();
    await run(passes, 3);
    expect(podsOf(passes)).toHaveLength(1);
  });

  it('of a claim leaves no Pod without its claim, when a Pod of the same name is created while the watch is late', async () => {
    const passes = await running({ replicas: 2, spec: { ...withClaims, scaleStrategy: { enablePVCReuse: true } } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    let losses = 1;
    passes.faults.after = ({ verb, type }): void => {
      if (verb === 'delete' && type?.plural === 'persistentvolumeclaims' && losses-- > 0) throw apiFailures.unreachable();
    };
    passes.api.holdWatches(persistentVolumeClaims);
    await run(passes, 6);
    passes.api.releaseWatches();
    await run(passes, 2);
    const claims = passes.api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
    expect(claims).toEqual(podsOf(passes).map(({ metadata }) => `data-${metadata.name}`));
    expect([
      losses,
      podsOf(passes)
        .map(({ metadata }) => metadata.name)
        .includes(first?.metadata.name ?? ''),
    ]).toEqual([0, true]);
  });
});

describe('a claim without a Pod of the CloneSet', () => {
  const claimsOf = (passes: CloneSetPasses): readonly string[] =>
    passes.api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);

  it('of a Pod that is released is handed over to that Pod', async () => {
    const passes = await running({ replicas: 2, spec: withClaims });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { app: 'debugged' });
    await run(passes, 6);
    const pod = podsOf(passes).find(({ metadata }) => metadata.name === first?.metadata.name);
    expect(pod?.metadata.ownerReferences ?? []).toEqual([]);
    expect(claimsOf(passes)).toHaveLength(3);
    const used = passes.api.peek(persistentVolumeClaims, { namespace: 'default', name: `data-${first?.metadata.name ?? ''}` });
    expect(used?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'Pod', name: first?.metadata.name, controller: true }),
    ]);
  });

  it('of a running Pod that lost its instance id stays', async () => {
    const passes = await running({ replicas: 2, spec: withClaims });
    const before = claimsOf(passes);
    label(passes, podsOf(passes)[0] as Pod, { [cloneSetLabels.instanceId]: '' });
    await run(passes, 4);
    expect(claimsOf(passes)).toEqual(before);
  });

  it('is not deleted while the server has a Pod that mounts it, whatever the cache says', async () => {
    const passes = await running({ replicas: 1, spec: withClaims });
    const left = { name: 'data-sample-late1', namespace: 'default', labels: { [cloneSetLabels.instanceId]: 'late1' } };
    const ownerReferences = [ownerReferenceTo(passes.cloneSet)];
    passes.api.seed(persistentVolumeClaims, { metadata: { ...left, ownerReferences } });
    await passes.clock.settle();
    passes.api.holdWatches();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: left.name } }];
    passes.api.seed(pods, { metadata: { ...left, name: 'sample-late1', ownerReferences }, spec: { containers: [], volumes } });
    await passes.pass();
    expect(claimsOf(passes)).toContain(left.name);
    passes.api.releaseWatches();
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
    const passes = await running({ replicas: 1, spec: withClaims });
    let isLosing = true;
    passes.faults.after = ({ verb, type }): void => {
      if (isLosing && verb === 'create' && type?.plural === 'pods') throw apiFailures.unreachable();
    };
    passes.api.holdWatches();
    change(passes, { replicas: 2 });
    passes.api.releaseWatches();
    await passes.clock.settle();
    passes.api.holdWatches();
    await passes.pass();
    isLosing = false;
    await passes.pass();
    passes.api.releaseWatches();
    await run(passes, 3);
    expect(podsOf(passes)).toHaveLength(2);
    expect(claims(passes.api)).toEqual(podsOf(passes).map(({ metadata }) => `data-${metadata.name}`));
  });
});

describe('an action that is refused before it wrote anything', () => {
  it('leaves the room to updates', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2 } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    changeImage(passes, 'app:2');
    await passes.pass(); // the revision
    passes.refuse = refusing('delete', 'pods');
    await passes.pass();
    expect(
      podsOf(passes)
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
  const updated = (passes: CloneSetPasses): number => podsOf(passes).filter((pod) => imageOf(pod) === 'app:2').length;

  it('a claim that may not be deleted keeps no Pod from being created or updated', async () => {
    const passes = await running({ replicas: 3, rollingUpdate: limited, spec: withClaims });
    const left = { name: 'data-sample-gone1', namespace: 'default', labels: { [cloneSetLabels.instanceId]: 'gone1' } };
    passes.api.seed(persistentVolumeClaims, { metadata: { ...left, ownerReferences: [ownerReferenceTo(passes.cloneSet)] } });
    passes.refuse = isNamed(left.name, 'delete');
    changeImage(passes, 'app:2');
    change(passes, { replicas: 4 });
    await run(passes, 30);
    expect([podsOf(passes).length, updated(passes)]).toEqual([4, 4]);
    expect(passes.conditions[0]).toBe(`FailedScale : ${denied.message}`);
  });

  it('a Pod that may not be released keeps none from being created or updated', async () => {
    const passes = await running({ replicas: 3, rollingUpdate: limited });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { app: 'debugged' });
    passes.refuse = isNamed(first?.metadata.name, 'patch');
    changeImage(passes, 'app:2');
    await run(passes, 30);
    expect([podsOf(passes).length, updated(passes)]).toEqual([4, 3]);
  });

  it('a Pod whose lifecycle may not move keeps none from being updated', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2 } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.lifecycleState]: 'PreparingNormal' });
    passes.refuse = isNamed(first?.metadata.name, 'patch');
    changeImage(passes, 'app:2');
    await run(passes, 30);
    expect(updated(passes)).toBe(3);
  });

  it('a Pod whose annotations cannot be read keeps none from being updated', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(passes) as [Pod];
    const { metadata } = first;
    const odd = { ...metadata.annotations, [annotations.inPlaceUpdateGrace]: '{"revision":"x","graceSeconds":1}' };
    passes.api.seed(pods, { ...first, metadata: { ...metadata, annotations: odd } });
    changeImage(passes, 'app:2');
    await run(passes, 30);
    expect(updated(passes)).toBe(3);
    expect(passes.conditions[0]).toMatch(/^FailedUpdate : Pod sample-/);
  });

  it.each(['InPlaceIfPossible', 'ReCreate'] as const)(
    'a Pod that may not be patched keeps none from its update, and is updated within a minute once it may be (%s)',
    async (podUpdatePolicy) => {
      const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 2, podUpdatePolicy } });
      const [first] = podsOf(passes);
      passes.refuse = (call) => (call.subresource === '' ? isNamed(first?.metadata.name, 'patch')(call) : undefined);
      changeImage(passes, 'app:2');
      await run(passes, 150);
      expect(updated(passes)).toBe(3);
      passes.refuse = () => undefined;
      const allowedAt = passes.clock.now();
      for (let round = 0; round < 80 && updated(passes) < 4; round++) await run(passes, 1);
      expect(updated(passes)).toBe(4);
      expect(passes.clock.now() - allowedAt).toBeLessThanOrEqual(65_000);
    },
  );

  it('a Pod that may not be deleted keeps none from its recreation', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 1, podUpdatePolicy: 'ReCreate' } });
    const [first] = podsOf(passes);
    passes.refuse = isNamed(first?.metadata.name, 'delete');
    changeImage(passes, 'app:2');
    await run(passes, 40);
    expect(updated(passes)).toBe(3);
    expect(podsOf(passes)).toHaveLength(4);
  });

  it.each([
    { name: '', lifecycle: {} },
    { name: ', with a hook that let go of it', lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } } } },
  ])('a Pod that may not be deleted keeps none from being scaled in$name', async ({ lifecycle }) => {
    const passes = await running({ replicas: 5, rollingUpdate: { maxUnavailable: 1 }, spec: { lifecycle } });
    const stays = new Set<string>();
    // Whichever is chosen first may not be deleted.
    passes.refuse = ({ verb, type, key }) => {
      if (verb !== 'delete' || type?.plural !== 'pods') return undefined;
      if (stays.size === 0) stays.add(key.name);
      return stays.has(key.name) ? denied : undefined;
    };
    change(passes, { replicas: 2 });
    await run(passes, 30);
    const left = podsOf(passes).map(({ metadata }) => metadata.name);
    expect(left).toHaveLength(2);
    expect(stays.size).toBe(1);
  });

  it('a marked Pod that may not be deleted keeps none from being scaled in', async () => {
    const passes = await running({ replicas: 5, rollingUpdate: { maxUnavailable: 1 } });
    const [first] = podsOf(passes);
    label(passes, first as Pod, { [labels.specifiedDelete]: 'true' });
    passes.refuse = isNamed(first?.metadata.name, 'delete');
    change(passes, { replicas: 2 });
    await run(passes, 30);
    expect(podsOf(passes)).toHaveLength(3);
  });

  it('a marked Pod of the update revision that may not be deleted keeps no other from being updated', async () => {
    const rollingUpdate = { podUpdatePolicy: 'ReCreate', maxUnavailable: 2, partition: 1 } as const;
    const passes = await running({ replicas: 5, rollingUpdate });
    changeImage(passes, 'app:2');
    await run(passes, 12);
    const marked = podsOf(passes).find((pod) => imageOf(pod) === 'app:2') as Pod;
    passes.refuse = (call) => (call.verb === 'delete' && call.key.name === marked.metadata.name ? denied : undefined);
    label(passes, marked, { [labels.specifiedDelete]: 'true' });
    await run(passes, 2);
    change(passes, { replicas: 6 });
    await run(passes, 4);
    change(passes, { replicas: 5, updateStrategy: { rollingUpdate: { ...rollingUpdate, partition: 0 } } });
    await run(passes, 12);
    expect(podsOf(passes).filter((pod) => imageOf(pod) === 'app:1')).toEqual([]);
  });

  it('an instance id whose Pod may not be created keeps no other from being created, with reuse of claims', async () => {
    const passes = await running({ replicas: 4, spec: { ...withClaims, scaleStrategy: { enablePVCReuse: true } } });
    const names = podsOf(passes).map(({ metadata }) => metadata.name);
    for (const name of names) await passes.api.delete(pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 });
    passes.refuse = isNamed(names[0], 'create');
    await run(passes, 10);
    expect(podsOf(passes).map(({ metadata }) => metadata.name)).toEqual(names.slice(1));
  });
});

describe('surge that a quota leaves no room for', () => {
  it('does not keep the update from going on within maxUnavailable', async () => {
    const passes = await running({
      replicas: 4,
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1, podUpdatePolicy: 'ReCreate' },
    });
    passes.refuse = ({ verb, type }) => (verb === 'create' && type?.plural === 'pods' && podsOf(passes).length >= 4 ? denied : undefined);
    changeImage(passes, 'app:2');
    for (let round = 0; round < 60; round++) {
      await run(passes, 1);
      expect(stayingIn(passes).length).toBeGreaterThanOrEqual(3);
    }
    expect(podsOf(passes).map(imageOf)).toEqual(['app:2', 'app:2', 'app:2', 'app:2']);
  });

  it('keeps an update that may take no Pod out of service', async () => {
    const passes = await running({ replicas: 4, rollingUpdate: { maxUnavailable: 0, maxSurge: 1, podUpdatePolicy: 'ReCreate' } });
    passes.refuse = refusing('create', 'pods');
    changeImage(passes, 'app:2');
    await run(passes, 30);
    expect(stayingIn(passes).map(imageOf)).toEqual(['app:1', 'app:1', 'app:1', 'app:1']);
  });
});
