/** PersistentPodState v1alpha1 <-> v1beta1 (spec/persistentpodstate.md 1.1): `nodeTopologyKeys` and `keys` are the same list. */
import { isJsonObject, withMembers, type JsonObject } from '@kruise/objects';
import { converted, type Converter } from '../../conversion/converter.ts';
import { mapItems, mapMember, renameMember, withoutEmpty } from '../../members/nested-members.ts';

/** Omits empty lists and maps that the schema does not require. */
const withoutEmptyPodStateMembers = (states: JsonObject): JsonObject =>
  withMembers(
    states,
    Object.fromEntries(
      Object.entries(states).map(([pod, state]) => [
        pod,
        isJsonObject(state) ? withoutEmpty(state, 'nodeTopologyLabels', 'annotations') : state,
      ]),
    ),
  );

function convert(object: JsonObject, from: string, to: string): JsonObject {
  const rename = (topology: JsonObject): JsonObject => renameMember(topology, from, to);
  const renamed = mapMember(object, 'spec', (spec) => {
    const required = mapMember(spec, 'requiredPersistentTopology', rename);
    const both = mapItems(required, 'preferredPersistentTopology', (term) => mapMember(term, 'preference', rename));
    return withoutEmpty(both, 'preferredPersistentTopology', 'persistentPodAnnotations');
  });
  return mapMember(renamed, 'status', (status) => withoutEmpty(mapMember(status, 'podStates', withoutEmptyPodStateMembers), 'podStates'));
}

/** Converts PersistentPodStates between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = {
  group: 'apps.kruise.io',
  kind: 'PersistentPodState',
  toHub: (object) => converted(convert(object, 'nodeTopologyKeys', 'keys')),
  fromHub: (object) => converted(convert(object, 'keys', 'nodeTopologyKeys')),
};
