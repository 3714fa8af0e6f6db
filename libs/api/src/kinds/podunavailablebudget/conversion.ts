/**
 * PodUnavailableBudget v1alpha1 <-> v1beta1 (spec/podunavailablebudget.md 1): two members of v1beta1 are annotations in v1alpha1. The third,
 * ignoredPodSelector, is carried through v1alpha1 in an annotation of its own.
 */
import {
  changeMember,
  isJsonObject,
  membersAt,
  metadataValue,
  parseInt32,
  splitWords,
  withMembers,
  withMetadataValues,
  type JsonObject,
} from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { carryHubMembers, takeHubMembers } from '../../conversion/hub-members.ts';
import { mapMember } from '../../members/nested-members.ts';
import { conforms } from '../../schema/conforms.ts';
import { podUnavailableBudgetAnnotations } from './names.ts';
import { ignoredPodSelector, pubOperations, type PubOperation } from './schema.ts';

const isOperation = (word: string): word is PubOperation => (pubOperations as readonly string[]).includes(word);

/**
 * Converts to v1beta1. The annotations stay on the object. Unreadable ones are ignored: the original stores such objects, and one that could not be
 * converted would make every list and watch of the kind fail. Admission refuses them.
 */
function toHub(object: JsonObject): Conversion {
  const { carried, object: uncarried } = takeHubMembers(object);
  const operations = splitWords(metadataValue(uncarried, 'annotations', podUnavailableBudgetAnnotations.protectOperations) ?? '').filter(
    isOperation,
  );
  const total = metadataValue(uncarried, 'annotations', podUnavailableBudgetAnnotations.protectTotalReplicas) ?? '';
  const protectTotalReplicas = parseInt32(total);
  const { ignoredPodSelector: ignored } = membersAt(carried, 'spec');
  const changes = {
    ...(operations.length === 0 ? {} : { protectOperations: operations }),
    ...(protectTotalReplicas === undefined ? {} : { protectTotalReplicas }),
    ...(conforms(ignoredPodSelector.json, ignored) ? { ignoredPodSelector: ignored } : {}),
  };
  if (Object.keys(changes).length === 0) return converted(uncarried);
  return converted(changeMember(uncarried, 'spec', (spec) => withMembers(spec, changes)));
}

/** Converts to v1alpha1. The members decide: an annotation whose member is unset is removed. */
function fromHub(object: JsonObject): Conversion {
  const { protectOperations, protectTotalReplicas, ignoredPodSelector: ignored } = membersAt(object, 'spec');
  const operations = Array.isArray(protectOperations) && protectOperations.length > 0 ? protectOperations.join(',') : undefined;
  const total = typeof protectTotalReplicas === 'number' ? String(protectTotalReplicas) : undefined;
  const alpha = mapMember(object, 'spec', (spec) =>
    withMembers(spec, {
      ...(Array.isArray(protectOperations) ? { protectOperations: undefined } : {}),
      ...(total === undefined ? {} : { protectTotalReplicas: undefined }),
      ...(isJsonObject(ignored) ? { ignoredPodSelector: undefined } : {}),
    }),
  );
  const annotated = withMetadataValues(alpha, 'annotations', {
    [podUnavailableBudgetAnnotations.protectOperations]: operations,
    [podUnavailableBudgetAnnotations.protectTotalReplicas]: total,
  });
  return converted(carryHubMembers(annotated, isJsonObject(ignored) ? { spec: { ignoredPodSelector: ignored } } : {}));
}

/** Converts PodUnavailableBudgets between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'policy.kruise.io', kind: 'PodUnavailableBudget', toHub, fromHub };
