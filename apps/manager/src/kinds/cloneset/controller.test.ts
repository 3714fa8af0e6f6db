/** What the status says after a pass that was refused something, over a faithful fake API server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { cloneSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import {
  controllerRevisions,
  instant,
  persistentVolumeClaims,
  podCondition,
  pods,
  type ControllerRevision,
  type Pod,
} from '@kruise/objects';
import { CloneSetPasses, forbidden, onCreate } from './passes.testing.ts';
import { ownerReferenceTo } from '@kruise/kinds/cloneset';
import { kubeletStep } from '../../module/fixtures/kubelet-step.testing.ts';
import type { CloneSetShape } from '@kruise/kinds/cloneset/testing';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

function open(shape: CloneSetShape): CloneSetPasses {
  opened = new AsyncDisposableStack();
  return opened.use(new CloneSetPasses(shape));
}

const quota = 'pods "sample-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';

describe('a pass that is refused something', () => {
  it('says that the revision cannot be created, names no revision that is not there, and says no more of it afterwards', async () => {
    const world = open({ replicas: 1 });
    world.refuse = onCreate('controllerrevisions', forbidden('exceeded quota: revisions'));
    expect((await world.pass()).kind).toBe('Retry');
    expect(world.conditions).toEqual([
      'FailedUpdate : exceeded quota: revisions',
      'Blocked QuotaExceeded: Pods cannot be updated: exceeded quota: revisions',
    ]);
    expect(world.cloneSet.status).toMatchObject({ replicas: 0 });
    expect(world.cloneSet.status?.updateRevision).toBeUndefined();
    expect(world.cloneSet.status?.observedGeneration).toBeUndefined();
    const { resourceVersion } = world.cloneSet.metadata;
    await world.pass();
    expect(world.cloneSet.metadata.resourceVersion).toBe(resourceVersion);

    world.refuse = () => undefined;
    for (let i = 0; i < 6; i++) await world.pass();
    expect(world.conditions).toEqual([]);
    expect(world.cloneSet.status?.replicas).toBe(1);
  });

  it('keeps the count of a name that was taken in a status that has every counter, the first one included', async () => {
    const first = new CloneSetPasses({ replicas: 1 });
    await first.pass();
    const [taken] = first.api.peekAll(controllerRevisions, 'default');
    await first[Symbol.asyncDispose]();

    const world = open({ replicas: 1, status: undefined });
    world.api.seed(controllerRevisions, {
      metadata: { name: taken?.metadata.name ?? '', namespace: 'default' },
      data: { other: 1 },
      revision: 1,
    });
    await world.pass();
    expect(world.cloneSet.status).toEqual({
      replicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      updatedReplicas: 0,
      updatedReadyReplicas: 0,
      collisionCount: 1,
    });
    expect(world.api.peekAll(controllerRevisions, 'default')).toHaveLength(2);
  });

  it.each([
    { name: 'a quota', error: forbidden(quota), reason: 'QuotaExceeded' },
    { name: 'a webhook', error: forbidden('admission webhook "no.example.com" denied the request: no'), reason: 'AdmissionRefuses' },
    { name: 'missing permissions', error: forbidden('pods is forbidden: User "x" cannot create'), reason: 'ScalingFails' },
  ])('names $name that lets no Pod be created, and is through with it once that is over', async ({ error, reason }) => {
    const world = open({ replicas: 2 });
    await world.pass();
    world.refuse = onCreate('pods', error);
    expect((await world.pass()).kind).toBe('Retry');
    expect(world.conditions).toEqual([
      `FailedScale : ${error.message}`,
      `Blocked ${reason}: Pods cannot be created or deleted: ${error.message}`,
    ]);
    world.refuse = () => undefined;
    for (let i = 0; i < 3; i++) await world.pass();
    expect(world.conditions).toEqual([]);
    expect(world.api.peekAll(pods, 'default')).toHaveLength(2);
  });

  it('says that a claim cannot be created', async () => {
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const world = open({ replicas: 1, spec: { volumeClaimTemplates: [claim] as never } });
    await world.pass();
    world.refuse = onCreate('persistentvolumeclaims', forbidden('exceeded quota: storage'));
    await world.pass();
    expect(world.conditions[0]).toBe('FailedScale : exceeded quota: storage');
    expect(world.conditions[1]).toMatch(/^Blocked QuotaExceeded/);
    expect(world.api.peekAll(pods, 'default')).toEqual([]);
  });

  it('says what keeps its ground work from being done, and counts its Pods all the same', async () => {
    const world = open({ replicas: 1 });
    for (let i = 0; i < 3; i++) await world.pass();
    const left = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'data-sample-gone1',
        namespace: 'default',
        labels: { 'apps.kruise.io/cloneset-instance-id': 'gone1' },
        ownerReferences: [ownerReferenceTo(world.cloneSet)],
      },
    };
    world.api.seed(persistentVolumeClaims, left);
    world.refuse = ({ verb, type }) =>
      verb === 'delete' && type?.plural === 'persistentvolumeclaims' ? forbidden('admission webhook "keep" denied the request') : undefined;
    expect((await world.pass()).kind).toBe('Retry');
    expect(world.conditions).toEqual([
      'FailedScale : admission webhook "keep" denied the request',
      'Blocked AdmissionRefuses: Pods cannot be created or deleted: admission webhook "keep" denied the request',
    ]);
    expect(world.cloneSet.status?.replicas).toBe(1);
    world.refuse = () => undefined;
    for (let i = 0; i < 2; i++) await world.pass();
    expect(world.conditions).toEqual([]);
    expect(world.api.peekAll(persistentVolumeClaims, 'default')).toEqual([]);
  });
});

describe('Pods of an older revision that mounts a claim which is no longer made', () => {
  it('are said to be what fails, and those of the update revision are made all the same', async () => {
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const world = open({ replicas: 1, spec: { volumeClaimTemplates: [claim] as never } });
    for (let i = 0; i < 3; i++) await world.pass();
    const { currentRevision = '' } = world.cloneSet.status ?? {};
    const { cloneSet } = world;
    const rollingUpdate = { ...cloneSet.spec.updateStrategy?.rollingUpdate, partition: 2 };
    world.api.seed(cloneSets, {
      ...cloneSet,
      metadata: { ...cloneSet.metadata, generation: 2 },
      spec: {
        ...cloneSet.spec,
        replicas: 4,
        volumeClaimTemplates: [],
        updateStrategy: { type: 'RollingUpdate', rollingUpdate },
        template: { ...cloneSet.spec.template, spec: { containers: [{ name: 'main', image: 'app:2' }] } },
      },
    });
    const invalid = new ApiError('volumeMounts[0].name: Not found: "data"', { kind: 'Invalid', causes: [] }, { code: 422 });
    world.refuse = ({ verb, type, body }) => {
      const carried = (body as { readonly metadata?: { readonly labels?: Record<string, string> } } | undefined)?.metadata?.labels;
      return verb === 'create' && type?.plural === 'pods' && carried?.['controller-revision-hash'] === currentRevision
        ? invalid
        : undefined;
    };
    for (let i = 0; i < 4; i++) await world.pass();
    expect(world.conditions[0]).toBe(
      `FailedScale : Pods of revision ${currentRevision}, which the partition asks for, cannot be created with the claims of today: volumeMounts[0].name: Not found: "data"`,
    );
    const updated = world.api.peekAll(pods, 'default').filter(({ spec }) => spec.containers[0]?.image === 'app:2');
    expect(updated).toHaveLength(2);
  });
});

describe('writes', () => {
  /** Writes of Pods so far, as verb and subresource; other calls do not count. */
  function recorded(world: CloneSetPasses): string[] {
    const calls: string[] = [];
    world.refuse = ({ verb, type, subresource }) => {
      if (type?.plural === 'pods' && ['create', 'patch', 'update', 'delete'].includes(verb)) calls.push(`${verb} ${subresource}`.trim());
      return undefined;
    };
    return calls;
  }
  const only = (world: CloneSetPasses): Pod => {
    const [pod] = world.api.peekAll(pods, 'default');
    if (pod === undefined) throw new Error('there is no Pod');
    return pod;
  };
  const kubelet = (world: CloneSetPasses): unknown => world.api.seed(pods, kubeletStep(only(world), instant(Date.now())));

  it('a new Pod costs its creation and one write, which makes it Normal and opens its gate', async () => {
    const world = open({ replicas: 1 });
    const calls = recorded(world);
    for (let i = 0; i < 3; i++) await world.pass();
    expect(calls).toEqual(['create']);
    world.api.seed(pods, { ...only(world), spec: { ...only(world).spec, nodeName: 'node1' } });
    for (let i = 0; i < 2; i++) await world.pass();
    expect(calls).toEqual(['create', 'patch status']);
    expect(only(world).metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('Normal');
    expect(only(world).status?.conditions).toEqual([expect.objectContaining({ type: 'InPlaceUpdateReady', status: 'True' })]);
  });

  it('an update in place costs three: out of service, the new image, back in service', async () => {
    const world = open({ replicas: 1, rollingUpdate: { maxUnavailable: 1 } });
    for (let i = 0; i < 3; i++) await world.pass();
    kubelet(world);
    await world.pass();
    kubelet(world);
    await world.pass();
    const { cloneSet } = world;
    world.api.seed(cloneSets, {
      ...cloneSet,
      metadata: { ...cloneSet.metadata, generation: 2 },
      spec: { ...cloneSet.spec, template: { ...cloneSet.spec.template, spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    });
    const calls = recorded(world);
    for (let i = 0; i < 3; i++) await world.pass();
    kubelet(world);
    for (let i = 0; i < 3; i++) await world.pass();
    expect(calls).toEqual(['patch status', 'patch', 'patch status']);
    expect(only(world).metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('Normal');
    expect(podCondition(only(world), 'InPlaceUpdateReady')?.status).toBe('True');
  });
});

describe('a revision of the wanted name', () => {
  const stranger = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'sample', uid: 'other-uid', controller: true };

  /** What a CloneSet of this shape calls its first revision, and what that holds. */
  async function firstRevision(): Promise<ControllerRevision> {
    await using first = new CloneSetPasses({ replicas: 1 });
    await first.pass();
    const [made] = first.api.peekAll(controllerRevisions, 'default');
    if (made === undefined) throw new Error('there is no revision');
    const { name, namespace, labels } = made.metadata;
    return { ...made, metadata: { name, namespace, labels } as ControllerRevision['metadata'] };
  }

  it.each<{ name: string; change: (made: ControllerRevision) => object }>([
    { name: 'another owner holds', change: ({ metadata }) => ({ metadata: { ...metadata, ownerReferences: [stranger] } }) },
    { name: 'has lost its labels', change: ({ metadata: { name, namespace } }) => ({ metadata: { name, namespace } }) },
  ])('that $name is used as it is when it holds the same template', async ({ change }) => {
    const made = await firstRevision();
    const world = open({ replicas: 1, spec: { revisionHistoryLimit: 0 } });
    const held = world.api.seed(controllerRevisions, { ...made, ...change(made) });
    await world.pass();
    for (let i = 0; i < 3; i++) await world.pass();
    expect((await world.pass()).kind).toBe('Settled');
    expect(world.cloneSet.status).toMatchObject({ replicas: 1, updateRevision: made.metadata.name });
    expect(world.api.peekAll(pods, 'default').map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).toEqual([
      made.metadata.name,
    ]);
    expect(world.api.peekAll(controllerRevisions, 'default')).toEqual([held]);
  });

  it('that another owner holds with another template is passed over, and the collision is counted', async () => {
    const made = await firstRevision();
    const world = open({ replicas: 1 });
    world.api.seed(controllerRevisions, { ...made, metadata: { ...made.metadata, ownerReferences: [stranger] }, data: { other: 1 } });
    for (let i = 0; i < 4; i++) await world.pass();
    expect(world.cloneSet.status).toMatchObject({ replicas: 1, collisionCount: 1 });
    expect(world.cloneSet.status?.updateRevision).not.toBe(made.metadata.name);
  });

  it('is created again when the one of another owner is deleted', async () => {
    const made = await firstRevision();
    const world = open({ replicas: 1 });
    world.api.seed(controllerRevisions, { ...made, metadata: { ...made.metadata, ownerReferences: [stranger] } });
    for (let i = 0; i < 3; i++) await world.pass();
    await world.api.delete(controllerRevisions, { namespace: 'default', name: made.metadata.name });
    for (let i = 0; i < 3; i++) await world.pass();
    const [own] = world.api.peekAll(controllerRevisions, 'default');
    expect(own?.metadata.name).toBe(made.metadata.name);
    expect(own?.metadata.ownerReferences).toEqual([ownerReferenceTo(world.cloneSet)]);
  });

  it('is not created again for a deleted CloneSet, even before its deletion is seen', async () => {
    const world = open({ replicas: 1 });
    for (let i = 0; i < 3; i++) await world.pass();
    const [own] = world.api.peekAll(controllerRevisions, 'default');
    await world.api.delete(controllerRevisions, { namespace: 'default', name: own?.metadata.name ?? '' });
    await world.clock.settle();
    world.api.holdWatches();
    const { metadata } = world.cloneSet;
    world.api.seed(cloneSets, { ...world.cloneSet, metadata: { ...metadata, finalizers: ['foregroundDeletion'] } });
    await world.api.delete(cloneSets, { namespace: 'default', name: metadata.name });
    expect(world.cloneSet.metadata.deletionTimestamp).toBeDefined();
    for (let i = 0; i < 2; i++) await world.pass();
    expect(world.api.peekAll(controllerRevisions, 'default')).toEqual([]);
  });
});

describe('podsToDelete', () => {
  it('keeps what the user lists during a pass, and removes deleted Pods in the next one', async () => {
    const world = open({ replicas: 1, spec: { scaleStrategy: { podsToDelete: ['sample-gone'] } } });
    await world.pass();
    const list = (podsToDelete: readonly string[]): unknown =>
      world.api.seed(cloneSets, { ...world.cloneSet, spec: { ...world.cloneSet.spec, scaleStrategy: { podsToDelete } } });
    const listed = (): readonly string[] | undefined => world.cloneSet.spec.scaleStrategy?.podsToDelete;
    world.refuse = ({ verb, type }) => {
      if (verb !== 'create' || type?.plural !== 'pods') return undefined;
      list(['sample-gone', 'sample-added']);
      return undefined;
    };
    await world.pass();
    expect(listed()).toEqual(['sample-gone', 'sample-added']);
    for (let i = 0; i < 2; i++) await world.pass();
    expect(listed() ?? []).toEqual([]);
  });
});

describe('more Pods than one burst', () => {
  const count = (world: CloneSetPasses): number => world.api.peekAll(pods, 'default').length;

  it('all come up, and all go when the CloneSet is scaled in', async () => {
    const world = open({ replicas: 1200 });
    await world.pass();
    const created: number[] = [];
    for (let i = 0; i < 4; i++) {
      await world.pass();
      created.push(count(world));
    }
    expect(created).toEqual([500, 1000, 1200, 1200]);

    world.api.seed(cloneSets, { ...world.cloneSet, spec: { ...world.cloneSet.spec, replicas: 0 } });
    const left: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const outcome = await world.pass();
      left.push([count(world), outcome.kind === 'Requeue' && outcome.after === 0]);
    }
    expect(left).toEqual([
      [700, true],
      [200, true],
      [0, false],
      [0, false],
    ]);
    await world.pass(); // the counters have been gathered
    expect(world.cloneSet.status?.replicas).toBe(0);
  });
});
