import { describe } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { mapMember, withoutEmpty } from '../../members/nested-members.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

/** Treats empty lists and maps as absent ones. */
const equal = (object: JsonObject): JsonObject =>
  mapMember(
    mapMember(object, 'spec', (spec) => withoutEmpty(spec, 'preferredPersistentTopology', 'persistentPodAnnotations')),
    'status',
    (status) =>
      withoutEmpty(
        mapMember(status, 'podStates', (states) =>
          Object.fromEntries(
            Object.entries(states).map(([pod, state]) => [pod, withoutEmpty(state as JsonObject, 'nodeTopologyLabels', 'annotations')]),
          ),
        ),
        'podStates',
      ),
  );

describe('conversion of PersistentPodStates', () => {
  itConvertsLosslessly({ declaration, converter, equalAlpha: equal, equalBeta: equal });
});
