/** StatefulSets for the tests of this folder. */
import type { StatefulSet } from '@kruise/api';
import type { PersistentVolumeClaimTemplate } from '@kruise/objects';

type Spec = StatefulSet['spec'];
type RollingUpdate = NonNullable<NonNullable<Spec['updateStrategy']>['rollingUpdate']>;

export interface SetShape {
  readonly replicas?: number;
  readonly image?: string;
  readonly parallel?: boolean;
  readonly rollingUpdate?: RollingUpdate;
  readonly type?: 'RollingUpdate' | 'OnDelete';
  readonly claims?: readonly PersistentVolumeClaimTemplate[];
  readonly spec?: Partial<Spec>;
  readonly status?: StatefulSet['status'];
}

export const aClaimTemplate = (name: string, storage = '1Gi', storageClassName = 'fast'): PersistentVolumeClaimTemplate => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
});

/** Ordered, in place where possible, one at a time, unless the shape says otherwise. */
export function aStatefulSet({
  replicas = 3,
  image = 'app:1',
  parallel = false,
  rollingUpdate = {},
  type = 'RollingUpdate',
  claims,
  spec = {},
  status,
}: SetShape = {}): StatefulSet {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 'default', uid: 'set-uid', generation: 1, resourceVersion: '1' },
    spec: {
      replicas,
      serviceName: 'web',
      podManagementPolicy: parallel ? 'Parallel' : 'OrderedReady',
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
      },
      updateStrategy: {
        type,
        ...(type === 'OnDelete'
          ? {}
          : {
              rollingUpdate: {
                podUpdatePolicy: 'InPlaceIfPossible',
                partition: 0,
                maxUnavailable: 1,
                minReadySeconds: 0,
                ...rollingUpdate,
              },
            }),
      },
      revisionHistoryLimit: 10,
      ...(claims === undefined ? {} : { volumeClaimTemplates: claims }),
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}
