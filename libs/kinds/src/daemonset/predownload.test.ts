/** Images pulled ahead of a DaemonSet's update. @see spec/daemonset.md 5.9 */
import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { planPreDownload } from './predownload.ts';
import { planDaemonSetRevisions } from './revisions.ts';
import { hashOf, momentOf, nodesTo, onEach, plainly, type MemberShape, type Situation } from './situation.testing.ts';
import { computeStatus, heldStatus } from './status.ts';
import { aDaemonSet, type SetShape } from './testing.ts';

const aJob: ImagePullJob = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ImagePullJob',
  metadata: { name: 'agent-before-main', namespace: 'default' },
  spec: { image: 'app:0', completionPolicy: { type: 'Always' } },
};

interface Given extends Situation {
  /** Number of the revision that the status names; none unless said otherwise. */
  readonly known?: number;
}

function actionsOf({ known, ...given }: Given) {
  const { seen: plain, sites, hash, context, revisions } = momentOf({ revisions: 2, jobs: [], ...given });
  const held = revisions[(known ?? 0) - 1];
  const status = held === undefined ? {} : { status: { ...heldStatus(plain.set), updateRevision: hashOf(held) } };
  const seen = { ...plain, set: { ...plain.set, ...status } };
  const counted = computeStatus(seen.set, { sites, pods: seen.pods, hash }, context.now);
  return { actions: planPreDownload(seen, planDaemonSetRevisions(seen), counted.status), revisions };
}

function reportOf(given: Given): readonly string[] {
  const { actions, revisions } = actionsOf(given);
  return actions.map((action) => {
    const what =
      action.kind === 'LabelRevision'
        ? `${Object.keys(action.labels).join().replace('apps.kruise.io/', '')} ${action.revision.metadata.name}`
        : `${action.kind} ${action.job.metadata.name} ${action.job.spec.image}`;
    return plainly(`${what}: ${action.because}`, revisions);
  });
}

const old: MemberShape = { of: 1 };
const three = { pods: onEach(3, old) };
const ignored = (because: string, revision = 2) => [`image-predownload-ignored r${revision}: ${because}`];
const created = (updated = 0, desired = 3) => [
  `CreateImagePullJob r2-main app:2: revision r2 is rolled out, ${updated} of ${desired} nodes have it`,
  'pre-predownload-created r2: 1 images are pulled ahead',
];
const over = ['DeleteImagePullJob agent-before-main app:0: its rollout has ended'];
const atOnce = ignored('all Pods may be updated at once');
const rolling = (rollingUpdate: object): { readonly set: SetShape } => ({ set: { rollingUpdate } });

describe('images are pulled ahead', () => {
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'not when that is off', given: { ...three, as: ({ imagePullJobs: _off, ...seen }) => seen }, then: [] },
    { name: 'of what changes, then the revision remembers it', given: three, then: created() },
    { name: 'also when Pods are recreated', given: { ...three, ...rolling({ rollingUpdateType: 'Standard' }) }, then: created() },
    {
      name: 'also when they are updated in place',
      given: { ...three, ...rolling({ rollingUpdateType: 'InPlaceIfPossible' }) },
      then: created(),
    },
    { name: 'never for the first revision', given: { revisions: 1 }, then: ignored('there is no older revision', 1) },
    { name: 'not when all may be updated at once', given: { ...three, ...rolling({ maxUnavailable: '100%' }) }, then: atOnce },
    { name: 'not when more than all may', given: { ...three, ...rolling({ maxUnavailable: 4 }) }, then: atOnce },
    { name: 'when a percentage rounded up leaves one', given: { ...three, ...rolling({ maxUnavailable: '66%' }) }, then: created() },
    { name: 'not when a percentage rounded up leaves none', given: { ...three, ...rolling({ maxUnavailable: '67%' }) }, then: atOnce },
    {
      name: 'when the partition leaves nodes for later',
      given: { ...three, ...rolling({ maxUnavailable: '100%', partition: 1 }) },
      then: created(),
    },
    { name: 'not when it leaves none', given: { ...three, ...rolling({ maxUnavailable: '100%', partition: '1%' }) }, then: atOnce },
    {
      name: 'not for one node, with OnDelete either',
      given: { set: { type: 'OnDelete' }, nodes: ['n1'], pods: { n1: old } },
      then: atOnce,
    },
    {
      name: 'for two nodes with OnDelete',
      given: { set: { type: 'OnDelete' }, nodes: nodesTo(2), pods: onEach(2, old) },
      then: created(0, 2),
    },
    { name: 'not without a node', given: { nodes: [] }, then: atOnce },
    { name: 'while the status does not name the revision yet', given: { pods: onEach(3), known: 1 }, then: created(3) },
    { name: 'while a node is not updated', given: { pods: onEach(2, {}, { n3: old }), known: 2 }, then: created(2) },
    { name: 'no longer when all are updated', given: { pods: onEach(3), known: 2 }, then: [] },
    { name: 'and jobs go then', given: { pods: onEach(3), known: 2, jobs: [aJob] }, then: over },
    {
      name: 'and jobs stay during the rollout',
      given: { pods: onEach(2, {}, { n3: old }), known: 2, jobs: [aJob] },
      then: created(2),
    },
    {
      name: 'where an older revision but one has another image',
      given: { ...three, revisions: 3, known: 2 },
      then: [
        'CreateImagePullJob r3-main app:3: revision r3 is rolled out, 0 of 3 nodes have it',
        'pre-predownload-created r3: 1 images are pulled ahead',
      ],
    },
  ])('$name', ({ given, then }) => {
    expect(reportOf(given)).toEqual(then);
  });

  it.each(['apps.kruise.io/pre-predownload-created', 'apps.kruise.io/image-predownload-ignored'])(
    'once: label %s remembers it',
    (label) => {
      const as: NonNullable<Situation['as']> = (seen) => ({
        ...seen,
        revisions: seen.revisions.map((one) => ({
          ...one,
          metadata: { ...one.metadata, labels: { ...one.metadata.labels, [label]: 'true' } },
        })),
      });
      expect(reportOf({ ...three, as })).toEqual([]);
    },
  );
});

describe('the job', () => {
  const jobOf = (given: Given): ImagePullJob => {
    const job = actionsOf({ ...three, ...given }).actions.flatMap((action) =>
      action.kind === 'CreateImagePullJob' ? [action.job] : [],
    )[0];
    if (job === undefined) throw new Error('the image changes');
    return job;
  };

  it('pulls on the nodes whose Pods have not the revision, for the DaemonSet', () => {
    const { revisions } = momentOf({ revisions: 2 });
    const [hash, name] = [hashOf(revisions[1] as never), revisions[1]?.metadata.name];
    const carried = { app: 'agent', 'controller.kubernetes.io/hash': hash };
    expect(jobOf({})).toEqual({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ImagePullJob',
      metadata: { name: `${name}-main`, namespace: 'default', labels: carried, ownerReferences: [ownerReferenceTo(aDaemonSet())] },
      spec: {
        image: 'app:2',
        podSelector: {
          matchLabels: { app: 'agent' },
          matchExpressions: [{ key: 'controller-revision-hash', operator: 'NotIn', values: [name, hash] }],
        },
        parallelism: 1,
        pullPolicy: { backoffLimit: 1, timeoutSeconds: 300 },
        completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 },
        sandboxConfig: { labels: carried },
      },
    });
  });

  it.each<[string, Record<string, string>, number | string, number]>([
    ['numbers', { parallelism: '5', 'timeout-seconds': '60' }, 5, 60],
    ['a percentage', { parallelism: '50%' }, '50%', 300],
    ['what cannot be read', { parallelism: 'many', 'timeout-seconds': 'long' }, 1, 300],
    ['the number of Pods that are ready, which has no effect', { 'min-updated-ready-pods': '3' }, 1, 300],
  ])('follows the annotations: %s', (_name, given, ...[parallelism, timeoutSeconds]) => {
    const annotations = Object.fromEntries(Object.entries(given).map(([key, value]) => [`apps.kruise.io/image-predownload-${key}`, value]));
    expect(jobOf({ set: { annotations } }).spec).toMatchObject({ parallelism, pullPolicy: { backoffLimit: 1, timeoutSeconds } });
  });

  it('is in no namespace if the DaemonSet has none', () => {
    const as: NonNullable<Situation['as']> = (seen) => {
      const { namespace: _namespace, ...metadata } = seen.set.metadata;
      return { ...seen, set: { ...seen.set, metadata } };
    };
    expect(jobOf({ as }).metadata.namespace).toBe('');
  });
});
