/** SidecarSet: the schema of both versions (spec/sidecarset.md 2). */
import type { Container, Volume } from '@kruise/objects';
import {
  boolean,
  choice,
  int32,
  int64,
  intOrString,
  list,
  object,
  opaque,
  optional,
  string,
  stringMap,
  type Infer,
  type Schema,
} from '../../schema/builder.ts';
import { ageColumn, column } from '../../schema/columns.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { labelSelector, priorityStrategy, scatterStrategy } from '../../schema/shared.ts';
import { managing, reading, right } from '../../schema/rights.ts';
import { collisionCount } from '../../schema/workload-status.ts';

const targetContainersModes = ['sum', 'max'] as const;
const revisionPolicies = ['Always', 'Partial'] as const;

const resourceExpressions = (what: string) =>
  object(`Expressions for the ${what} of the sidecar, over the ${what} of the chosen containers.`, {
    cpu: optional(string(`Expression with the variable cpu, such as \`max(cpu*50%, 50m)\`. Empty: no CPU ${what}.`)),
    memory: optional(string(`Expression with the variable memory, such as \`200Mi\`. Empty: no memory ${what}.`)),
  });

const resourcesPolicy = object(
  'Computes the resources of the sidecar from those of the Pod when it is injected. Not together with resources.',
  {
    resourcesExpr: object('The expressions; limits or requests must be set.', {
      limits: optional(resourceExpressions('limits')),
      requests: optional(resourceExpressions('requests')),
    }),
    targetContainersMode: choice('How the resources of several containers are combined: their sum or their max.', targetContainersModes, {
      enum: targetContainersModes,
    }),
    targetContainersNameRegex: optional(
      string('The containers of the Pod that count: those whose name matches this RE2 expression. Default all.', { default: '.*' }),
    ),
  },
);

const sharePolicy = (what: string, absent: string) =>
  object(`Whether the sidecar gets the ${what} of the application containers.`, {
    type: optional(string(`enabled: the sidecar gets all of them; disabled: only its own. ${absent}`)),
  });

const transferEnv = list(
  'Environment variables that the sidecar copies from other containers of the Pod.',
  object('Variables of one container.', {
    envName: optional(string('Name of a variable to copy, in addition to envNames.')),
    envNames: optional(list('Names of variables to copy.', string('Name of a variable.'))),
    sourceContainerName: optional(string('The container to copy from; ignored when sourceContainerNameFrom.fieldRef is set.')),
    sourceContainerNameFrom: optional(
      object('The field of the Pod that contains the name of the container to copy from.', {
        fieldRef: optional(
          object(
            'A label or annotation of the Pod whose value is the name.',
            {
              apiVersion: optional(string('Version of the Pod API that the path is written for. Default v1, the only one.')),
              fieldPath: string("`metadata.labels['<key>']` or `metadata.annotations['<key>']`."),
            },
            { 'x-kubernetes-map-type': 'atomic' },
          ),
        ),
      }),
    ),
  }),
);

const sidecarMembers = {
  podInjectPolicy: optional(
    string(
      'BeforeAppContainer puts the container before those of the Pod, AfterAppContainer after them. Default: containers before, init containers after.',
    ),
  ),
  resourcesPolicy: optional(resourcesPolicy),
  shareVolumeDevicePolicy: optional(sharePolicy('volumeDevices', 'Absent: disabled.')),
  shareVolumePolicy: optional(sharePolicy('volumeMounts', 'Default disabled.')),
  transferEnv: optional(transferEnv),
  upgradeStrategy: optional(
    object('How the image of the running sidecar is replaced.', {
      hotUpgradeEmptyImage: optional(
        string('Image of the container that idles while the other one works; required for HotUpgrade, and different from image.'),
      ),
      upgradeType: optional(
        string(
          'ColdUpgrade restarts the container; HotUpgrade alternates between two containers. Cannot be changed later. Default ColdUpgrade.',
        ),
      ),
    }),
  ),
};

const sidecarContainerObject = object('A container as in a Pod, and how it is injected and upgraded.', sidecarMembers, {
  'x-kubernetes-preserve-unknown-fields': true,
});

/** A core container (which the CRD does not check) and the members that a SidecarSet adds to it. */
export type SidecarContainer = Container & Infer<typeof sidecarContainerObject>;
const sidecarContainer = sidecarContainerObject as Schema<SidecarContainer>;

const injectionStrategy = object('How new Pods are injected.', {
  paused: optional(boolean('true: new Pods are not injected; injected ones are still updated. Default false.')),
  revision: optional(
    object('The version that new Pods get. Absent: the newest. revisionName or customVersion must be set.', {
      customVersion: optional(string('The newest revision with this custom version.')),
      policy: optional(
        choice(
          'Always: all new Pods get this version. Partial: only those that the partition of the update excludes. Default Always.',
          revisionPolicies,
          { default: 'Always', enum: revisionPolicies },
        ),
      ),
      revisionName: optional(string('Name of a ControllerRevision of this SidecarSet; takes precedence over customVersion.')),
    }),
  ),
});

const updateStrategy = object('How injected Pods are updated.', {
  maxUnavailable: optional(
    intOrString('How many of the matched Pods may be unavailable: a number, or a percentage rounded up. Default 1.'),
  ),
  partition: optional(
    intOrString('Number of Pods that stay at older versions: a number, or a percentage. Not together with selector. Default 0.'),
  ),
  paused: optional(boolean('true: no Pod is updated; new Pods keep the version of injectionStrategy.revision. Default false.')),
  priorityStrategy: optional(priorityStrategy),
  scatterStrategy: optional(scatterStrategy),
  selector: optional(labelSelector('Updates only Pods with these labels. Not together with partition.')),
  type: optional(string('RollingUpdate updates injected Pods; NotUpdate only injects new ones. Default RollingUpdate.')),
});

const patchPodMetadata = list(
  'Annotations that injected Pods get.',
  object('Annotations with one policy.', {
    annotations: optional(stringMap('Keys and values to set; must be on the allow list of the cluster.')),
    patchPolicy: optional(
      string(
        'Retain keeps a value that the Pod has; Overwrite replaces it; MergePatchJson merges JSON values of several SidecarSets. Default Retain.',
      ),
    ),
  }),
);

const specMembers = {
  containers: optional(
    list('Sidecar containers. Their images can be updated in running Pods; containers cannot be added or renamed later.', sidecarContainer),
  ),
  imagePullSecrets: optional(
    list(
      'Image pull secrets that are added to the Pods.',
      object(
        'One secret of the namespace of the Pod.',
        { name: optional(string('Name of the secret.', { default: '' })) },
        { 'x-kubernetes-map-type': 'atomic' },
      ),
    ),
  ),
  initContainers: optional(list('Init containers, injected at creation only and never updated.', sidecarContainer)),
  injectionStrategy: optional(injectionStrategy),
  namespaceSelector: optional(labelSelector('Pods of namespaces with these labels. Absent: of all namespaces.')),
  patchPodMetadata: optional(patchPodMetadata),
  revisionHistoryLimit: optional(int32('Number of revisions to keep. Default 10; less than 1 acts as 1.')),
  selector: optional(labelSelector('Pods with these labels are injected and updated; must not be empty.')),
  updateStrategy: optional(updateStrategy),
  volumes: optional(opaque<readonly Volume[]>('Volumes as in a Pod; only those that injected containers mount are added.')),
};

const spec = object('The containers to inject, the Pods, and how they are updated.', {
  ...specMembers,
  customVersion: optional(string('A name for the current version, by which injectionStrategy.revision can refer to it later.')),
});

const specV1Alpha1 = object('The containers to inject, the Pods, and how they are updated.', {
  ...specMembers,
  namespace: optional(string('Only Pods of this namespace. Stored as a namespaceSelector, and read back as one.')),
});

const status = object('The most recently observed status.', {
  collisionCount,
  latestRevision: optional(string('Name of the newest ControllerRevision.')),
  matchedPods: int32('Number of Pods that match and are injected.'),
  observedGeneration: optional(int64('Generation that this status was computed from.')),
  readyPods: int32('Number of matched Pods that are ready.'),
  updatedPods: int32('Number of matched Pods with the newest version.'),
  updatedReadyPods: optional(int32('Number of matched Pods with the newest version that are ready.')),
});

const columns = [
  column('MATCHED', 'integer', '.status.matchedPods', 'Number of Pods that match.'),
  column('UPDATED', 'integer', '.status.updatedPods', 'Number of Pods with the newest version.'),
  column('READY', 'integer', '.status.readyPods', 'Number of matched Pods that are ready.'),
  ageColumn,
];

export type SidecarSetSpec = Infer<typeof spec>;
export type SidecarSetStatus = Infer<typeof status>;
export type SidecarSetUpdateStrategy = Infer<typeof updateStrategy>;
export type SidecarSetInjectionStrategy = Infer<typeof injectionStrategy>;
export type SidecarResourcesPolicy = Infer<typeof resourcesPolicy>;
/** An environment variable that a sidecar copies from a container of the Pod. */
export type SidecarTransferEnv = Infer<typeof transferEnv>[number];
/** Annotations that a SidecarSet writes to Pods, and what happens when one exists. */
export type SidecarSetPatchPodMetadata = Infer<typeof patchPodMetadata>[number];

/** v1beta1, the version that the project uses internally. */
export type SidecarSet = KruiseObject<SidecarSetSpec, SidecarSetStatus>;

/** SidecarSet in v1alpha1, which exists only in conversion and admission. */
export type SidecarSetV1Alpha1 = KruiseObject<Infer<typeof specV1Alpha1>, SidecarSetStatus>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('SidecarSet'),
  shortNames: [],
  namespaced: false,
  description:
    'Injects containers, volumes and annotations into Pods when they are created, and replaces the images of those containers in running Pods.',
  controllerName: 'sidecarset-controller',
  conversion: 'Webhook',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: {
    status: ['patch', 'update'],
    owns: true,
    others: [
      right('', ['pods'], [...reading, 'patch']),
      right('', ['pods/status'], ['patch']),
      right('', ['configmaps', 'namespaces'], reading),
      right('apps', ['controllerrevisions'], managing),
    ],
  },
  atUninstall: { kind: 'Warn', called: 'sidecarsets' },
  versions: [
    { name: 'v1alpha1', storage: false, spec: specV1Alpha1, status, columns },
    { name: 'v1beta1', storage: true, spec, status, columns },
  ],
};

/** How a client addresses SidecarSets. */
export const sidecarSets = resourceTypeOf<SidecarSet>(declaration, 'v1beta1');
export const sidecarSetsV1Alpha1 = resourceTypeOf<SidecarSetV1Alpha1>(declaration, 'v1alpha1');
