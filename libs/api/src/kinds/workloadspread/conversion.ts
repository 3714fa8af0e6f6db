/** WorkloadSpread v1alpha1 <-> v1beta1 (spec/workloadspread.md 1): two renamed members of subsets, and the form of conditions. */
import { withMembers, type JsonObject } from '@kruise/objects';
import { converted, type Converter } from '../../conversion/converter.ts';
import { mapItems, mapList, mapMember, renameMember } from '../../members/nested-members.ts';
import { conditionReasons } from '../../well-known.ts';

/** [v1alpha1, v1beta1] */
const renamed = [
  ['requiredNodeSelectorTerm', 'requiredNodeSelector'],
  ['preferredNodeSelectorTerms', 'preferredNodeSelector'],
] as const;

const subsetToHub = (subset: JsonObject): JsonObject =>
  renamed.reduce((result, [alpha, beta]) => renameMember(result, alpha, beta), subset);
const subsetFromHub = (subset: JsonObject): JsonObject =>
  renamed.reduce((result, [alpha, beta]) => renameMember(result, beta, alpha), subset);

/** The time of a condition without one: v1beta1 requires it, and v1alpha1 shows none. */
const unknownTime = '1970-01-01T00:00:00Z';

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

const conditionToHub = (condition: JsonObject): JsonObject =>
  withMembers(condition, {
    ...(isAbsent(condition['reason']) ? { reason: conditionReasons.unknown } : {}),
    ...(isAbsent(condition['message']) ? { message: '' } : {}),
    ...(isAbsent(condition['lastTransitionTime']) ? { lastTransitionTime: unknownTime } : {}),
  });

const conditionFromHub = (condition: JsonObject): JsonObject =>
  withMembers(condition, {
    observedGeneration: undefined,
    ...(condition['lastTransitionTime'] === unknownTime ? { lastTransitionTime: undefined } : {}),
  });

type Change = (members: JsonObject) => JsonObject;

/** Changes conditions in both lists of subset states: over all versions, and for each version of the workload. */
const changeConditions = (status: JsonObject, change: Change): JsonObject => {
  const subset: Change = (state) => mapItems(state, 'conditions', change);
  const versions: Change = (byVersion) => {
    const before = Object.entries(byVersion);
    const after = before.map(([version, states]) => [version, Array.isArray(states) ? mapList(states, subset) : states] as const);
    return after.every(([, states], index) => states === before[index]?.[1]) ? byVersion : Object.fromEntries(after);
  };
  return mapMember(mapItems(status, 'subsetStatuses', subset), 'versionedSubsetStatuses', versions);
};

const convert = (object: JsonObject, subset: Change, condition: Change): JsonObject =>
  mapMember(
    mapMember(object, 'spec', (spec) => mapItems(spec, 'subsets', subset)),
    'status',
    (status) => changeConditions(status, condition),
  );

/** Converts WorkloadSpreads between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = {
  group: 'apps.kruise.io',
  kind: 'WorkloadSpread',
  toHub: (object) => converted(convert(object, subsetToHub, conditionToHub)),
  fromHub: (object) => converted(convert(object, subsetFromHub, conditionFromHub)),
};
