import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const label = 'apps.kruise.io/sidecarset-custom-version';

describe('SidecarSet to v1beta1', () => {
  it.each<{ name: string; given: JsonObject; then: JsonObject }>([
    {
      name: 'a namespace becomes a selector, the label a member',
      given: { metadata: { name: 's', labels: { [label]: 'v1', a: 'b' } }, spec: { namespace: 'ns1', containers: [{ name: 'c', x: 1 }] } },
      then: {
        metadata: { name: 's', labels: { a: 'b' } },
        spec: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ns1' } },
          customVersion: 'v1',
          containers: [{ name: 'c', x: 1 }],
        },
      },
    },
    {
      name: 'a selector beside a namespace is dropped',
      given: { metadata: { name: 's' }, spec: { namespace: 'ns1', namespaceSelector: { matchLabels: { a: 'b' } } } },
      then: { metadata: { name: 's' }, spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ns1' } } } },
    },
    {
      name: 'a selector without a namespace is copied',
      given: { metadata: { name: 's' }, spec: { namespace: '', namespaceSelector: { matchLabels: { a: 'b' } } } },
      then: { metadata: { name: 's' }, spec: { namespaceSelector: { matchLabels: { a: 'b' } } } },
    },
    {
      name: 'an empty label moves too, and an empty label map is removed',
      given: { metadata: { name: 's', labels: { [label]: '' } }, spec: { volumes: [] } },
      then: { metadata: { name: 's' }, spec: { customVersion: '', volumes: [] } },
    },
  ])('$name', ({ given, then }) => {
    expect(convertedObject(converter.toHub(deepFreeze(given)))).toEqual(then);
  });
});

describe('SidecarSet to v1alpha1', () => {
  it.each<{ name: string; given: JsonObject; then: JsonObject }>([
    {
      name: 'the member becomes the label, and the namespace is not restored',
      given: {
        metadata: { name: 's' },
        spec: { customVersion: 'v1', namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ns1' } } },
      },
      then: {
        metadata: { name: 's', labels: { [label]: 'v1' } },
        spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ns1' } } },
      },
    },
    {
      name: 'a label that the v1beta1 object has itself stays',
      given: { metadata: { name: 's', labels: { [label]: 'own' } }, spec: { customVersion: '' } },
      then: { metadata: { name: 's', labels: { [label]: 'own' } }, spec: {} },
    },
    {
      name: 'a customVersion that is no text stays, and the label with it',
      given: { metadata: { name: 's', labels: { [label]: 'own' } }, spec: { customVersion: 7 } },
      then: { metadata: { name: 's', labels: { [label]: 'own' } }, spec: { customVersion: 7 } },
    },
  ])('$name', ({ given, then }) => {
    expect(convertedObject(converter.fromHub(deepFreeze(given)))).toEqual(then);
  });
});
