import { describe, expect, it } from '@jest/globals';
import { imagePullJobs, type CloneSet, type CloneSetStatus, type ImagePullJob } from '@kruise/api';
import { ApiError, SystemClock } from '@kruise/kube';
import { FakeApi } from '@kruise/kube/testing';
import { controllerRevisions, keyOf, type ControllerRevision } from '@kruise/objects';
import { recordedStages } from '@kruise/testing';
import { type Action, plan, planPreDownload } from '@kruise/kinds/cloneset';
import { cloneSetEvents } from '../events.ts';
import { execute } from '../execute.ts';
import type { Io } from '../io.ts';
import { contextAt, observeRecording, recordingOf, timeOf } from '../runs/recorded.testing.ts';
import { aCloneSet, aRevision, aSnapshot, aContext, ownerReference, type CloneSetShape } from '@kruise/kinds/cloneset/testing';

const status = (updatedReadyReplicas = 0): CloneSetStatus => ({
  replicas: 10,
  readyReplicas: 10,
  availableReplicas: 10,
  updatedReplicas: updatedReadyReplicas,
  updatedReadyReplicas,
});

interface Given {
  readonly set?: CloneSetShape;
  readonly jobs?: readonly ImagePullJob[] | 'off';
  readonly updatedReady?: number;
  readonly isRolledOut?: boolean;
}

function decide({ set = {}, jobs = [], updatedReady = 0, isRolledOut = false }: Given): readonly Action[] {
  const cloneSet = aCloneSet({ replicas: 10, ...set });
  const current = aRevision(cloneSet, 'app:1', 1);
  const update = aRevision(cloneSet, 'app:2', 2);
  const seen = { ...aSnapshot(cloneSet, [], [current, update]), ...(jobs === 'off' ? {} : { imagePullJobs: jobs }) };
  return planPreDownload({ seen, update, current: isRolledOut ? update : current, status: status(updatedReady) }, aContext());
}

const reportOf = (actions: readonly Action[]): readonly string[] =>
  actions.map((action) =>
    action.kind === 'LabelRevision'
      ? `${Object.keys(action.labels).join()}: ${action.because}`
      : action.kind === 'CreateImagePullJob' || action.kind === 'DeleteImagePullJob'
        ? `${action.kind} ${action.job.spec.image}`
        : action.kind,
  );

const ignored = (because: string): readonly string[] => [`apps.kruise.io/image-predownload-ignored: ${because}`];
const created = ['CreateImagePullJob app:2', 'apps.kruise.io/pre-predownload-created: 1 images are pulled ahead'];
const strategy = (settings: object): CloneSetShape => ({ rollingUpdate: { inPlaceUpdateStrategy: settings } });

describe('pulling images ahead', () => {
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'nothing is done when it is off', given: { jobs: 'off' }, then: [] },
    { name: 'a job is made for the image that changes, then the revision remembers it', given: {}, then: created },
    {
      name: 'not for recreation',
      given: { set: { rollingUpdate: { podUpdatePolicy: 'ReCreate' } } },
      then: ignored('the update policy is ReCreate'),
    },
    {
      name: 'not without rollingUpdate',
      given: { set: { type: 'OnDelete' } },
      then: ignored('Pods are updated only when a user deletes them'),
    },
    { name: 'not for 3 replicas', given: { set: { replicas: 3 } }, then: ignored('there are no more than 3 replicas') },
    { name: 'for 4 replicas', given: { set: { replicas: 4 } }, then: created },
    {
      name: 'not when all Pods may be updated at once',
      given: { set: { rollingUpdate: { maxUnavailable: '100%' } } },
      then: ignored('all Pods may be updated at once'),
    },
    { name: 'maxUnavailable rounds down', given: { set: { replicas: 4, rollingUpdate: { maxUnavailable: '99%' } } }, then: created },
    {
      name: 'a partition leaves Pods for later',
      given: { set: { rollingUpdate: { maxUnavailable: '100%', partition: 1 } } },
      then: created,
    },
    {
      name: 'jobs wait for updated Pods that are ready',
      given: { set: strategy({ imagePreDownloadMinUpdatedReadyPods: 2 }), updatedReady: 1 },
      then: [],
    },
    {
      name: 'and come with the last of them',
      given: { set: strategy({ imagePreDownloadMinUpdatedReadyPods: 2 }), updatedReady: 2 },
      then: created,
    },
    {
      name: 'by default 20% may be updated at once',
      given: { set: { rollingUpdate: { maxUnavailable: undefined as never } } },
      then: created,
    },
    { name: 'jobs are deleted when the rollout is over', given: { isRolledOut: true, jobs: [aJob()] }, then: ['DeleteImagePullJob app:0'] },
  ])('$name', ({ given, then }) => {
    expect(reportOf(decide(given))).toEqual(then);
  });

  it('is done with what is said of it, each where it is said', () => {
    const cloneSet = aCloneSet({ replicas: 10 });
    const { namespace: _namespace, ...metadata } = cloneSet.metadata;
    const [current, update] = [aRevision(cloneSet, 'app:1', 1), aRevision(cloneSet, 'app:2', 2)];
    const unlabelled = { ...update, metadata: { ...update.metadata, labels: { app: 'sample' } } };
    const seen = { ...aSnapshot({ ...cloneSet, metadata }, [], [current, unlabelled]), imagePullJobs: [] };
    const [first] = planPreDownload({ seen, update: unlabelled, current, status: status() }, aContext());
    if (first?.kind !== 'CreateImagePullJob') throw new Error('the image changes');
    const hash = update.metadata.name.slice('sample-'.length);
    expect(first.because).toMatch(/is rolled out in place, 0 Pods have it and are ready$/);
    expect(first.job.metadata).toMatchObject({ namespace: '', labels: { app: 'sample', 'controller.kubernetes.io/hash': hash } });
    expect(first.job.spec).toMatchObject({ parallelism: 1, pullPolicy: { backoffLimit: 1, timeoutSeconds: 300 } });
    expect(first.job.spec).not.toHaveProperty('pullSecrets');
    expect(first.job.spec.sandboxConfig).not.toHaveProperty('annotations');
  });

  it('makes jobs as other components of the API make and read them', () => {
    const base = aCloneSet();
    const template = {
      metadata: { labels: { app: 'sample' }, annotations: { team: 'shop' } },
      spec: {
        imagePullSecrets: [{}, { name: 'registry' }],
        containers: [{ name: 'main', image: 'app:2' }, { name: 'log', image: 'log:1' }, { name: 'bare' }],
      },
    };
    const settings = { imagePreDownloadParallelism: '50%', imagePreDownloadTimeoutSeconds: 60 };
    const cloneSet: CloneSet = {
      ...base,
      spec: {
        ...base.spec,
        replicas: 10,
        template,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', inPlaceUpdateStrategy: settings } },
      },
    };
    const revisionOf = (image: string, number: number): ControllerRevision => {
      const containers = template.spec.containers.map((one) => (one.name === 'main' ? { ...one, image } : one));
      const of = { ...cloneSet, spec: { ...cloneSet.spec, template: { ...template, spec: { ...template.spec, containers } } } };
      const action = plan(aSnapshot(of, [], []), aContext()).revisions[0];
      if (action?.kind !== 'CreateRevision') throw new Error('a new template makes a revision');
      return { ...action.attempt.revision, revision: number };
    };
    const [current, update] = [revisionOf('app:1', 1), revisionOf('app:2', 2)];
    const seen = { ...aSnapshot(cloneSet, [], [current, update]), imagePullJobs: [] };
    const jobs = planPreDownload({ seen, update, current, status: status() }, aContext()).flatMap((action) =>
      action.kind === 'CreateImagePullJob' ? [action.job] : [],
    );
    const hash = update.metadata.labels?.['controller.kubernetes.io/hash'] ?? '';
    const carried = { app: 'sample', 'controller.kubernetes.io/hash': hash };
    expect(jobs).toEqual([
      {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ImagePullJob',
        metadata: {
          name: `${update.metadata.name}-main`,
          namespace: 'default',
          labels: carried,
          ownerReferences: [ownerReference],
        },
        spec: {
          image: 'app:2',
          pullSecrets: ['registry'],
          podSelector: {
            matchLabels: { app: 'sample' },
            matchExpressions: [{ key: 'controller-revision-hash', operator: 'NotIn', values: [update.metadata.name, hash] }],
          },
          parallelism: '50%',
          pullPolicy: { backoffLimit: 1, timeoutSeconds: 60 },
          completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 },
          sandboxConfig: { labels: carried, annotations: { team: 'shop' } },
        },
      },
    ]);
  });

  it.each(recordedStages)('knows what was decided before it took over (%s)', (stage) => {
    const recording = recordingOf(stage);
    for (const seen of observeRecording(recording).values()) {
      const now = contextAt(timeOf(recording));
      expect(plan({ ...seen, imagePullJobs: [] }, now).preDownload).toEqual([]);
    }
  });
});

function aJob(name = 'sample-old-main'): ImagePullJob {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name, namespace: 'default' },
    spec: { image: 'app:0', completionPolicy: { type: 'Always' } },
  };
}

describe('what is done about images', () => {
  function fixtureOf(onCreate: () => void = () => undefined): { readonly api: FakeApi; readonly io: Io; readonly events: string[] } {
    const api = new FakeApi({
      strategicMerge: (original, patch) => {
        const { metadata } = patch as { readonly metadata: { readonly labels: object } };
        return { ...original, metadata: { ...original.metadata, labels: { ...original.metadata.labels, ...metadata.labels } } };
      },
    });
    const events: string[] = [];
    const recorder = {
      event: (_: unknown, type: string, reason: string, message: string) => void events.push(`${type} ${reason} ${message}`),
    };
    const cloneSet = aCloneSet({ replicas: 10 });
    const client = api.connect('manager', { before: ({ verb }) => (verb === 'create' ? onCreate() : undefined) });
    const io: Io = {
      client,
      clock: new SystemClock(),
      context: aContext(),
      object: cloneSet,
      events: cloneSetEvents(recorder, cloneSet),
      onCollisionCount: () => undefined,
      triesFirst: false,
    };
    return { api, io, events };
  }

  /** @returns how many were done */
  async function carryOut(actions: readonly Action[], io: Io): Promise<number> {
    for (const action of actions) await execute(action, io, new AbortController().signal);
    return actions.length;
  }

  function actionsOn(api: FakeApi): readonly Action[] {
    const cloneSet = aCloneSet({ replicas: 10 });
    const current = aRevision(cloneSet, 'app:1', 1);
    const { uid: _uid, resourceVersion: _version, ...metadata } = aRevision(cloneSet, 'app:2', 2).metadata;
    const update = api.seed(controllerRevisions, { ...aRevision(cloneSet, 'app:2', 2), metadata });
    const seen = { ...aSnapshot(cloneSet, [], [current, update]), imagePullJobs: [] };
    return planPreDownload({ seen, update, current, status: status() }, aContext());
  }
  const isRemembered = (api: FakeApi): boolean =>
    api.peekAll(controllerRevisions, 'default')[0]?.metadata.labels?.['apps.kruise.io/pre-predownload-created'] === 'true';

  it('a job, its event and the label; a second time changes nothing', async () => {
    const { api, io, events } = fixtureOf();
    const actions = actionsOn(api);
    expect(await carryOut(actions, io)).toEqual(2);
    expect(await carryOut(actions, io)).toEqual(2);
    const jobs = api.peekAll(imagePullJobs, 'default');
    expect(jobs.map(({ spec }) => spec.image)).toEqual(['app:2']);
    expect(events).toEqual([`Normal CreatedImagePullJob created ImagePullJob ${jobs[0]?.metadata.name} for image: app:2`]);
    expect(isRemembered(api)).toBe(true);
  });

  it('a refused job is reported and not retried', async () => {
    const { api, io, events } = fixtureOf(() => {
      throw new ApiError('exceeded quota', { kind: 'Forbidden' });
    });
    await carryOut(actionsOn(api), io);
    expect(events).toEqual([
      expect.stringMatching(/^Normal FailedCreateImagePullJob failed to create ImagePullJob sample-\w+-main: exceeded quota$/),
    ]);
    expect(isRemembered(api)).toBe(true);
  });

  it('jobs are deleted; a missing one counts as deleted', async () => {
    const { api, io } = fixtureOf();
    const job = api.seed(imagePullJobs, aJob());
    const actions: readonly Action[] = [job, { ...aJob('gone'), metadata: { ...aJob('gone').metadata, uid: 'x' } }].map((one) => ({
      kind: 'DeleteImagePullJob',
      job: one,
      because: 'the rollout is over',
    }));
    expect(await carryOut(actions, io)).toEqual(2);
    expect(api.peek(imagePullJobs, keyOf(job))).toBeUndefined();
  });
});
