import { describe } from '@jest/globals';
import { metadataValue, withMetadataValues, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { mapMember, withoutEmpty } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { podUnavailableBudgetAnnotations } from './names.ts';
import { declaration } from './schema.ts';

const withoutEmptyMaps = (object: JsonObject): JsonObject =>
  mapMember(object, 'metadata', (metadata) => withoutEmpty(metadata, 'labels', 'annotations'));

const both = {
  [podUnavailableBudgetAnnotations.protectOperations]: undefined,
  [podUnavailableBudgetAnnotations.protectTotalReplicas]: undefined,
};

/** The annotations are kept in v1beta1, where the members count; an empty list of operations equals none. */
const equalBeta = (object: JsonObject): JsonObject =>
  withoutEmptyMaps(
    withMetadataValues(
      mapMember(object, 'spec', (spec) => withoutEmpty(spec, 'protectOperations')),
      'annotations',
      both,
    ),
  );

/** The form in which operations and total are written back. */
const equalAlpha = (object: JsonObject): JsonObject => {
  const words = (metadataValue(object, 'annotations', podUnavailableBudgetAnnotations.protectOperations) ?? '')
    .split(/[ ,]+/)
    .filter((word) => word !== '');
  const total = metadataValue(object, 'annotations', podUnavailableBudgetAnnotations.protectTotalReplicas) ?? '';
  return withoutEmptyMaps(
    withMetadataValues(object, 'annotations', {
      [podUnavailableBudgetAnnotations.protectOperations]: words.length === 0 ? undefined : words.join(','),
      [podUnavailableBudgetAnnotations.protectTotalReplicas]: total === '' ? undefined : String(Number(total)),
    }),
  );
};

describe('conversion of PodUnavailableBudgets', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: {
      annotations: {
        [podUnavailableBudgetAnnotations.protectOperations]: fc.constantFrom('', 'DELETE', 'DELETE, EVICT', ',UPDATE,,RESIZE'),
        [podUnavailableBudgetAnnotations.protectTotalReplicas]: fc.constantFrom('', '15', '007', '+1'),
      },
    },
    beta: {
      annotations: {
        [podUnavailableBudgetAnnotations.protectOperations]: fc.constantFrom('DELETE', 'whatever'),
        [podUnavailableBudgetAnnotations.protectTotalReplicas]: fc.constantFrom('15', 'whatever'),
      },
    },
    equalAlpha,
    equalBeta,
  });
});
