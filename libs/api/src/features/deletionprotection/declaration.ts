/** Deletion protection: the webhooks of kinds that are not ours. The ordinary webhooks of our own kinds check the same rule. */
import type { FeatureDeclaration, FeatureWebhook } from '../../schema/feature.ts';
import { right } from '../../schema/rights.ts';
import { labels } from '../../well-known.ts';

const guard = (
  name: string,
  path: string,
  about: Pick<FeatureWebhook, 'group' | 'resource' | 'gate'> & { readonly versions?: readonly string[] },
): FeatureWebhook => ({
  name: `${name}.kb.io`,
  path: `/validate-${path}`,
  versions: ['v1'],
  operations: ['DELETE'],
  objectLabel: labels.deleteProtection,
  ...about,
});

/** @see spec/deletion-protection.md 2 */
export const deletionProtectionDeclaration: FeatureDeclaration = {
  name: 'deletion protection',
  webhooks: [
    guard('vbuiltindeployment', 'apps-deployment', { group: 'apps', resource: 'deployments' }),
    guard('vbuiltinreplicaset', 'apps-replicaset', { group: 'apps', resource: 'replicasets' }),
    guard('vbuiltinstatefulset', 'apps-statefulset', { group: 'apps', resource: 'statefulsets' }),
    guard('vcustomresourcedefinition', 'customresourcedefinition', {
      group: 'apiextensions.k8s.io',
      resource: 'customresourcedefinitions',
      versions: ['v1', 'v1beta1'],
    }),
    guard('vnamespace', 'namespace', { group: '', resource: 'namespaces' }),
    guard('vservice', 'service', { group: '', resource: 'services', gate: 'ResourcesDeletionProtection' }),
    guard('vingress', 'ingress', {
      group: 'networking.k8s.io',
      resource: 'ingresses',
      versions: ['v1', 'v1beta1'],
      gate: 'ResourcesDeletionProtection',
    }),
  ],
  rights: [
    { ...right('', ['pods', 'persistentvolumeclaims'], ['list']), gates: ['ResourcesDeletionProtection'] },
    // There may be a CRD of any kind.
    {
      ...right('*', ['*'], ['list']),
      gates: ['ResourcesDeletionProtection', 'DeletionProtectionForCRDCascadingGate'],
      groupsFrom: 'roleListGroups',
    },
  ],
};
