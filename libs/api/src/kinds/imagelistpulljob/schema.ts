/** ImageListPullJob: the schema of both versions, which have the same members (spec/image-pulling.md 2). */
import { reading, right } from '../../schema/rights.ts';
import { int32, list, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { imageListPullJobSpec, type ImageListPullJobSpec } from '../../schema/image-pull.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';

export type { ImageListPullJobSpec };

const status = object('Progress of the job, as numbers of images.', {
  active: optional(int32('Images that are being pulled.')),
  completed: optional(int32('Images whose job has ended.')),
  completionTime: optional(time('When the job ended.')),
  desired: int32('Images to pull.'),
  failedImageStatuses: optional(
    list(
      'Images that some node could not pull.',
      object('One image that could not be pulled everywhere.', {
        imagePullJob: optional(string('Name of the ImagePullJob.')),
        message: optional(string('What went wrong.')),
        name: optional(string('Reference of the image.')),
      }),
    ),
  ),
  startTime: optional(time('When the job started.')),
  succeeded: optional(int32('Images that all nodes have pulled.')),
});

const columns = [
  column('TOTAL', 'integer', '.status.desired', 'Number of images to pull.'),
  column('SUCCEEDED', 'integer', '.status.succeeded', 'Number of images that all nodes have pulled.'),
  column('COMPLETED', 'integer', '.status.completed', 'Number of images whose job has ended.'),
  ageColumn,
];

export type ImageListPullJobStatus = Infer<typeof status>;

/** v1beta1, the version that the project uses internally. */
export type ImageListPullJob = KruiseObject<ImageListPullJobSpec, ImageListPullJobStatus>;

/** The same members as v1beta1. */
export type ImageListPullJobV1Alpha1 = ImageListPullJob;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('ImageListPullJob'),
  shortNames: [],
  namespaced: true,
  description: 'Pulls a list of images on a set of nodes, with one ImagePullJob for each image.',
  controllerName: 'imagelistpulljob-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'], webhookName: 'imagelistpulljob-v1beta1' },
  rights: {
    own: ['delete', 'patch'],
    status: ['patch'],
    owns: true,
    others: [right('apps.kruise.io', ['imagepulljobs'], [...reading, 'create', 'delete'])],
  },
  versions: [
    { name: 'v1alpha1', storage: false, spec: imageListPullJobSpec, status, columns },
    { name: 'v1beta1', storage: true, spec: imageListPullJobSpec, status, columns },
  ],
};

/** How a client addresses ImageListPullJobs. */
export const imageListPullJobs = resourceTypeOf<ImageListPullJob>(declaration, 'v1beta1');
export const imageListPullJobsV1Alpha1 = resourceTypeOf<ImageListPullJobV1Alpha1>(declaration, 'v1alpha1');
