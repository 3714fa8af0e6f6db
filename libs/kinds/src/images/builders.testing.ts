/** Jobs, nodes and NodeImages for tests. */
import { imagePullJobFinalizer, type ImagePullJob, type ImageTagSpec, type ImageTagStatus, type NodeImage } from '@kruise/api';
import { formatTime, instant, type Node } from '@kruise/objects';
import { epoch } from '@kruise/testing';

export const at = (seconds: number): string => formatTime(instant(epoch + seconds * 1000));

export interface JobShape {
  readonly name?: string;
  readonly spec?: Partial<ImagePullJob['spec']>;
  readonly status?: ImagePullJob['status'];
  readonly metadata?: Partial<ImagePullJob['metadata']>;
}

/** An Always job for `nginx:1` on all nodes, as the webhook completes it. */
export const aJob = ({ name = 'pull', spec = {}, status, metadata = {} }: JobShape = {}): ImagePullJob => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ImagePullJob',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    generation: 1,
    finalizers: [imagePullJobFinalizer],
    ...metadata,
  },
  spec: {
    image: 'nginx:1',
    completionPolicy: { type: 'Always' },
    pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
    imagePullPolicy: 'IfNotPresent',
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
});

/** What NodeImages say of {@link aJob}. */
export const ownerOf = (name = 'pull') => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ImagePullJob',
  namespace: 'default',
  name,
  uid: `uid-of-${name}`,
});

export const aTag = (tag: Partial<ImageTagSpec> = {}): ImageTagSpec => ({
  tag: '1',
  createdAt: at(0),
  imagePullPolicy: 'IfNotPresent',
  ownerReferences: [ownerOf()],
  pullPolicy: { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 1000 },
  ...tag,
});

type Statuses = Readonly<Record<string, readonly ImageTagStatus[]>>;

export interface NodeImageShape {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly images?: NonNullable<NodeImage['spec']['images']>;
  readonly statuses?: Statuses;
  readonly metadata?: Partial<NodeImage['metadata']>;
}

export const aNodeImage = ({ name = 'n1', labels, images, statuses, metadata = {} }: NodeImageShape = {}): NodeImage => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'NodeImage',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', ...(labels === undefined ? {} : { labels }), ...metadata },
  spec: images === undefined ? {} : { images },
  ...(statuses === undefined
    ? {}
    : {
        status: {
          desired: 1,
          imageStatuses: Object.fromEntries(Object.entries(statuses).map(([image, tags]) => [image, { tags }])),
        },
      }),
});

/** Ready since the epoch. */
export const aNode = (name: string, metadata: Partial<Node['metadata']> = {}, ready = 'True'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...metadata },
  status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: at(0) }] },
});
