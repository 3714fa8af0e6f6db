/** SidecarSet v1alpha1 <-> v1beta1 (spec/sidecarset.md 1): the namespace becomes a selector, the label of the custom version a member. */
import { changeMember, membersAt, metadataValue, withMembers, withMetadataValues, type JsonObject } from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { mapMember } from '../../members/nested-members.ts';
import { labels } from '../../well-known.ts';
import { sidecarSetLabels } from './names.ts';

function toHub(object: JsonObject): Conversion {
  const selected = mapMember(object, 'spec', namespaceAsSelector);
  const customVersion = metadataValue(object, 'labels', sidecarSetLabels.customVersion);
  if (customVersion === undefined) return converted(selected);
  const named = changeMember(selected, 'spec', (spec) => withMembers(spec, { customVersion }));
  return converted(withMetadataValues(named, 'labels', { [sidecarSetLabels.customVersion]: undefined }));
}

/** Converts a namespace, which replaces a selector beside it. */
function namespaceAsSelector(spec: JsonObject): JsonObject {
  const { namespace } = spec;
  if (namespace === '') return withMembers(spec, { namespace: undefined });
  if (typeof namespace !== 'string') return spec;
  return withMembers(spec, { namespace: undefined, namespaceSelector: { matchLabels: { [labels.namespaceName]: namespace } } });
}

/**
 * Converts to v1alpha1. A namespace is never restored from a selector. The label of a v1beta1 object itself is kept unless customVersion has another
 * value.
 */
function fromHub(object: JsonObject): Conversion {
  const { customVersion } = membersAt(object, 'spec');
  if (typeof customVersion !== 'string') return converted(object);
  const unnamed = mapMember(object, 'spec', (spec) => withMembers(spec, { customVersion: undefined }));
  if (customVersion === '') return converted(unnamed);
  return converted(withMetadataValues(unnamed, 'labels', { [sidecarSetLabels.customVersion]: customVersion }));
}

/** Converts SidecarSets between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'SidecarSet', toHub, fromHub };
