/** ImageListPullJob: the schema of both versions, which have the same members (spec/image-pulling.md 2). */
import { reading, right } from '../../schema/rights.ts';
import type { KubeObject } from '@kruise/objects';
import { int32, list, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { imageListPullJobSpec, type ImageListPullJobSpec } from '../../schema/image-pull.ts';
import { resourceTypeOf, type KindDeclaration, type PrinterColumn } from '../../schema/kind.ts';

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

const columns: readonly PrinterColumn[] = [
  { name: 'TOTAL', type: 'integer', jsonPath: '.status.desired', description: 'Number of images to pull.' },
  { name: 'SUCCEEDED', type: 'integer', jsonPath: '.status.succeeded', description: 'Number of images that all nodes have pulled.' },
  { name: 'COMPLETED', type: 'integer', jsonPath: '.status.completed', description: 'Number of images whose job has ended.' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'When the object was created.' },
];

export type ImageListPullJobStatus = Infer<typeof status>;

/** v1beta1, the version that the project uses internally. */
export interface ImageListPullJob extends KubeObject {
  readonly spec: ImageListPullJobSpec;
  readonly status?: ImageListPullJobStatus;
}

/** The same members as v1beta1. */
export type ImageListPullJobV1Alpha1 = ImageListPullJob;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  kind: 'ImageListPullJob',
  plural: 'imagelistpulljobs',
  singular: 'imagelistpulljob',
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
