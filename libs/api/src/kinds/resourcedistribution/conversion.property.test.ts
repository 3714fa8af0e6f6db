import { describe } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { mapItems, mapMember, withoutEmpty } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

const targets = (members: JsonObject): JsonObject =>
  ['includedNamespaces', 'excludedNamespaces'].reduce(
    (result, name) => mapMember(result, name, (namespaces) => withoutEmpty(namespaces, 'list')),
    members,
  );

/** Treats empty lists as absent ones. */
const equal = (object: JsonObject): JsonObject =>
  mapMember(
    mapMember(object, 'spec', (spec) => mapMember(spec, 'targets', targets)),
    'status',
    (status) => mapItems(status, 'conditions', (condition) => withoutEmpty(condition, 'failedNamespace', 'failedNamespaces')),
  );

describe('conversion of ResourceDistributions', () => {
  itConvertsLosslessly({ declaration, converter, equalAlpha: equal, equalBeta: equal });
});
