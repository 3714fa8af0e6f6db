/** Images pulled ahead of a StatefulSet's update; what all kinds share is tested in libs/workloads. @see spec/statefulset.md 5.9 */
import { describe, expect, it } from '@jest/globals';
import { annotations, type ImagePullJob, type StatefulSet } from '@kruise/api';
import { plan } from '@kruise/kinds/statefulset';
import { momentOf, type MemberShape, type Situation } from './situation.testing.ts';

const old: MemberShape = { of: 1 };
const four = { 0: old, 1: old, 2: old, 3: old };

interface Given extends Situation {
  readonly annotated?: Readonly<Record<string, string>>;
  readonly jobs?: readonly ImagePullJob[] | undefined;
  /** Whether the status names the update revision already. */
  readonly known?: boolean;
}

function actionsOf({ annotated = {}, known = true, ...given }: Given) {
  const set = { replicas: 4, ...given.set };
  const { seen: plain, context, revisions } = momentOf({ revisions: 2, current: 1, pods: four, ...given, set });
  const [, update] = revisions;
  const status = { ...plain.set.status, ...(known ? { updateRevision: update?.metadata.name } : {}) } as NonNullable<StatefulSet['status']>;
  const changed = { ...plain.set, status, metadata: { ...plain.set.metadata, annotations: annotated } };
  const jobs = 'jobs' in given ? given.jobs : [];
  const seen = { ...plain, set: changed, ...(jobs === undefined ? {} : { imagePullJobs: jobs }) };
  return { actions: plan(seen, context).preDownload, update: update?.metadata.name ?? '' };
}

const kindsOf = (given: Given): readonly string[] => actionsOf(given).actions.map(({ kind }) => kind);
const made = ['CreateImagePullJob', 'LabelRevision'];
const specOf = (given: Given): ImagePullJob['spec'] | undefined =>
  actionsOf(given).actions.flatMap((action) => (action.kind === 'CreateImagePullJob' ? [action.job.spec] : []))[0];
const settings = (inPlaceUpdateStrategy: object): Situation => ({ set: { rollingUpdate: { inPlaceUpdateStrategy } } });

describe('images are pulled ahead', () => {
  it('by a job of the update revision that the StatefulSet controls, for Pods that are not updated yet', () => {
    const { actions, update } = actionsOf({});
    expect(actions).toMatchObject([
      {
        kind: 'CreateImagePullJob',
        job: {
          metadata: {
            name: `${update}-main`,
            namespace: 'default',
            ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'set-uid', controller: true }],
          },
          spec: {
            image: 'app:2',
            parallelism: 1,
            podSelector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'controller-revision-hash', operator: 'NotIn' }] },
          },
        },
      },
      { kind: 'LabelRevision', labels: { 'apps.kruise.io/pre-predownload-created': 'true' } },
    ]);
  });

  const awaited = (value: string) => ({ [annotations.preDownloadMinUpdatedReadyPods]: value });
  const two: Situation = { set: { rollingUpdate: { partition: 2 } }, pods: { 0: old, 1: old, 2: {}, 3: {} } };
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'not when that is off', given: { jobs: undefined }, then: [] },
    { name: 'not when Pods are recreated', given: { set: { rollingUpdate: { podUpdatePolicy: 'ReCreate' } } }, then: ['LabelRevision'] },
    {
      name: 'not when all Pods may be updated at once',
      given: { set: { parallel: true, rollingUpdate: { maxUnavailable: 4 } } },
      then: ['LabelRevision'],
    },
    { name: 'when some are kept back', given: { set: { parallel: true, rollingUpdate: { maxUnavailable: 4, partition: 1 } } }, then: made },
    { name: 'when one at least stays available', given: { set: { parallel: true, rollingUpdate: { maxUnavailable: 3 } } }, then: made },
    { name: 'not before as many Pods are updated as the annotation says', given: { annotated: awaited('1') }, then: [] },
    { name: 'with the last of them', given: { ...two, annotated: awaited('2') }, then: made },
    { name: 'a percentage is rounded up', given: { ...two, annotated: awaited('51%') }, then: [] },
    { name: 'a percentage of replicas', given: { ...two, annotated: awaited('50%') }, then: made },
    { name: 'no Pod counts while the status names another revision', given: { ...two, known: false, annotated: awaited('2') }, then: [] },
    { name: 'not before as many as the field says', given: settings({ imagePreDownloadMinUpdatedReadyPods: 1 }), then: [] },
    {
      name: 'the annotation counts before the field',
      given: { ...settings({ imagePreDownloadMinUpdatedReadyPods: 4 }), annotated: awaited('0') },
      then: made,
    },
    {
      name: 'an annotation that cannot be read leaves the field',
      given: { ...settings({ imagePreDownloadMinUpdatedReadyPods: 4 }), annotated: awaited('some') },
      then: [],
    },
  ])('$name', ({ given, then }) => {
    expect(kindsOf(given)).toEqual(then);
  });

  it('as many at a time, and for as long, as the annotations say, else the fields', () => {
    const fields = settings({ imagePreDownloadParallelism: '30%', imagePreDownloadTimeoutSeconds: 60 });
    expect(specOf(fields)).toMatchObject({ parallelism: '30%', pullPolicy: { timeoutSeconds: 60 } });
    const annotated = { [annotations.preDownloadParallelism]: '3', [annotations.preDownloadTimeoutSeconds]: '90' };
    expect(specOf({ ...fields, annotated })).toMatchObject({ parallelism: 3, pullPolicy: { timeoutSeconds: 90 } });
  });

  it('and the jobs go with the end of the rollout', () => {
    const job: ImagePullJob = { metadata: { name: 'web-x-main', namespace: 'default' }, spec: { image: 'app:2', completionPolicy: {} } };
    expect(kindsOf({ revisions: 1, pods: {}, jobs: [job] })).toEqual(['DeleteImagePullJob']);
  });
});
