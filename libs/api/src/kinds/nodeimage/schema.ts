/** NodeImage: the schema of both versions, which have the same members (spec/image-pulling.md 2). */
import { choice, int32, int64, list, map, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { sandboxConfig } from '../../schema/image-pull.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { objectReference } from '../../schema/shared.ts';
import { reading, right } from '../../schema/rights.ts';

const tag = object('One tag to pull.', {
  createdAt: optional(time('When the pull was requested, or requested again. Default: now.')),
  imagePullPolicy: optional(
    string('Always contacts the registry even if the node has the image; IfNotPresent does not. Empty acts as Always.'),
  ),
  ownerReferences: optional(
    list('The jobs that requested the tag, which is removed with the last of them.', objectReference('One job that requests the tag.')),
  ),
  pullPolicy: optional(
    object('How often the node retries, and how long each try may take.', {
      activeDeadlineSeconds: optional(int64('Seconds that all tries together may take. Absent: no limit.')),
      backoffLimit: optional(int32('Number of retries before the pull has failed. Default 3.')),
      timeoutSeconds: optional(int32('Seconds that one try may take. Default 600.')),
      ttlSecondsAfterFinished: optional(int32('Seconds between the end of the pull and the removal of the tag from this list; required.')),
    }),
  ),
  tag: string('A tag, or a digest such as sha256:….'),
  version: optional(int64('Version of the task; a greater one pulls again. Default 0.')),
});

const image = object('The tags of one image to pull.', {
  pullSecrets: optional(
    list(
      'Pull secrets to try.',
      object('One secret to pull with.', {
        mode: optional(string('batch: a copy that jobs share, removed when no job needs it. Empty: a secret as it is.')),
        name: optional(string('Name of the secret.')),
        namespace: optional(string('Namespace of the secret.')),
      }),
    ),
  ),
  sandboxConfig: optional(sandboxConfig),
  tags: list('The tags to pull, without duplicates, sorted by tag.', tag),
});

const spec = object('The images that the node must pull.', {
  images: optional(map('The images by name without tag, as users write it; at most 256.', image)),
});

const tagStatus = object('State of one tag.', {
  completionTime: optional(time('When the pull ended.')),
  imageID: optional(string('Id of the image on the node.')),
  message: optional(string('What went wrong.')),
  phase: choice('Waiting, Pulling, Succeeded or Failed.', ['Waiting', 'Pulling', 'Succeeded', 'Failed']),
  progress: optional(int32('Progress in percent, 0 to 100.')),
  startTime: optional(time('When the pull started.')),
  tag: string('The tag or digest.'),
  version: optional(int64('Version of the task that this state belongs to.')),
});

const status = object('Progress of the pulls, as numbers of tags.', {
  desired: int32('Tags to pull.'),
  failed: optional(int32('Tags that have failed.')),
  firstSyncStatus: optional(
    object('Result of the first synchronization on the node. Not written.', {
      message: optional(string('What went wrong.')),
      status: optional(choice('Succeeded or Failed.', ['Succeeded', 'Failed'])),
      syncAt: optional(time('When it ended.')),
    }),
  ),
  imageStatuses: optional(
    map(
      'State of the images by name, as in the spec.',
      object('State of one image.', { tags: list('State of its tags; sorted by tag.', tagStatus) }),
    ),
  ),
  pulling: optional(int32('Tags that are being pulled.')),
  succeeded: optional(int32('Tags that the node has.')),
  waiting: optional(int32('Tags that are waiting to be pulled.')),
});

const columns = [
  column('DESIRED', 'integer', '.status.desired', 'Number of tags to pull.'),
  column('PULLING', 'integer', '.status.pulling', 'Number of tags that are being pulled.'),
  column('SUCCEED', 'integer', '.status.succeeded', 'Number of tags that the node has.'),
  column('FAILED', 'integer', '.status.failed', 'Number of tags that have failed.'),
  ageColumn,
];

export type NodeImageSpec = Infer<typeof spec>;
export type NodeImageStatus = Infer<typeof status>;
export type ImageSpec = Infer<typeof image>;
export type ImageTagSpec = Infer<typeof tag>;
export type ImageTagStatus = Infer<typeof tagStatus>;

/** v1beta1, the version that the project uses internally. Its name is the node's. */
export type NodeImage = KruiseObject<NodeImageSpec, NodeImageStatus>;

/** The same members as v1beta1: `pullSecrets[].mode` is in both, so that a write through v1alpha1 does not lose it. */
export type NodeImageV1Alpha1 = NodeImage;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('NodeImage'),
  shortNames: [],
  namespaced: false,
  description: 'The images that one node must pull, and its progress. Its name is that of the node. Jobs write it; users normally do not.',
  controllerName: 'nodeimage-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: { own: ['create', 'delete', 'patch'], status: ['patch'], others: [right('', ['nodes'], reading)] },
  versions: [
    { name: 'v1alpha1', storage: false, spec, status, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses NodeImages. */
export const nodeImages = resourceTypeOf<NodeImage>(declaration, 'v1beta1');
export const nodeImagesV1Alpha1 = resourceTypeOf<NodeImageV1Alpha1>(declaration, 'v1alpha1');
