import { describe } from '@jest/globals';
import { membersAt, withMembers, withMetadataValues, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { mapMember, withoutEmpty } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { sidecarSetLabels } from './names.ts';
import { declaration } from './schema.ts';

/** An empty custom version equals none, and so does an empty map of labels or annotations. */
const withoutEmptyMaps = (object: JsonObject): JsonObject =>
  mapMember(object, 'metadata', (metadata) => withoutEmpty(metadata, 'labels', 'annotations'));

const equalBeta = (object: JsonObject): JsonObject =>
  withoutEmptyMaps(
    mapMember(object, 'spec', (spec) => withMembers(spec, spec['customVersion'] === '' ? { customVersion: undefined } : {})),
  );

/** A namespace is read back as its equivalent selector. */
const equalAlpha = (object: JsonObject): JsonObject => {
  const { namespace } = membersAt(object, 'spec');
  const selected = mapMember(object, 'spec', (spec) =>
    withMembers(spec, {
      namespace: undefined,
      ...(typeof namespace === 'string' && namespace !== ''
        ? { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }
        : {}),
    }),
  );
  const version = membersAt(membersAt(object, 'metadata'), 'labels')[sidecarSetLabels.customVersion];
  return withoutEmptyMaps(
    version === '' ? withMetadataValues(selected, 'labels', { [sidecarSetLabels.customVersion]: undefined }) : selected,
  );
};

describe('conversion of SidecarSets', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    alpha: { labels: { [sidecarSetLabels.customVersion]: fc.constantFrom('', 'v1', '2') } },
    equalAlpha,
    equalBeta,
  });
});
