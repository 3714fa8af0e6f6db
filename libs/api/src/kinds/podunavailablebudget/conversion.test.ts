import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const operations = 'kruise.io/pub-protect-operations';
const total = 'pub.kruise.io/protect-total-replicas';
const carried = 'apps.kruise.io/v1beta1-members';
const alphaWith = (annotations: Record<string, string>): JsonObject =>
  deepFreeze({ metadata: { name: 'p', annotations }, spec: { maxUnavailable: 1 } });
const betaWith = (spec: JsonObject, annotations?: Record<string, string>): JsonObject =>
  deepFreeze({ metadata: { name: 'p', ...(annotations === undefined ? {} : { annotations }) }, spec });

describe('PodUnavailableBudget to v1beta1', () => {
  it.each<{ name: string; given: Record<string, string>; then: JsonObject }>([
    {
      name: 'both annotations become members, words trimmed and in their order',
      given: { [operations]: 'DELETE, EVICT', [total]: '15' },
      then: { maxUnavailable: 1, protectOperations: ['DELETE', 'EVICT'], protectTotalReplicas: 15 },
    },
    { name: 'empty words are skipped', given: { [operations]: ' ,RESIZE,, ' }, then: { maxUnavailable: 1, protectOperations: ['RESIZE'] } },
    { name: 'empty annotations say nothing', given: { [operations]: '', [total]: '' }, then: { maxUnavailable: 1 } },
  ])('$name', ({ given, then }) => {
    expect(convertedObject(converter.toHub(alphaWith(given)))).toEqual({ metadata: { name: 'p', annotations: given }, spec: then });
  });

  it.each<{ given: Record<string, string>; then: JsonObject }>([
    { given: { [operations]: 'DELETE,remove' }, then: { protectOperations: ['DELETE'] } },
    { given: { [operations]: 'remove' }, then: {} },
    { given: { [total]: 'many' }, then: {} },
    { given: { [total]: '2147483648' }, then: {} },
    { given: { [total]: ' 1', [operations]: 'EVICT' }, then: { protectOperations: ['EVICT'] } },
  ])('what of $given cannot be read says nothing', ({ given, then }) => {
    expect(convertedObject(converter.toHub(alphaWith(given)))).toEqual({
      metadata: { name: 'p', annotations: given },
      spec: { maxUnavailable: 1, ...then },
    });
  });
});

describe('the selector that v1alpha1 does not have', () => {
  it('is restored, and the annotation is removed', () => {
    const selector = { matchLabels: { a: 'b' } };
    const alpha = alphaWith({ [carried]: JSON.stringify({ spec: { ignoredPodSelector: selector, maxUnavailable: 7 } }) });
    expect(convertedObject(converter.toHub(alpha))).toEqual({
      metadata: { name: 'p' },
      spec: { maxUnavailable: 1, ignoredPodSelector: selector },
    });
  });

  it.each(['no JSON', '[]', '{"spec":{"ignoredPodSelector":"x"}}', '{"spec":{"ignoredPodSelector":{"matchLabels":{"a":1}}}}'])(
    'is dropped when a client wrote %s',
    (text) => {
      expect(convertedObject(converter.toHub(alphaWith({ [carried]: text })))).toEqual({
        metadata: { name: 'p' },
        spec: { maxUnavailable: 1 },
      });
    },
  );
});

describe('PodUnavailableBudget to v1alpha1', () => {
  it.each<{ name: string; given: JsonObject; annotations?: Record<string, string>; then: JsonObject }>([
    {
      name: 'members become annotations',
      given: { protectOperations: ['UPDATE', 'DELETE'], protectTotalReplicas: 7 },
      then: { metadata: { name: 'p', annotations: { [operations]: 'UPDATE,DELETE', [total]: '7' } }, spec: {} },
    },
    {
      name: 'annotations of unset members go',
      given: { protectOperations: [], minAvailable: '50%' },
      annotations: { [operations]: 'DELETE', [total]: '3', a: 'b' },
      then: { metadata: { name: 'p', annotations: { a: 'b' } }, spec: { minAvailable: '50%' } },
    },
    {
      name: 'members of another type stay',
      given: { protectOperations: 'DELETE', protectTotalReplicas: '7', ignoredPodSelector: 'x' },
      then: { metadata: { name: 'p' }, spec: { protectOperations: 'DELETE', protectTotalReplicas: '7', ignoredPodSelector: 'x' } },
    },
    {
      name: 'the selector that v1alpha1 does not have is carried along',
      given: { ignoredPodSelector: { matchLabels: { a: 'b' } } },
      then: { metadata: { name: 'p', annotations: { [carried]: '{"spec":{"ignoredPodSelector":{"matchLabels":{"a":"b"}}}}' } }, spec: {} },
    },
  ])('$name', ({ given, annotations, then }) => {
    expect(convertedObject(converter.fromHub(betaWith(given, annotations)))).toEqual(then);
  });
});
