/** Warnings about a PersistentPodState that is allowed but probably a mistake: shown to the user, never refused. @see spec/persistentpodstate.md 8 */
import { checkQualifiedName, isJsonObject, listAt, memberAt, type JsonObject } from '@kruise/objects';

/** The range that the scheduler accepts. */
const weights = { least: 1, most: 100 };
const policies = ['WhenScaled', 'WhenDeleted'];

const keyWarnings = (keys: readonly unknown[], path: string, what: string): readonly string[] =>
  keys.flatMap((key, index) => {
    const why = typeof key === 'string' ? checkQualifiedName(key)[0] : undefined;
    return why === undefined ? [] : [`${path}[${index}]: no ${what} has the key ${JSON.stringify(key)}: ${why}`];
  });

function termWarnings(term: unknown, index: number): readonly string[] {
  const path = `spec.preferredPersistentTopology[${index}]`;
  const weight = memberAt(term, 'weight');
  const isIdle = typeof weight === 'number' && (weight < weights.least || weight > weights.most);
  return [
    ...(isIdle ? [`${path}.weight: ${weight} is not from ${weights.least} to ${weights.most}, so that the term has no effect`] : []),
    ...keyWarnings(listAt(term, 'preference', 'keys'), `${path}.preference.keys`, 'node label'),
  ];
}

function policyWarnings(object: JsonObject): readonly string[] {
  const policy = memberAt(object, 'spec', 'persistentPodStateRetentionPolicy') ?? '';
  return policy === '' || policies.includes(policy as string)
    ? []
    : [`spec.persistentPodStateRetentionPolicy: ${JSON.stringify(policy)} is taken for WhenScaled; known are ${policies.join(', ')}`];
}

/** Returns the warnings. @param object in v1beta1, of any shape */
export const persistentPodStateWarnings = (object: JsonObject): readonly string[] => [
  ...keyWarnings(listAt(object, 'spec', 'requiredPersistentTopology', 'keys'), 'spec.requiredPersistentTopology.keys', 'node label'),
  ...listAt(object, 'spec', 'preferredPersistentTopology').flatMap(termWarnings),
  ...keyWarnings(
    listAt(object, 'spec', 'persistentPodAnnotations').map((item) => (isJsonObject(item) ? item['key'] : undefined)),
    'spec.persistentPodAnnotations',
    'annotation',
  ),
  ...policyWarnings(object),
];
