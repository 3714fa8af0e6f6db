/** ImagePullJob: the schema of both versions, which have the same members (spec/image-pulling.md 2). */
import { int32, list, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { imagePullTemplateMembers } from '../../schema/image-pull.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { reading, right, secretRights } from '../../schema/rights.ts';
import { imagePullJobFinalizer } from './names.ts';

const spec = object('The image to pull, and the nodes.', {
  ...imagePullTemplateMembers,
  image: string('Reference of the image to pull, with tag or digest.'),
});

const status = object('Progress of the job, as numbers of nodes.', {
  active: optional(int32('Nodes that are pulling.')),
  completionTime: optional(time('When the job ended.')),
  desired: int32('Nodes to pull on.'),
  failed: optional(int32('Nodes that failed to pull the image.')),
  failedNodes: optional(list('The nodes that failed to pull the image.', string('Name of a node.'))),
  message: optional(string('Human-readable progress of the job.')),
  startTime: optional(time('When the job started.')),
  succeeded: optional(int32('Nodes that have the image.')),
});

const columns = [
  column('TOTAL', 'integer', '.status.desired', 'Number of nodes to pull on.'),
  column('ACTIVE', 'integer', '.status.active', 'Number of nodes that are pulling.'),
  column('SUCCEED', 'integer', '.status.succeeded', 'Number of nodes that have the image.'),
  column('FAILED', 'integer', '.status.failed', 'Number of nodes that failed to pull the image.'),
  ageColumn,
  column('MESSAGE', 'string', '.status.message', 'Human-readable progress of the job.'),
];

export type ImagePullJobSpec = Infer<typeof spec>;
export type ImagePullJobStatus = Infer<typeof status>;

/** v1beta1, the version that the project uses internally. */
export type ImagePullJob = KruiseObject<ImagePullJobSpec, ImagePullJobStatus>;

/** The same members as v1beta1. */
export type ImagePullJobV1Alpha1 = ImagePullJob;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('ImagePullJob'),
  shortNames: [],
  namespaced: true,
  description: 'Pulls an image on a set of nodes before Pods need it there.',
  controllerName: 'imagepulljob-controller',
  finalizer: imagePullJobFinalizer,
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'], webhookName: 'imagepulljob-v1beta1' },
  rights: {
    own: ['create', 'delete', 'patch'],
    status: ['patch'],
    others: [
      right('', ['pods', 'nodes'], reading),
      right('apps.kruise.io', ['nodeimages'], [...reading, 'patch']),
      right('apps.kruise.io', ['clonesets', 'sidecarsets', 'statefulsets'], reading),
      { ...secretRights(reading), gates: ['ImagePullJobGate'] },
    ],
  },
  atUninstall: { kind: 'CleanUp' },
  versions: [
    { name: 'v1alpha1', storage: false, spec, status, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses ImagePullJobs. */
export const imagePullJobs = resourceTypeOf<ImagePullJob>(declaration, 'v1beta1');
export const imagePullJobsV1Alpha1 = resourceTypeOf<ImagePullJobV1Alpha1>(declaration, 'v1alpha1');
