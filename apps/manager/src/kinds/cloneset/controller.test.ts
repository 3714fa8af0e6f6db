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
    const passes = open({ replicas: 1 });
    passes.refuse = onCreate('controllerrevisions', forbidden('exceeded quota: revisions'));
    expect((await passes.pass()).kind).toBe('Retry');
    expect(passes.conditions).toEqual([
      'FailedUpdate : exceeded quota: revisions',
      'Blocked QuotaExceeded: Pods cannot be updated: exceeded quota: revisions',
    ]);
    expect(passes.cloneSet.status).toMatchObject({ replicas: 0 });
    expect(passes.cloneSet.status?.updateRevision).toBeUndefined();
    expect(passes.cloneSet.status?.observedGeneration).toBeUndefined();
    const { resourceVersion } = passes.cloneSet.metadata;
    await passes.pass();
    expect(passes.cloneSet.metadata.resourceVersion).toBe(resourceVersion);

    passes.refuse = () => undefined;
    for (let i = 0; i < 6; i++) await passes.pass();
    expect(passes.conditions).toEqual([]);
    expect(passes.cloneSet.status?.replicas).toBe(1);
  });

  it('keeps the count of a name that was taken in a status that has every counter, the first one included', async () => {
    const first = new CloneSetPasses({ replicas: 1 });
    await first.pass();
    const [taken] = first.api.peekAll(controllerRevisions, 'default');
    await first[Symbol.asyncDispose]();

    const passes = open({ replicas: 1, status: undefined });
    passes.api.seed(controllerRevisions, {
      metadata: { name: taken?.metadata.name ?? '', namespace: 'default' },
      data: { other: 1 },
      revision: 1,
    });
    await passes.pass();
    expect(passes.cloneSet.status).toEqual({
      replicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      updatedReplicas: 0,
      updatedReadyReplicas: 0,
      collisionCount: 1,
    });
    expect(passes.api.peekAll(controllerRevisions, 'default')).toHaveLength(2);
  });

  it.each([
    { name: 'a quota', error: forbidden(quota), reason: 'QuotaExceeded' },
    { name: 'a webhook', error: forbidden('admission webhook "no.example.com" denied the request: no'), reason: 'AdmissionRefuses' },
    { name: 'missing permissions', error: forbidden('pods is forbidden: User "x" cannot create'), reason: 'ScalingFails' },
  ])('names $name that lets no Pod be created, and is through with it once that is over', async ({ error, reason }) => {
    const passes = open({ replicas: 2 });
    await passes.pass();
    passes.refuse = onCreate('pods', error);
    expect((await passes.pass()).kind).toBe('Retry');
    expect(passes.conditions).toEqual([
      `FailedScale : ${error.message}`,
      `Blocked ${reason}: Pods cannot be created or deleted: ${error.message}`,
    ]);
    passes.refuse = () => undefined;
    for (let i = 0; i < 3; i++) await passes.pass();
    expect(passes.conditions).toEqual([]);
    expect(passes.api.peekAll(pods, 'default')).toHaveLength(2);
  });

  it('says that a claim cannot be created', async () => {
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const passes = open({ replicas: 1, spec: { volumeClaimTemplates: [claim] as never } });
    await passes.pass();
    passes.refuse = onCreate('persistentvolumeclaims', forbidden('exceeded quota: storage'));
    await passes.pass();
    expect(passes.conditions[0]).toBe('FailedScale : exceeded quota: storage');
    expect(passes.conditions[1]).toMatch(/^Blocked QuotaExceeded/);
    expect(passes.api.peekAll(pods, 'default')).toEqual([]);
  });

  it('says what keeps its ground work from being done, and counts its Pods all the same', async () => {
    const passes = open({ replicas: 1 });
    for (let i = 0; i < 3; i++) await passes.pass();
    const left = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: 'data-sample-gone1',
        namespace: 'default',
        labels: { 'apps.kruise.io/cloneset-instance-id': 'gone1' },
        ownerReferences: [ownerReferenceTo(passes.cloneSet)],
      },
    };
    passes.api.seed(persistentVolumeClaims, left);
    passes.refuse = ({ verb, type }) =>
      verb === 'delete' && type?.plural === 'persistentvolumeclaims' ? forbidden('admission webhook "keep" denied the request') : undefined;
    expect((await passes.pass()).kind).toBe('Retry');
    expect(passes.conditions).toEqual([
      'FailedScale : admission webhook "keep" denied the request',
      'Blocked AdmissionRefuses: Pods cannot be created or deleted: admission webhook "keep" denied the request',
    ]);
    expect(passes.cloneSet.status?.replicas).toBe(1);
    passes.refuse = () => undefined;
    for (let i = 0; i < 2; i++) await passes.pass();
    expect(passes.conditions).toEqual([]);
    expect(passes.api.peekAll(persistentVolumeClaims, 'default')).toEqual([]);
  });
});

describe('Pods of an older revision that mounts a claim which is no longer made', () => {
  it('are said to be what fails, and those of the update revision are made all the same', async () => {
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const passes = open({ replicas: 1, spec: { volumeClaimTemplates: [claim] as never } });
    for (let i = 0; i < 3; i++) await passes.pass();
    const { currentRevision = '' } = passes.cloneSet.status ?? {};
    const { cloneSet } = passes;
    const rollingUpdate = { ...cloneSet.spec.updateStrategy?.rollingUpdate, partition: 2 };
    passes.api.seed(cloneSets, {
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
    passes.refuse = ({ verb, type, body }) => {
      const carried = (body as { readonly metadata?: { readonly labels?: Record<string, string> } } | undefined)?.metadata?.labels;
      return verb === 'create' && type?.plural === 'pods' && carried?.['controller-revision-hash'] === currentRevision
        ? invalid
        : undefined;
    };
    for (let i = 0; i < 4; i++) await passes.pass();
    expect(passes.conditions[0]).toBe(
      `FailedScale : Pods of revision ${currentRevision}, which the partition requires, cannot be created with the current claims: volumeMounts[0].name: Not found: "data"`,
    );
    const updated = passes.api.peekAll(pods, 'default').filter(({ spec }) => spec.containers[0]?.image === 'app:2');
    expect(updated).toHaveLength(2);
  });
});

describe('writes', () => {
  /** Writes of Pods so far, as verb and subresource; other calls do not count. */
  function recorded(passes: CloneSetPasses): string[] {
    const calls: string[] = [];
    passes.refuse = ({ verb, type, subresource }) => {
      if (type?.plural === 'pods' && ['create', 'patch', 'update', 'delete'].includes(verb)) calls.push(`${verb} ${subresource}`.trim());
      return undefined;
    };
    return calls;
  }
  const only = (passes: CloneSetPasses): Pod => {
    const [pod] = passes.api.peekAll(pods, 'default');
    if (pod === undefined) throw new Error('there is no Pod');
    return pod;
  };
  const kubelet = (passes: CloneSetPasses): unknown => passes.api.seed(pods, kubeletStep(only(passes), instant(Date.now())));

  it('a new Pod costs its creation and one write, which makes it Normal and opens its gate', async () => {
    const passes = open({ replicas: 1 });
    const calls = recorded(passes);
    for (let i = 0; i < 3; i++) await passes.pass();
    expect(calls).toEqual(['create']);
    passes.api.seed(pods, { ...only(passes), spec: { ...only(passes).spec, nodeName: 'node1' } });
    for (let i = 0; i < 2; i++) await passes.pass();
    expect(calls).toEqual(['create', 'patch status']);
    expect(only(passes).metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('Normal');
    expect(only(passes).status?.conditions).toEqual([expect.objectContaining({ type: 'InPlaceUpdateReady', status: 'True' })]);
  });

  it('an update in place costs three: out of service, the new image, back in service', async () => {
    const passes = open({ replicas: 1, rollingUpdate: { maxUnavailable: 1 } });
    for (let i = 0; i < 3; i++) await passes.pass();
    kubelet(passes);
    await passes.pass();
    kubelet(passes);
    await passes.pass();
    const { cloneSet } = passes;
    passes.api.seed(cloneSets, {
      ...cloneSet,
      metadata: { ...cloneSet.metadata, generation: 2 },
      spec: { ...cloneSet.spec, template: { ...cloneSet.spec.template, spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    });
    const calls = recorded(passes);
    for (let i = 0; i < 3; i++) await passes.pass();
    kubelet(passes);
    for (let i = 0; i < 3; i++) await passes.pass();
    expect(calls).toEqual(['patch status', 'patch', 'patch status']);
    expect(only(passes).metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('Normal');
    expect(podCondition(only(passes), 'InPlaceUpdateReady')?.status).toBe('True');
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
    const passes = open({ replicas: 1, spec: { revisionHistoryLimit: 0 } });
    const held = passes.api.seed(controllerRevisions, { ...made, ...change(made) });
    await passes.pass();
    for (let i = 0; i < 3; i++) await passes.pass();
    expect((await passes.pass()).kind).toBe('Settled');
    expect(passes.cloneSet.status).toMatchObject({ replicas: 1, updateRevision: made.metadata.name });
    expect(passes.api.peekAll(pods, 'default').map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).toEqual([
      made.metadata.name,
    ]);
    expect(passes.api.peekAll(controllerRevisions, 'default')).toEqual([held]);
  });

  it('that another owner holds with another template is passed over, and the collision is counted', async () => {
    const made = await firstRevision();
    const passes = open({ replicas: 1 });
    passes.api.seed(controllerRevisions, { ...made, metadata: { ...made.metadata, ownerReferences: [stranger] }, data: { other: 1 } });
    for (let i = 0; i < 4; i++) await passes.pass();
    expect(passes.cloneSet.status).toMatchObject({ replicas: 1, collisionCount: 1 });
    expect(passes.cloneSet.status?.updateRevision).not.toBe(made.metadata.name);
  });

  it('is created again when the one of another owner is deleted', async () => {
    const made = await firstRevision();
    const passes = open({ replicas: 1 });
    passes.api.seed(controllerRevisions, { ...made, metadata: { ...made.metadata, ownerReferences: [stranger] } });
    for (let i = 0; i < 3; i++) await passes.pass();
    await passes.api.delete(controllerRevisions, { namespace: 'default', name: made.metadata.name });
    for (let i = 0; i < 3; i++) await passes.pass();
    const [own] = passes.api.peekAll(controllerRevisions, 'default');
    expect(own?.metadata.name).toBe(made.metadata.name);
    expect(own?.metadata.ownerReferences).toEqual([ownerReferenceTo(passes.cloneSet)]);
  });

  it('is not created again for a deleted CloneSet, even before its deletion is seen', async () => {
    const passes = open({ replicas: 1 });
    for (let i = 0; i < 3; i++) await passes.pass();
    const [own] = passes.api.peekAll(controllerRevisions, 'default');
    await passes.api.delete(controllerRevisions, { namespace: 'default', name: own?.metadata.name ?? '' });
    await passes.clock.settle();
    passes.api.holdWatches();
    const { metadata } = passes.cloneSet;
    passes.api.seed(cloneSets, { ...passes.cloneSet, metadata: { ...metadata, finalizers: ['foregroundDeletion'] } });
    await passes.api.delete(cloneSets, { namespace: 'default', name: metadata.name });
    expect(passes.cloneSet.metadata.deletionTimestamp).toBeDefined();
    for (let i = 0; i < 2; i++) await passes.pass();
    expect(passes.api.peekAll(controllerRevisions, 'default')).toEqual([]);
  });
});

describe('podsToDelete', () => {
  it('keeps what the user lists during a pass, and removes deleted Pods in the next one', async () => {
    const passes = open({ replicas: 1, spec: { scaleStrategy: { podsToDelete: ['sample-gone'] } } });
    await passes.pass();
    const list = (podsToDelete: readonly string[]): unknown =>
      passes.api.seed(cloneSets, { ...passes.cloneSet, spec: { ...passes.cloneSet.spec, scaleStrategy: { podsToDelete } } });
    const listed = (): readonly string[] | undefined => passes.cloneSet.spec.scaleStrategy?.podsToDelete;
    passes.refuse = ({ verb, type }) => {
      if (verb !== 'create' || type?.plural !== 'pods') return undefined;
      list(['sample-gone', 'sample-added']);
      return undefined;
    };
    await passes.pass();
    expect(listed()).toEqual(['sample-gone', 'sample-added']);
    for (let i = 0; i < 2; i++) await passes.pass();
    expect(listed() ?? []).toEqual([]);
  });
});

describe('more Pods than one burst', () => {
  const count = (passes: CloneSetPasses): number => passes.api.peekAll(pods, 'default').length;

  it('all come up, and all go when the CloneSet is scaled in', async () => {
    const passes = open({ replicas: 1200 });
    await passes.pass();
    const created: number[] = [];
    for (let i = 0; i < 4; i++) {
      await passes.pass();
      created.push(count(passes));
    }
    expect(created).toEqual([500, 1000, 1200, 1200]);

    passes.api.seed(cloneSets, { ...passes.cloneSet, spec: { ...passes.cloneSet.spec, replicas: 0 } });
    const left: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const outcome = await passes.pass();
      left.push([count(passes), outcome.kind === 'Requeue' && outcome.after === 0]);
    }
    expect(left).toEqual([
      [700, true],
      [200, true],
      [0, false],
      [0, false],
    ]);
    await passes.pass(); // the counters have been gathered
    expect(passes.cloneSet.status?.replicas).toBe(0);
  });
});
