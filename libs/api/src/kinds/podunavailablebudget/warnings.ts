/** Warnings about a PodUnavailableBudget that is allowed but probably a mistake, or has a surprising effect: shown to the user, never refused. */
import { deepEqual, memberAt, metadataValue, splitWords, type JsonObject } from '@kruise/objects';
import { podUnavailableBudgetAnnotations } from './names.ts';
import { pubOperations } from './schema.ts';

/** Amounts with which no Pod may ever become unavailable, and with which all may. */
type Amounts = Readonly<Record<'maxUnavailable' | 'minAvailable', readonly unknown[]>>;
const never: Amounts = { maxUnavailable: [0, '0%'], minAvailable: ['100%'] };
const always: Amounts = { maxUnavailable: ['100%'], minAvailable: [0, '0%'] };

const amountOf = (object: JsonObject, among: Amounts): string | undefined => {
  const member = (['maxUnavailable', 'minAvailable'] as const).find((name) => among[name].includes(memberAt(object, 'spec', name)));
  return member === undefined ? undefined : `spec.${member}: ${JSON.stringify(memberAt(object, 'spec', member))}`;
};

function amountWarnings(object: JsonObject): readonly string[] {
  const [strict, loose] = [amountOf(object, never), amountOf(object, always)];
  return [
    ...(strict === undefined
      ? []
      : [`${strict} lets no Pod ever become unavailable: its nodes cannot be drained, nor its workload updated`]),
    ...(loose === undefined ? [] : [`${loose} protects no Pod`]),
  ];
}

/** Warns about the old form, which is not validated before it takes effect. */
function annotationWarnings(object: JsonObject): readonly string[] {
  const name = podUnavailableBudgetAnnotations.protectOperations;
  const words = splitWords(metadataValue(object, 'annotations', name) ?? '');
  const listed = memberAt(object, 'spec', 'protectOperations');
  if (words.length > 0 && Array.isArray(listed) && listed.length > 0)
    return deepEqual(words, listed) ? [] : [`metadata.annotations[${name}] has no effect beside spec.protectOperations`];
  return words
    .filter((word) => !(pubOperations as readonly string[]).includes(word))
    .map(
      (word) =>
        `metadata.annotations[${name}]: ${JSON.stringify(word)} is not known and has no effect; known are ${pubOperations.join(', ')}`,
    );
}

function ignoredWarnings(object: JsonObject): readonly string[] {
  const [selector, ignored] = ['selector', 'ignoredPodSelector'].map((member) => memberAt(object, 'spec', member));
  return selector !== undefined && selector !== null && deepEqual(selector, ignored)
    ? ['spec.ignoredPodSelector selects what spec.selector does: no Pod is protected']
    : [];
}

/** Returns the warnings. @param object in v1beta1, of any shape */
export const podUnavailableBudgetWarnings = (object: JsonObject): readonly string[] => [
  ...amountWarnings(object),
  ...annotationWarnings(object),
  ...ignoredWarnings(object),
];
