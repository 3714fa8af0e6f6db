import { describe } from '@jest/globals';
import fc from 'fast-check';
import { metadataValue, withMetadataValues, type Members } from '../../conversion/converter.ts';
import { mapMember, withoutEmpty } from '../../conversion/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { annotations } from '../../well-known.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

const withoutEmptyMaps = (object: Members): Members =>
  mapMember(object, 'metadata', (metadata) => withoutEmpty(metadata, 'labels', 'annotations'));

const both = { [annotations.pubProtectOperations]: undefined, [annotations.pubProtectTotalReplicas]: undefined };

/** The annotations stay on the way up, where the members count; an empty list of operations is none. */
const equalBeta = (object: Members): Members =>
  withoutEmptyMaps(
    withMetadataValues(
      mapMember(object, 'spec', (spec) => withoutEmpty(spec, 'protectOperations')),
      'annotations',
      both,
    ),
  );

/** The form in which operations and total are written back. */
const equalAlpha = (object: Members): Members => {
  const words = (metadataValue(object, 'annotations', annotations.pubProtectOperations) ?? '').split(/[ ,]+/).filter((word) => word !== '');
  const total = metadataValue(object, 'annotations', annotations.pubProtectTotalReplicas) ?? '';
  return withoutEmptyMaps(
    withMetadataValues(object, 'annotations', {
      [annotations.pubProtectOperations]: words.length === 0 ? undefined : words.join(','),
      [annotations.pubProtectTotalReplicas]: total === '' ? undefined : String(Number(total)),
    }),
  );
};

describe('conversion of PodUnavailableBudgets', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: {
      annotations: {
        [annotations.pubProtectOperations]: fc.constantFrom('', 'DELETE', 'DELETE, EVICT', ',UPDATE,,RESIZE'),
        [annotations.pubProtectTotalReplicas]: fc.constantFrom('', '15', '007', '+1'),
      },
    },
    beta: {
      annotations: {
        [annotations.pubProtectOperations]: fc.constantFrom('DELETE', 'whatever'),
        [annotations.pubProtectTotalReplicas]: fc.constantFrom('15', 'whatever'),
      },
    },
    equalAlpha,
    equalBeta,
  });
});
