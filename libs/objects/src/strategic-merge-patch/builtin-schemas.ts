/** The merge keys of the built-in types, as data: `patchStrategy` and `patchMergeKey` of Kubernetes' API types. */
import { plainSchema, type MemberRule, type PatchSchema } from './patch-schema.ts';

const of = (schema: PatchSchema): MemberRule => ({ schema });
const byKey = (mergeKey: string, schema = plainSchema): MemberRule => ({ strategy: 'merge', mergeKey, schema });
const unionByKey = (mergeKey: string): MemberRule => ({ strategy: 'merge', mergeKey, retainKeys: true });
const set: MemberRule = { strategy: 'merge' };
const union: MemberRule = { retainKeys: true };

/** The merge rules for the lists of `metadata`: finalizers as a set, owner references by `uid`. */
export const objectMetaPatchSchema: PatchSchema = { members: { ownerReferences: byKey('uid'), finalizers: set } };

const objectOf = (members: PatchSchema['members']): PatchSchema => ({ members: { metadata: of(objectMetaPatchSchema), ...members } });
const specOf = (members: PatchSchema['members']): MemberRule => of({ members });
/** Most statuses merge only their conditions. */
const conditions: MemberRule = of({ members: { conditions: byKey('type') } });

/** How the lists of a container merge; for patches of one container. */
const containerPatchSchema: PatchSchema = {
  members: {
    env: byKey('name'),
    ports: byKey('containerPort'),
    volumeDevices: byKey('devicePath'),
    volumeMounts: byKey('mountPath'),
  },
};

/** The merge rules for the lists of a Pod's spec, by the tags of the Go structs. */
export const podSpecPatchSchema: PatchSchema = {
  members: {
    containers: byKey('name', containerPatchSchema),
    ephemeralContainers: byKey('name', containerPatchSchema),
    hostAliases: byKey('ip'),
    imagePullSecrets: byKey('name'),
    initContainers: byKey('name', containerPatchSchema),
    resourceClaims: unionByKey('name'),
    schedulingGates: byKey('name'),
    topologySpreadConstraints: byKey('topologyKey'),
    volumes: unionByKey('name'),
  },
};

/** The merge rules for the lists of a Pod template: those of its metadata and its spec. */
export const podTemplateSpecPatchSchema: PatchSchema = objectOf({ spec: of(podSpecPatchSchema) });
const template: MemberRule = of(podTemplateSpecPatchSchema);

/** The merge rules for the lists of a whole Pod, including its status. */
export const podPatchSchema: PatchSchema = objectOf({
  spec: of(podSpecPatchSchema),
  status: of({
    members: { conditions: byKey('type'), hostIPs: byKey('ip'), podIPs: byKey('ip'), resourceClaimStatuses: unionByKey('name') },
  }),
});

const workload = objectOf({ spec: specOf({ template }), status: conditions });
const jobSpec: MemberRule = specOf({ template });
const webhookConfiguration = objectOf({ webhooks: byKey('name', { members: { matchConditions: byKey('name') } }) });

/** By `group/Kind`; the core group is ''. Versions of one kind merge alike. */
const schemas: Readonly<Record<string, PatchSchema>> = {
  '/Pod': podPatchSchema,
  '/PodTemplate': objectOf({ template }),
  '/Service': objectOf({ spec: specOf({ ports: byKey('port') }), status: conditions }),
  '/ServiceAccount': objectOf({ secrets: byKey('name') }),
  '/Node': objectOf({
    spec: specOf({ podCIDRs: set }),
    status: of({ members: { addresses: byKey('type'), conditions: byKey('type') } }),
  }),
  '/Namespace': objectOf({ status: conditions }),
  '/PersistentVolumeClaim': objectOf({ status: conditions }),
  '/ReplicationController': workload,
  'apps/Deployment': objectOf({ spec: specOf({ strategy: union, template }), status: conditions }),
  'apps/ReplicaSet': workload,
  'apps/StatefulSet': workload,
  'apps/DaemonSet': workload,
  'batch/Job': objectOf({ spec: jobSpec, status: conditions }),
  'batch/CronJob': objectOf({ spec: specOf({ jobTemplate: of(objectOf({ spec: jobSpec })) }) }),
  'policy/PodDisruptionBudget': objectOf({ spec: specOf({ selector: { strategy: 'replace' } }), status: conditions }),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookConfiguration,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookConfiguration,
};

const metadataOnly = objectOf({});

/**
 * Returns how objects of a built-in kind merge.
 *
 * @param group '' for the core group
 * @returns for kinds without an entry, only the rules of metadata; the API server itself refuses strategic patches of custom resources
 */
export function patchSchemaOf(group: string, kind: string): PatchSchema {
  const key = `${group}/${kind}`;
  return (Object.hasOwn(schemas, key) ? schemas[key] : undefined) ?? metadataOnly;
}
