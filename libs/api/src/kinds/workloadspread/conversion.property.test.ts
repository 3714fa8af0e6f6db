import { describe } from '@jest/globals';
import { withMembers, type JsonObject } from '@kruise/objects';
import { mapItems, mapList, mapMember } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

/** Applies `change` to every condition of every subset state. */
const changed = (object: JsonObject, change: (condition: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, 'status', (status) => {
    const state = (members: JsonObject): JsonObject => mapItems(members, 'conditions', change);
    return mapMember(mapItems(status, 'subsetStatuses', state), 'versionedSubsetStatuses', (versions) =>
      Object.fromEntries(Object.entries(versions).map(([version, states]) => [version, mapList(states as readonly unknown[], state)])),
    );
  });

const reportOf = (value: unknown, otherwise: string): unknown => (value === undefined || value === '' ? otherwise : value);

describe('conversion of WorkloadSpreads', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    equalBeta: (object) => changed(object, (condition) => withMembers(condition, { observedGeneration: undefined })),
    equalAlpha: (object) =>
      changed(object, (condition) => ({
        ...condition,
        reason: reportOf(condition['reason'], 'Unknown'),
        message: reportOf(condition['message'], ''),
        // A time that was never set, or set to the start of the epoch, is absent.
        lastTransitionTime: reportOf(condition['lastTransitionTime'] === '1970-01-01T00:00:00Z' ? '' : condition['lastTransitionTime'], ''),
      })),
  });
});
