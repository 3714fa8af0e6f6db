// The facts are the struct tags `patchStrategy` and `patchMergeKey` of the API server of Kubernetes 1.34.
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/own-member.ts';
import { applyStrategicMergePatch } from './apply.ts';
import { patchSchemaOf } from './builtin-schemas.ts';
import { createStrategicMergePatch } from './create.ts';
import type { PatchSchema } from './patch-schema.ts';

const schemaOf = (type: string): PatchSchema => {
  const [group = '', kind = ''] = type.split('/');
  return patchSchemaOf(group, kind);
};

/** Returns an object with the value at a path; `*` is the one element of a list, called w. */
const within = (path: string, value: unknown): JsonObject =>
  path
    .split('.')
    .reduceRight<unknown>(
      (inner, step) => (step === '*' ? [{ name: 'w', ...(inner as JsonObject) }] : { [step]: inner }),
      value,
    ) as JsonObject;

const inPodSpec = [
  ['containers', 'name'],
  ['containers.*.env', 'name'],
  ['containers.*.ports', 'containerPort'],
  ['containers.*.volumeDevices', 'devicePath'],
  ['containers.*.volumeMounts', 'mountPath'],
  ['ephemeralContainers', 'name'],
  ['ephemeralContainers.*.env', 'name'],
  ['hostAliases', 'ip'],
  ['imagePullSecrets', 'name'],
  ['initContainers', 'name'],
  ['initContainers.*.env', 'name'],
  ['resourceClaims', 'name'],
  ['schedulingGates', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['volumes', 'name'],
] as const;

const withTemplate: readonly (readonly [type: string, path: string])[] = [
  ['/PodTemplate', 'template'],
  ['/ReplicationController', 'spec.template'],
  ['apps/Deployment', 'spec.template'],
  ['apps/ReplicaSet', 'spec.template'],
  ['apps/StatefulSet', 'spec.template'],
  ['apps/DaemonSet', 'spec.template'],
  ['batch/Job', 'spec.template'],
  ['batch/CronJob', 'spec.jobTemplate.spec.template'],
];

const withConditions = [
  '/Pod',
  '/Service',
  '/Node',
  '/Namespace',
  '/PersistentVolumeClaim',
  '/ReplicationController',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'batch/Job',
  'policy/PodDisruptionBudget',
];

const lists: readonly (readonly [type: string, path: string, mergeKey: string])[] = [
  ...inPodSpec.map(([path, key]) => ['/Pod', `spec.${path}`, key] as const),
  ['/Pod', 'status.hostIPs', 'ip'],
  ['/Pod', 'status.podIPs', 'ip'],
  ['/Pod', 'status.resourceClaimStatuses', 'name'],
  ['/Service', 'spec.ports', 'port'],
  ['/ServiceAccount', 'secrets', 'name'],
  ['/Node', 'status.addresses', 'type'],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', 'webhooks', 'name'],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', 'webhooks.*.matchConditions', 'name'],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', 'webhooks', 'name'],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', 'webhooks.*.matchConditions', 'name'],
  ...withConditions.map((type) => [type, 'status.conditions', 'type'] as const),
  ...withTemplate.flatMap(
    ([type, path]) =>
      [
        [type, 'metadata.ownerReferences', 'uid'],
        [type, `${path}.metadata.ownerReferences`, 'uid'],
        [type, `${path}.spec.containers.*.ports`, 'containerPort'],
      ] as const,
  ),
  ['batch/CronJob', 'spec.jobTemplate.metadata.ownerReferences', 'uid'],
  ['/ConfigMap', 'metadata.ownerReferences', 'uid'],
];

describe('the built-in types', () => {
  it.each(lists)('merge: %s, %s by %s', (type, path, key) => {
    const before = within(path, [
      { [key]: 'a', x: 1, y: 1 },
      { [key]: 'b', x: 1 },
    ]);
    expect(applyStrategicMergePatch(before, within(path, [{ [key]: 'a', x: 2 }]), schemaOf(type))).toEqual({
      kind: 'Patched',
      value: within(path, [
        { [key]: 'a', x: 2, y: 1 },
        { [key]: 'b', x: 1 },
      ]),
    });
  });

  it.each([
    ['/ConfigMap', 'metadata.finalizers'],
    ['/Pod', 'metadata.finalizers'],
    ['/Node', 'spec.podCIDRs'],
    ['apps/Deployment', 'spec.template.metadata.finalizers'],
  ])('unite scalars: %s, %s', (type, path) => {
    expect(applyStrategicMergePatch(within(path, ['a', 'c']), within(path, ['b', 'c']), schemaOf(type))).toEqual({
      kind: 'Patched',
      value: within(path, ['b', 'a', 'c']),
    });
  });

  it.each([
    ['/Pod', 'spec.containers.*.args'],
    ['/Pod', 'status.containerStatuses'],
    ['/Node', 'spec.taints'],
    ['/ServiceAccount', 'imagePullSecrets'],
    ['apps/StatefulSet', 'spec.volumeClaimTemplates'],
    ['example.com/Pod', 'spec.containers'],
  ])('replace lists without a rule: %s, %s', (type, path) => {
    expect(applyStrategicMergePatch(within(path, [{ name: 'a' }]), within(path, [{ name: 'b' }]), schemaOf(type))).toEqual({
      kind: 'Patched',
      value: within(path, [{ name: 'b' }]),
    });
  });

  it.each([
    ['/Pod', 'spec.volumes.*'],
    ['/Pod', 'spec.resourceClaims.*'],
    ['/Pod', 'status.resourceClaimStatuses.*'],
    ['apps/Deployment', 'spec.strategy'],
    ['apps/ReplicaSet', 'spec.template.spec.volumes.*'],
  ])('define what a union keeps: %s, %s', (type, path) => {
    const patch = createStrategicMergePatch(within(path, { a: 1 }), within(path, { b: 1 }), schemaOf(type));
    expect(JSON.stringify(patch)).toContain(path.endsWith('*') ? '"$retainKeys":["b","name"]' : '"$retainKeys":["b"]');
  });
});
