/** DaemonSets for the tests of this folder. */
import type { DaemonSet } from '@kruise/api';
import type { KubeObject, Node } from '@kruise/objects';

type Spec = DaemonSet['spec'];
type RollingUpdate = NonNullable<NonNullable<Spec['updateStrategy']>['rollingUpdate']>;

export interface SetShape {
  readonly image?: string;
  readonly rollingUpdate?: RollingUpdate;
  readonly type?: 'RollingUpdate' | 'OnDelete';
  readonly spec?: Partial<Spec>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: DaemonSet['status'];
}

/** Recreates one Pod at a time, unless the shape says otherwise. */
export function aDaemonSet({
  image = 'app:1',
  rollingUpdate = {},
  type = 'RollingUpdate',
  spec = {},
  annotations,
  status,
}: SetShape = {}): DaemonSet {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: {
      name: 'agent',
      namespace: 'default',
      uid: 'set-uid',
      generation: 1,
      resourceVersion: '1',
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image }] } },
      updateStrategy: {
        type,
        ...(type === 'OnDelete' ? {} : { rollingUpdate: { rollingUpdateType: 'Standard', ...limitsOf(rollingUpdate) } }),
      },
      burstReplicas: 250,
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** As admission fills them in: only where neither is given. */
const limitsOf = (given: RollingUpdate): RollingUpdate =>
  given.maxUnavailable === undefined && given.maxSurge === undefined ? { maxUnavailable: 1, maxSurge: 0, ...given } : given;

export const aNode = (
  name: string,
  over: { readonly labels?: KubeObject['metadata']['labels']; readonly spec?: Node['spec'] } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...(over.labels === undefined ? {} : { labels: over.labels }) },
  ...(over.spec === undefined ? {} : { spec: over.spec }),
});
