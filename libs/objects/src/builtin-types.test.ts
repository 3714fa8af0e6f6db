import { describe, expect, it } from '@jest/globals';
import * as types from './builtin-types.ts';

describe('the built-in types', () => {
  it.each<[keyof typeof types, string, string, string, boolean]>([
    ['pods', '', 'Pod', 'pods', true],
    ['nodes', '', 'Node', 'nodes', false],
    ['persistentVolumeClaims', '', 'PersistentVolumeClaim', 'persistentvolumeclaims', true],
    ['events', '', 'Event', 'events', true],
    ['namespaces', '', 'Namespace', 'namespaces', false],
    ['secrets', '', 'Secret', 'secrets', true],
    ['configMaps', '', 'ConfigMap', 'configmaps', true],
    ['controllerRevisions', 'apps', 'ControllerRevision', 'controllerrevisions', true],
    ['leases', 'coordination.k8s.io', 'Lease', 'leases', true],
    ['customResourceDefinitions', 'apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', false],
    [
      'mutatingWebhookConfigurations',
      'admissionregistration.k8s.io',
      'MutatingWebhookConfiguration',
      'mutatingwebhookconfigurations',
      false,
    ],
    [
      'validatingWebhookConfigurations',
      'admissionregistration.k8s.io',
      'ValidatingWebhookConfiguration',
      'validatingwebhookconfigurations',
      false,
    ],
  ])('hold %s as the API server serves them', (name, group, kind, plural, namespaced) => {
    expect(types[name]).toStrictEqual({ group, version: 'v1', kind, plural, namespaced });
  });
});
