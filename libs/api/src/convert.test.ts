import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { convertObject, inHub } from './convert.ts';

const alpha = 'apps.kruise.io/v1alpha1';
const beta = 'apps.kruise.io/v1beta1';

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly to: 'v1alpha1' | 'v1beta1';
  readonly given: JsonObject;
  readonly then: JsonObject;
}

const metadata = { name: 'x', uid: 'u', resourceVersion: '7', creationTimestamp: null, managedFields: [{ manager: 'kubectl' }] };
const annotated = (annotations: JsonObject): JsonObject => ({ metadata: { ...metadata, annotations } });
const labelled = (labels: JsonObject): JsonObject => ({ metadata: { ...metadata, labels } });

/** The fields of v1beta1 when v1alpha1 has none. */
const cloneSetDefaults = {
  scaleStrategy: { enablePVCReuse: true },
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'ReCreate' } },
};
const updating = (rollingUpdate: JsonObject): JsonObject => ({
  ...cloneSetDefaults,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});
const rolling = (rollingUpdate: JsonObject): JsonObject => ({ spec: updating(rollingUpdate) });
const reuse = { scaleStrategy: { enablePVCReuse: true } };

const cloneSets: readonly Row[] = [
  { name: 'a CloneSet that says nothing', kind: 'CloneSet', to: 'v1beta1', given: { spec: {} }, then: { spec: cloneSetDefaults } },
  {
    name: 'disablePVCReuse is the negation of enablePVCReuse',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { spec: { scaleStrategy: { disablePVCReuse: true, podsToDelete: ['a'] } } },
    then: { spec: { ...cloneSetDefaults, scaleStrategy: { enablePVCReuse: false, podsToDelete: ['a'] } } },
  },
  {
    name: 'the settings of a rollout move into rollingUpdate',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: {
      spec: {
        updateStrategy: {
          type: 'InPlaceOnly',
          partition: '33.4%',
          maxUnavailable: 1,
          maxSurge: 0,
          paused: true,
          priorityStrategy: { orderPriority: [{ orderedKey: 'k' }] },
          scatterStrategy: [{ key: 'k', value: 'v' }],
          inPlaceUpdateStrategy: { gracePeriodSeconds: 5, imagePreDownloadParallelism: 9 },
        },
      },
    },
    then: rolling({
      podUpdatePolicy: 'InPlaceOnly',
      partition: '33.4%',
      maxUnavailable: 1,
      maxSurge: 0,
      paused: true,
      priorityStrategy: { orderPriority: [{ orderedKey: 'k' }] },
      scatterStrategy: [{ key: 'k', value: 'v' }],
      inPlaceUpdateStrategy: { gracePeriodSeconds: 5 },
    }),
  },
  ...['', 'ReCreate', 'Surprise'].map((type) => ({
    name: `type "${type}" means ReCreate`,
    kind: 'CloneSet',
    to: 'v1beta1' as const,
    given: { spec: { updateStrategy: { type } } },
    then: { spec: cloneSetDefaults },
  })),
  {
    name: 'a setting of null is absent',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { spec: { updateStrategy: { partition: null, rollingUpdate: { partition: 2 } } } },
    then: rolling({ podUpdatePolicy: 'ReCreate', partition: 2 }),
  },
  {
    name: 'without a type, the policy of a rollingUpdate counts',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { spec: { updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } } } },
    then: rolling({ podUpdatePolicy: 'InPlaceOnly' }),
  },
  {
    name: 'OnDelete loses the settings of a rollout',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { spec: { updateStrategy: { type: 'OnDelete', partition: 3 } } },
    then: { spec: { ...cloneSetDefaults, updateStrategy: { type: 'OnDelete' } } },
  },
  {
    name: 'the label becomes excludePreparingDelete, and stays',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { ...labelled({ 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete': 'true' }), spec: {} },
    then: {
      ...labelled({ 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete': 'true' }),
      spec: { ...cloneSetDefaults, scaleStrategy: { enablePVCReuse: true, excludePreparingDelete: true } },
    },
  },
  {
    name: 'annotations become settings of the pre-download, if they parse',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: {
      ...annotated({
        'apps.kruise.io/image-predownload-parallelism': '20%',
        'apps.kruise.io/image-predownload-timeout-seconds': '60',
        'apps.kruise.io/image-predownload-min-updated-ready-pods': '2147483648',
      }),
      spec: {},
    },
    then: {
      ...annotated({
        'apps.kruise.io/image-predownload-parallelism': '20%',
        'apps.kruise.io/image-predownload-timeout-seconds': '60',
        'apps.kruise.io/image-predownload-min-updated-ready-pods': '2147483648',
      }),
      ...rolling({
        podUpdatePolicy: 'ReCreate',
        inPlaceUpdateStrategy: { imagePreDownloadParallelism: '20%', imagePreDownloadTimeoutSeconds: 60 },
      }),
    },
  },
  {
    name: 'a parallelism of digits becomes a number',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { ...annotated({ 'apps.kruise.io/image-predownload-parallelism': '12' }), spec: {} },
    then: {
      ...annotated({ 'apps.kruise.io/image-predownload-parallelism': '12' }),
      ...rolling({ podUpdatePolicy: 'ReCreate', inPlaceUpdateStrategy: { imagePreDownloadParallelism: 12 } }),
    },
  },
  {
    name: 'with OnDelete nothing is pulled ahead',
    kind: 'CloneSet',
    to: 'v1beta1',
    given: { ...annotated({ 'apps.kruise.io/image-predownload-parallelism': '1' }), spec: { updateStrategy: { type: 'OnDelete' } } },
    then: {
      ...annotated({ 'apps.kruise.io/image-predownload-parallelism': '1' }),
      spec: { ...cloneSetDefaults, updateStrategy: { type: 'OnDelete' } },
    },
  },
  {
    name: 'OnDelete with a rollingUpdate copies its settings up',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1, podUpdatePolicy: 'InPlaceOnly' } } } },
    then: { spec: { updateStrategy: { type: 'OnDelete', partition: 1 } } },
  },
  {
    name: 'without a rollingUpdate the type is ReCreate',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { type: 'RollingUpdate' } } },
    then: { spec: { updateStrategy: { type: 'ReCreate' } } },
  },
  {
    name: 'an empty in-place strategy is removed',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: {
      spec: {
        updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 0 } } },
      },
    },
    then: { spec: { scaleStrategy: { disablePVCReuse: true }, updateStrategy: { type: 'InPlaceIfPossible' } } },
  },
  {
    name: 'an in-place strategy of null is removed',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', inPlaceUpdateStrategy: null } } } },
    then: { spec: { updateStrategy: { type: 'InPlaceOnly' } } },
  },
  {
    name: 'an in-place strategy with a grace of null is removed',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { rollingUpdate: { inPlaceUpdateStrategy: { gracePeriodSeconds: null } } } } },
    then: { spec: { updateStrategy: { type: 'ReCreate' } } },
  },
  {
    name: 'an in-place strategy of members that are not known stays, whatever they say',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { rollingUpdate: { inPlaceUpdateStrategy: { gracePeriodSeconds: 0, future: 0 } } } } },
    then: { spec: { updateStrategy: { type: 'ReCreate', inPlaceUpdateStrategy: { gracePeriodSeconds: 0, future: 0 } } } },
  },
  {
    name: 'settings of the pre-download alone leave an empty in-place strategy',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { rollingUpdate: { inPlaceUpdateStrategy: { imagePreDownloadTimeoutSeconds: 9 } } } } },
    then: {
      ...annotated({ 'apps.kruise.io/image-predownload-timeout-seconds': '9' }),
      spec: { updateStrategy: { type: 'ReCreate', inPlaceUpdateStrategy: {} } },
    },
  },
  {
    name: 'a rollingUpdate of null is none',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { type: 'RollingUpdate', rollingUpdate: null } } },
    then: { spec: { updateStrategy: { type: 'ReCreate' } } },
  },
  {
    name: 'a rollingUpdate that is a string is copied unchanged',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: { spec: { ...reuse, updateStrategy: { type: 'RollingUpdate', rollingUpdate: 'x' } } },
    then: { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: 'x' } } },
  },
  ...['v1alpha1', 'v1beta1'].map((to) => ({
    name: 'a spec that is a string is copied unchanged',
    kind: 'CloneSet',
    to: to as 'v1alpha1',
    given: { spec: 'x' },
    then: { spec: 'x' },
  })),
  {
    name: 'what v1alpha1 has no field for becomes a label and annotations',
    kind: 'CloneSet',
    to: 'v1alpha1',
    given: {
      ...annotated({ mine: 'x' }),
      spec: {
        scaleStrategy: { enablePVCReuse: false, excludePreparingDelete: true },
        updateStrategy: {
          rollingUpdate: {
            podUpdatePolicy: 'InPlaceIfPossible',
            inPlaceUpdateStrategy: { gracePeriodSeconds: 1, imagePreDownloadParallelism: 3, imagePreDownloadMinUpdatedReadyPods: 0 },
          },
        },
      },
    },
    then: {
      metadata: {
        ...metadata,
        labels: { 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete': 'true' },
        annotations: {
          mine: 'x',
          'apps.kruise.io/image-predownload-parallelism': '3',
          'apps.kruise.io/image-predownload-min-updated-ready-pods': '0',
        },
      },
      spec: {
        scaleStrategy: { disablePVCReuse: true },
        updateStrategy: { type: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 1 } },
      },
    },
  },
];

const statefulSets: readonly Row[] = [
  {
    name: 'members that only v1beta1 has go to the annotation',
    kind: 'StatefulSet',
    to: 'v1alpha1',
    given: { spec: { replicas: 3, reserveOrdinals: [1] }, status: { replicas: 2, updatedReadyReplicas: 1 } },
    then: {
      ...annotated({ 'apps.kruise.io/v1beta1-members': '{"spec":{"reserveOrdinals":[1]},"status":{"updatedReadyReplicas":1}}' }),
      spec: { replicas: 3 },
      status: { replicas: 2 },
    },
  },
  {
    name: 'the annotation is converted back to the members, when it is valid',
    kind: 'StatefulSet',
    to: 'v1beta1',
    given: {
      ...annotated({
        'apps.kruise.io/v1beta1-members': '{"spec":{"reserveOrdinals":[1],"ordinals":"none","replicas":9},"status":{"volumeClaims":[]}}',
      }),
      spec: { replicas: 3 },
    },
    then: { spec: { replicas: 3, reserveOrdinals: [1] } },
  },
  {
    name: 'an annotation that is no JSON says nothing',
    kind: 'StatefulSet',
    to: 'v1beta1',
    given: { ...annotated({ 'apps.kruise.io/v1beta1-members': '{', mine: 'x' }), spec: { replicas: 3 } },
    then: { ...annotated({ mine: 'x' }), spec: { replicas: 3 } },
  },
];

const daemonSets: readonly Row[] = [
  {
    name: 'the annotation becomes partitionedScaling, the hash updateRevision, Surging Standard',
    kind: 'DaemonSet',
    to: 'v1beta1',
    given: {
      ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }),
      spec: { updateStrategy: { rollingUpdate: { rollingUpdateType: 'Surging', maxSurge: 1 } } },
      status: { daemonSetHash: 'abc' },
    },
    then: {
      ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }),
      spec: {
        updateStrategy: { rollingUpdate: { rollingUpdateType: 'Standard', maxSurge: 1 } },
        scaleStrategy: { partitionedScaling: true },
      },
      status: { updateRevision: 'abc' },
    },
  },
  {
    name: 'an annotation of another value says nothing',
    kind: 'DaemonSet',
    to: 'v1beta1',
    given: { ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'false' }), spec: { scaleStrategy: 'x' } },
    then: { ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'false' }), spec: { scaleStrategy: 'x' } },
  },
  {
    name: 'a type that both versions have stays',
    kind: 'DaemonSet',
    to: 'v1beta1',
    given: { spec: { updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } } } },
    then: { spec: { updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } } } },
  },
  ...['v1alpha1', 'v1beta1'].map((to) => ({
    name: 'spec and status that are texts are copied as they are',
    kind: 'DaemonSet',
    to: to as 'v1alpha1',
    given: { spec: 'x', status: 'y' },
    then: { spec: 'x', status: 'y' },
  })),
  {
    name: 'a status without hash stays without',
    kind: 'DaemonSet',
    to: 'v1beta1',
    given: { spec: {}, status: {} },
    then: { spec: {}, status: {} },
  },
  {
    name: 'other members of scaleStrategy stay',
    kind: 'DaemonSet',
    to: 'v1alpha1',
    given: { spec: { scaleStrategy: { partitionedScaling: true, future: 1 } } },
    then: { ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }), spec: { scaleStrategy: { future: 1 } } },
  },
  {
    name: 'a scaleStrategy that is a string is copied unchanged',
    kind: 'DaemonSet',
    to: 'v1alpha1',
    given: { spec: { scaleStrategy: 'x' } },
    then: { spec: { scaleStrategy: 'x' } },
  },
  {
    name: 'partitionedScaling becomes the annotation',
    kind: 'DaemonSet',
    to: 'v1alpha1',
    given: { spec: { scaleStrategy: { partitionedScaling: true } }, status: { updateRevision: 'abc' } },
    then: { ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }), spec: {}, status: { daemonSetHash: 'abc' } },
  },
  {
    name: 'partitionedScaling false adds and removes no annotation',
    kind: 'DaemonSet',
    to: 'v1alpha1',
    given: {
      ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }),
      spec: { scaleStrategy: { partitionedScaling: false } },
    },
    then: { ...annotated({ 'daemonset.kruise.io/progressive-create-pod': 'true' }), spec: {} },
  },
];

const cloneSetTemplate = (template: JsonObject): JsonObject => ({ spec: { template: { cloneSetTemplate: template } } });

/** Specs that differ from those of v1beta1 in only one member. */
const cloneSetTemplatesOfAlpha: readonly { readonly member: string; readonly given: JsonObject; readonly then: JsonObject }[] = [
  { member: 'the type', given: { updateStrategy: { type: 'InPlaceOnly' } }, then: updating({ podUpdatePolicy: 'InPlaceOnly' }) },
  {
    member: 'a setting of the rollout',
    given: { updateStrategy: { type: 'RollingUpdate', partition: 2 } },
    then: updating({ podUpdatePolicy: 'ReCreate', partition: 2 }),
  },
  {
    member: 'the in-place strategy',
    given: { updateStrategy: { inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } } },
    then: updating({ podUpdatePolicy: 'ReCreate', inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } }),
  },
  { member: 'disablePVCReuse', given: { scaleStrategy: { disablePVCReuse: true } }, then: { scaleStrategy: { enablePVCReuse: false } } },
];

const unitedDeployments: readonly Row[] = [
  {
    name: 'maps by subset are merged into the list, missing subsets in the order of their names',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: {
      spec: {},
      status: {
        subsetReplicas: { c: 3, a: 1, b: 2 },
        updateStatus: { updatedRevision: 'r', currentPartitions: { b: 1 } },
        subsetStatuses: [{ name: 'b', replicas: 9, readyReplicas: 2 }],
      },
    },
    then: {
      spec: {},
      status: {
        updatedRevision: 'r',
        subsetStatuses: [
          { name: 'b', replicas: 2, readyReplicas: 2, partition: 1 },
          { name: 'a', replicas: 1 },
          { name: 'c', replicas: 3 },
        ],
      },
    },
  },
  {
    name: 'the list gives both maps',
    kind: 'UnitedDeployment',
    to: 'v1alpha1',
    given: { spec: {}, status: { updatedRevision: 'r', subsetStatuses: [{ name: 'a', replicas: 1 }, { partition: 4 }] } },
    then: {
      spec: {},
      status: {
        subsetReplicas: { a: 1 },
        updateStatus: { updatedRevision: 'r', currentPartitions: { a: 0 } },
        subsetStatuses: [{ name: 'a', replicas: 1 }, { partition: 4 }],
      },
    },
  },
  {
    name: 'updateStatus is absent without a revision and without subsets',
    kind: 'UnitedDeployment',
    to: 'v1alpha1',
    given: { spec: {}, status: { updatedRevision: '', replicas: 0 } },
    then: { spec: {}, status: { replicas: 0 } },
  },
  {
    name: 'updateStatus is absent when there is no revision at all',
    kind: 'UnitedDeployment',
    to: 'v1alpha1',
    given: { spec: {}, status: { replicas: 0 } },
    then: { spec: {}, status: { replicas: 0 } },
  },
  {
    name: 'a subset without a name is in no map',
    kind: 'UnitedDeployment',
    to: 'v1alpha1',
    given: {
      spec: {},
      status: {
        subsetStatuses: [
          { name: '', replicas: 2 },
          { name: 'a', replicas: 1, partition: 1 },
        ],
      },
    },
    then: {
      spec: {},
      status: {
        subsetReplicas: { a: 1 },
        updateStatus: { currentPartitions: { a: 1 } },
        subsetStatuses: [
          { name: '', replicas: 2 },
          { name: 'a', replicas: 1, partition: 1 },
        ],
      },
    },
  },
  {
    name: 'an empty map makes no list',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: { spec: {}, status: { replicas: 0, subsetReplicas: {} } },
    then: { spec: {}, status: { replicas: 0 } },
  },
  {
    name: 'a list of null is none',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: { spec: {}, status: { subsetReplicas: { a: 1 }, subsetStatuses: null } },
    then: { spec: {}, status: { subsetStatuses: [{ name: 'a', replicas: 1 }] } },
  },
  {
    name: 'a list that is a number is copied unchanged',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: { spec: {}, status: { subsetReplicas: { a: 1 }, subsetStatuses: 3 } },
    then: { spec: {}, status: { subsetStatuses: 3 } },
  },
  {
    name: 'a revision where v1beta1 has it is kept, as are unknown members of updateStatus',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: { spec: {}, status: { updatedRevision: 'r', updateStatus: { future: 1 } } },
    then: { spec: {}, status: { updatedRevision: 'r', updateStatus: { future: 1 } } },
  },
  {
    name: 'members of updateStatus that are not known stay beside the revision',
    kind: 'UnitedDeployment',
    to: 'v1alpha1',
    given: { spec: {}, status: { updatedRevision: 'r', updateStatus: { future: 1 } } },
    then: { spec: {}, status: { updateStatus: { updatedRevision: 'r', future: 1 } } },
  },
  ...cloneSetTemplatesOfAlpha.map(({ member, given, then }) => ({
    name: `a CloneSet template in which ${member} alone is of v1alpha1 becomes one of v1beta1`,
    kind: 'UnitedDeployment',
    to: 'v1beta1' as const,
    given: cloneSetTemplate({ spec: given }),
    then: cloneSetTemplate({ spec: { ...cloneSetDefaults, ...then } }),
  })),
  {
    name: 'a CloneSet template with a setting of null is not of v1alpha1',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: cloneSetTemplate({ spec: { updateStrategy: { partition: null } } }),
    then: cloneSetTemplate({ spec: { updateStrategy: { partition: null } } }),
  },
  {
    name: 'a CloneSet template in the form of v1alpha1 becomes one of v1beta1',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: cloneSetTemplate({
      metadata: { annotations: { 'apps.kruise.io/image-predownload-parallelism': '2' } },
      spec: { updateStrategy: { type: 'InPlaceIfPossible', partition: 1, rollingUpdate: { partition: 5, maxSurge: 1 } } },
    }),
    then: cloneSetTemplate({
      metadata: { annotations: { 'apps.kruise.io/image-predownload-parallelism': '2' } },
      spec: {
        scaleStrategy: { enablePVCReuse: true },
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: {
            podUpdatePolicy: 'InPlaceIfPossible',
            partition: 1,
            maxSurge: 1,
            inPlaceUpdateStrategy: { imagePreDownloadParallelism: 2 },
          },
        },
      },
    }),
  },
  {
    name: 'a CloneSet template in the form of v1beta1 is unchanged',
    kind: 'UnitedDeployment',
    to: 'v1beta1',
    given: cloneSetTemplate({ spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }),
    then: cloneSetTemplate({ spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }),
  },
];

describe('conversion', () => {
  it.each([...cloneSets, ...statefulSets, ...daemonSets, ...unitedDeployments])('$kind to $to: $name', ({ kind, to, given, then }) => {
    const object = { apiVersion: to === 'v1beta1' ? alpha : beta, kind, metadata, ...given };
    expect(convertObject(object, `apps.kruise.io/${to}`)).toEqual({
      kind: 'Converted',
      object: { ...then, apiVersion: `apps.kruise.io/${to}`, kind, metadata: then['metadata'] ?? metadata },
    });
  });

  it.each([
    {
      name: 'a kind that is not ours',
      object: { apiVersion: alpha, kind: 'Other' },
      to: beta,
      message: 'there is no conversion for kind Other of group apps.kruise.io',
    },
    {
      name: 'a kind with one version',
      object: { apiVersion: alpha, kind: 'EphemeralJob' },
      to: beta,
      message: 'there is no conversion for kind EphemeralJob of group apps.kruise.io',
    },
    {
      name: 'the same version',
      object: { apiVersion: beta, kind: 'CloneSet' },
      to: beta,
      message: 'CloneSet is of version apps.kruise.io/v1beta1 already',
    },
    {
      name: 'an unknown version',
      object: { apiVersion: beta, kind: 'CloneSet' },
      to: 'apps.kruise.io/v2',
      message: 'CloneSet cannot be converted from version v1beta1 to version v2; there are v1alpha1 and v1beta1',
    },
    {
      name: 'an unknown version of an object of v1alpha1',
      object: { apiVersion: alpha, kind: 'CloneSet' },
      to: 'apps.kruise.io/v2',
      message: 'CloneSet cannot be converted from version v1alpha1 to version v2; there are v1alpha1 and v1beta1',
    },
    ...['v1alpha1', 'v1beta1'].map((to) => ({
      name: 'an object of an unknown version',
      object: { apiVersion: 'apps.kruise.io/v2', kind: 'CloneSet' },
      to: `apps.kruise.io/${to}`,
      message: `CloneSet cannot be converted from version v2 to version ${to}; there are v1alpha1 and v1beta1`,
    })),
    {
      name: 'another group',
      object: { apiVersion: beta, kind: 'CloneSet' },
      to: 'policy.kruise.io/v1alpha1',
      message: 'CloneSet cannot be converted from group apps.kruise.io to group policy.kruise.io',
    },
    { name: 'no kind', object: { apiVersion: alpha }, to: beta, message: 'the object has no apiVersion or no kind' },
    { name: 'no apiVersion', object: { kind: 'CloneSet' }, to: beta, message: 'the object has no apiVersion or no kind' },
  ])('is refused for $name', ({ object, to, message }) => {
    expect(convertObject(object, to)).toEqual({ kind: 'Failed', message });
  });

  it('of an AdvancedCronJob takes a template of null for none', () => {
    const object = { apiVersion: beta, kind: 'AdvancedCronJob', spec: { template: { imageListPullJobTemplate: null } } };
    expect(convertObject(object, alpha)).toEqual({ kind: 'Converted', object: { ...object, apiVersion: alpha } });
  });

  it.each(['CloneSet', 'StatefulSet', 'DaemonSet', 'UnitedDeployment', 'AdvancedCronJob', 'BroadcastJob'])(
    'of a %s with members of wrong types hands them on',
    (kind) => {
      for (const [from, to] of [
        [alpha, beta],
        [beta, alpha],
      ] as const) {
        const odd = { apiVersion: from, kind, metadata: { name: 'x', labels: 1, annotations: [] }, spec: 'text', status: [1] };
        expect(convertObject(odd, to)).toEqual({ kind: 'Converted', object: { ...odd, apiVersion: to } });
        const inner = { apiVersion: from, kind, metadata: null, spec: null, status: { subsetStatuses: 3 } };
        expect(convertObject(inner, to)).toMatchObject({ kind: 'Converted', object: { metadata: null, spec: null } });
      }
    },
  );
});

describe('inHub', () => {
  it('gives the older version as the newer one', () => {
    const { given, then } = cloneSets[1] as Row;
    expect(inHub({ apiVersion: alpha, kind: 'CloneSet', ...given })).toEqual({ apiVersion: beta, kind: 'CloneSet', ...then });
  });

  it.each<JsonObject>([{ apiVersion: beta, kind: 'CloneSet', spec: {} }, { apiVersion: 'apps/v1', kind: 'Deployment' }, { spec: {} }])(
    'returns %j unchanged',
    (object) => {
      expect(inHub(object)).toBe(object);
    },
  );
});
