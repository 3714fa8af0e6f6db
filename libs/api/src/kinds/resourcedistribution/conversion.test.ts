import { describe, expect, it } from '@jest/globals';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { b: '1', a: '<&>' }, list: [] };
const selector = { matchLabels: { team: 'x' } };
const included = { list: [{ name: 'ns1' }] };

const alpha = deepFreeze({
  metadata: { name: 'd' },
  spec: { resource, targets: { namespaceLabelSelector: selector, includedNamespaces: included } },
  status: {
    desired: 2,
    failed: 1,
    conditions: [
      { type: 'ConflictOccurred', status: 'True', failedNamespace: ['ns1'] },
      { type: 'X', status: 'False' },
    ],
  },
});
const beta = deepFreeze({
  metadata: { name: 'd' },
  spec: { resource, targets: { namespaceSelector: selector, includedNamespaces: included } },
  status: {
    desired: 2,
    failed: 1,
    conditions: [
      { type: 'ConflictOccurred', status: 'True', failedNamespaces: ['ns1'] },
      { type: 'X', status: 'False' },
    ],
  },
});

describe('conversion of ResourceDistributions', () => {
  it('renames the selector and the failed namespaces, and keeps the included ones', () => {
    expect(convertedObject(converter.toHub(alpha))).toEqual(beta);
    expect(convertedObject(converter.fromHub(beta))).toEqual(alpha);
  });

  it('hands the resource on byte for byte', () => {
    const { spec } = convertedObject(converter.toHub(alpha)) as { spec: { resource: unknown } };
    expect(JSON.stringify(spec.resource)).toBe(JSON.stringify(resource));
  });

  it('empty lists become absent', () => {
    const empty = {
      metadata: { name: 'd' },
      spec: { resource, targets: { includedNamespaces: { list: [] }, excludedNamespaces: { list: [] } } },
      status: { conditions: [{ type: 'X', status: 'False', failedNamespace: [] }] },
    };
    expect(convertedObject(converter.toHub(empty))).toEqual({
      metadata: { name: 'd' },
      spec: { resource, targets: { includedNamespaces: {}, excludedNamespaces: {} } },
      status: { conditions: [{ type: 'X', status: 'False' }] },
    });
  });
});
