/** Pulling images ahead of an in-place update. @see spec/inplace-update.md 13 */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import type { ControllerRevision, PodTemplateSpec } from '@kruise/objects';
import { planPreDownload, planPullAhead, type PreDownloadAction, type PullAhead, type Rollout } from './pre-download.ts';
import { aWorkload, next, old, owner, revisionOf } from '../workload.testing.ts';
import type { Workload } from '../workload.ts';

const aRollout = (more: Partial<Rollout> = {}): Rollout => ({
  update: next,
  current: old,
  replicas: 10,
  isAllAtOnce: false,
  updatedReadyReplicas: 0,
  settings: undefined,
  owner,
  namespace: 'shop',
  selector: { matchLabels: { app: 'web' } },
  jobs: [],
  ...more,
});
const aJob: ImagePullJob = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ImagePullJob',
  metadata: { name: 'web-old-main', namespace: 'shop' },
  spec: { image: 'app:0', completionPolicy: { type: 'Always' } },
};
const labelled = (revision: ControllerRevision, labels: Readonly<Record<string, string>>): ControllerRevision => ({
  ...revision,
  metadata: { ...revision.metadata, labels: { ...revision.metadata.labels, ...labels } },
});
const reportOf = (action: PreDownloadAction): string =>
  action.kind === 'LabelRevision'
    ? `${Object.entries(action.labels).join()}: ${action.because}`
    : `${action.kind} ${action.job.spec.image}: ${action.because}`;

const ignored = (because: string): readonly string[] => [`apps.kruise.io/image-predownload-ignored,true: ${because}`];
const created = (ready = 0): readonly string[] => [
  `CreateImagePullJob app:2: revision ${next.metadata.name} is rolled out in place, ${ready} Pods have it and are ready`,
  'apps.kruise.io/pre-predownload-created,true: 1 images are pulled ahead',
];
const [from, to] = [1, 2].map((number) => {
  const template: PodTemplateSpec = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: `app:${number}` }] },
  };
  return revisionOf(template, number, { 'kruise.io/cloneset-volumeclaimtemplate-hash': `${number}` });
}) as [ControllerRevision, ControllerRevision];
const claims: Partial<Workload> = { gates: { ...aWorkload().gates, RecreatePodWhenChangeVCTInCloneSetGate: true } };
const awaited = { imagePreDownloadMinUpdatedReadyPods: 2 };

describe('pulling images ahead', () => {
  it.each<{ name: string; given?: Partial<Rollout>; workload?: Partial<Workload>; then: readonly string[] }>([
    { name: 'is not done when it is off', given: { jobs: undefined }, then: [] },
    { name: 'is not done when it is off, at the end of a rollout either', given: { jobs: undefined, current: next }, then: [] },
    { name: 'creates a job for the image that changes, then stores it in the revision', then: created() },
    {
      name: 'is decided once',
      given: { update: labelled(next, { 'apps.kruise.io/pre-predownload-created': 'true' }) },
      then: [],
    },
    {
      name: 'is ignored once',
      given: { update: labelled(next, { 'apps.kruise.io/image-predownload-ignored': 'true' }) },
      then: [],
    },
    { name: 'is not for recreation', workload: { podUpdatePolicy: 'ReCreate' }, then: ignored('the update policy is ReCreate') },
    { name: 'is not for OnDelete', workload: { isOnDelete: true }, then: ignored('Pods are updated only when a user deletes them') },
    { name: 'is for the policy InPlaceOnly', workload: { podUpdatePolicy: 'InPlaceOnly' }, then: created() },
    { name: 'is not for 3 replicas', given: { replicas: 3 }, then: ignored('there are no more than 3 replicas') },
    { name: 'is for 4 replicas', given: { replicas: 4 }, then: created() },
    {
      name: 'is not for an update of all Pods at the same time',
      given: { isAllAtOnce: true },
      then: ignored('all Pods may be updated at once'),
    },
    {
      name: 'is not for other claim templates',
      given: { current: from, update: to },
      workload: claims,
      then: ignored('the update is not in place: the volumeClaimTemplates differ'),
    },
    { name: 'waits for updated Pods that are ready', given: { settings: awaited, updatedReadyReplicas: 1 }, then: [] },
    { name: 'starts with the last of them', given: { settings: awaited, updatedReadyReplicas: 2 }, then: created(2) },
    {
      name: 'is over when the rollout is',
      given: { current: next, jobs: [aJob] },
      then: ['DeleteImagePullJob app:0: its rollout has ended'],
    },
    { name: 'is over without anything to do when there are no jobs', given: { current: next }, then: [] },
    { name: 'keeps jobs while the rollout continues', given: { jobs: [aJob] }, then: created() },
  ])('$name', ({ given, workload, then }) => {
    expect(planPreDownload(aRollout(given), aWorkload(workload)).map(reportOf)).toEqual(then);
  });

  it('ignores other claim templates with InPlaceOnly', () => {
    const actions = planPreDownload(aRollout({ current: from, update: to }), aWorkload({ ...claims, podUpdatePolicy: 'InPlaceOnly' }));
    expect(actions.map(({ kind }) => kind)).toEqual(['CreateImagePullJob', 'LabelRevision']);
  });
});

const jobsOf = (rollout: Partial<Rollout>): readonly ImagePullJob[] =>
  planPreDownload(aRollout(rollout), aWorkload()).flatMap((action) => (action.kind === 'CreateImagePullJob' ? [action.job] : []));

it('a rollout that only changes metadata pulls nothing, and that is stored', () => {
  const [before, after] = ['1', '2'].map((tier, index) => revisionOf({ metadata: { labels: { tier } } }, index)) as [
    ControllerRevision,
    ControllerRevision,
  ];
  expect(planPreDownload(aRollout({ current: before, update: after }), aWorkload()).map(reportOf)).toEqual([
    'apps.kruise.io/pre-predownload-created,true: 0 images are pulled ahead',
  ]);
});

describe('a job', () => {
  const short = next.metadata.name.slice('web-'.length);
  const carried = { app: 'web', 'controller.kubernetes.io/hash': short };
  const isOther = { key: 'controller-revision-hash', operator: 'NotIn', values: [next.metadata.name, short] };

  it('pulls for the nodes of Pods that are not updated yet, and is deleted some time after its end', () => {
    expect(jobsOf({})).toEqual([
      {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ImagePullJob',
        metadata: { name: `${next.metadata.name}-main`, namespace: 'shop', labels: carried, ownerReferences: [owner] },
        spec: {
          image: 'app:2',
          podSelector: { matchLabels: { app: 'web' }, matchExpressions: [isOther] },
          parallelism: 1,
          pullPolicy: { backoffLimit: 1, timeoutSeconds: 300 },
          completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 },
          sandboxConfig: { labels: carried },
        },
      },
    ]);
  });

  it('follows the settings', () => {
    const settings = { imagePreDownloadParallelism: '50%', imagePreDownloadTimeoutSeconds: 60 };
    expect(jobsOf({ settings })[0]?.spec).toMatchObject({ parallelism: '50%', pullPolicy: { timeoutSeconds: 60 } });
  });

  it('has the selector of the workload, and the revision', () => {
    const expression = { key: 'tier', operator: 'Exists' };
    expect(jobsOf({ selector: { matchExpressions: [expression] } })[0]?.spec.podSelector).toEqual({
      matchExpressions: [expression, isOther],
    });
  });

  it('has the hash of the revision, although its name has another', () => {
    const update = labelled(next, { 'controller.kubernetes.io/hash': 'first' });
    expect(jobsOf({ update })[0]?.metadata.labels).toEqual({ app: 'web', 'controller.kubernetes.io/hash': 'first' });
  });

  it('has the end of the name of a revision without labels', () => {
    const { labels: _labels, ...metadata } = next.metadata;
    expect(jobsOf({ update: { ...next, metadata } })[0]?.metadata.labels).toEqual(carried);
  });

  it('has only the hash for a template without metadata', () => {
    const [current, update] = ['app:1', 'app:2'].map((image, index) =>
      revisionOf({ spec: { containers: [{ name: 'main', image }] } }, index),
    ) as [ControllerRevision, ControllerRevision];
    const hash = update.metadata.name.slice('web-'.length);
    expect(jobsOf({ current, update })[0]?.spec.sandboxConfig).toEqual({ labels: { 'controller.kubernetes.io/hash': hash } });
  });

  it('is created for each image that changes, with what the runtime receives', () => {
    const template = (image: string): PodTemplateSpec => ({
      metadata: { labels: { app: 'web' }, annotations: { team: 'shop' } },
      spec: {
        imagePullSecrets: [{}, { name: 'registry' }],
        containers: [{ name: 'main', image }, { name: 'log', image: 'log:1' }, { name: 'bare' }, { name: 'side', image: `side-${image}` }],
      },
    });
    const jobs = jobsOf({ current: revisionOf(template('app:1'), 1), update: revisionOf(template('app:2'), 2) });
    expect(jobs.map(({ metadata, spec }) => [metadata.name.replace(/^web-\w+-/, ''), spec.image, spec.pullSecrets])).toEqual([
      ['main', 'app:2', ['registry']],
      ['side', 'side-app:2', ['registry']],
    ]);
    expect(jobs[0]?.spec.sandboxConfig?.annotations).toEqual({ team: 'shop' });
  });
});

describe('pulling ahead for any kind', () => {
  const [app1, app2, app3] = [1, 2, 3].map((number) => revisionOf(withImages({ main: `app:${number}`, log: 'log:1' }), number)) as [
    ControllerRevision,
    ControllerRevision,
    ControllerRevision,
  ];
  const ahead = (more: Partial<PullAhead> = {}): readonly string[] =>
    planPullAhead({
      update: app3,
      before: [app1],
      settings: undefined,
      owner,
      namespace: 'shop',
      selector: { matchLabels: { app: 'web' } },
      jobs: [],
      isOver: false,
      whyIgnored: () => undefined,
      isBegun: true,
      because: 'why',
      ...more,
    }).map(reportOf);
  const remembered = (count: number) => `apps.kruise.io/pre-predownload-created,true: ${count} images are pulled ahead`;
  const pulled = (...images: readonly string[]) => [
    ...images.map((image) => `CreateImagePullJob ${image}: why`),
    remembered(images.length),
  ];

  it.each<{ name: string; given?: Partial<PullAhead>; then: readonly string[] }>([
    { name: 'an image that differs from the earlier one is pulled', then: pulled('app:3') },
    {
      name: 'an image that one of several earlier templates lacks is pulled',
      given: { before: [app3, app1, app2] },
      then: pulled('app:3'),
    },
    { name: 'an image that all earlier templates have is not', given: { before: [app3] }, then: pulled() },
    {
      name: 'an image of a container that one earlier template lacks is pulled',
      given: { before: [revisionOf(withImages({ main: 'app:3' }), 1), app3] },
      then: pulled('log:1'),
    },
    {
      name: 'the same image of a container with another name is pulled',
      given: { before: [revisionOf(withImages({ app: 'app:3', log: 'log:1' }), 1)] },
      then: pulled('app:3'),
    },
    { name: 'without an earlier template nothing is pulled', given: { before: [] }, then: pulled() },
    { name: 'it waits for its beginning', given: { isBegun: false }, then: [] },
    {
      name: 'it is ignored for a reason, whether it has begun or not',
      given: { isBegun: false, whyIgnored: () => 'all at once' },
      then: ignored('all at once'),
    },
    {
      name: 'an earlier revision without a template leaves the decision for later',
      given: { before: [app1, { ...app2, data: {} }] },
      then: [],
    },
    { name: 'an update revision without a template leaves it for later as well', given: { update: { ...app3, data: {} } }, then: [] },
    {
      name: 'it ends with its jobs',
      given: { isOver: true, jobs: [aJob] },
      then: ['DeleteImagePullJob app:0: its rollout has ended'],
    },
    { name: 'nothing is done when it is off', given: { jobs: undefined, isOver: true }, then: [] },
  ])('$name', ({ given, then }) => {
    expect(ahead(given)).toEqual(then);
  });

  it('does not request a reason once the decision is stored, nor when it is over or off', () => {
    const asked: string[] = [];
    const ask = (name: string) => ({ whyIgnored: () => void asked.push(name) });
    ahead({ ...ask('made'), update: labelled(app3, { 'apps.kruise.io/pre-predownload-created': 'true' }) });
    ahead({ ...ask('over'), isOver: true });
    ahead({ ...ask('off'), jobs: undefined });
    ahead(ask('open'));
    expect(asked).toEqual(['open']);
  });
});

function withImages(images: Readonly<Record<string, string>>): PodTemplateSpec {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: Object.entries(images).map(([name, image]) => ({ name, image })) } };
}
