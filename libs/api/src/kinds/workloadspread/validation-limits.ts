/** `maxReplicas` of all subsets together. @see spec/workloadspread.md 4.1 */
import { fieldInvalid, fieldPath, isUnset, memberAt, parseIntOrPercent, type FieldError } from '@kruise/objects';

interface Limit {
  readonly value: unknown;
  readonly path: string;
}

const isPercent = ({ value }: Limit): boolean => typeof value === 'string';

/** Returns the fault of a value: only whole percents, and no number in quotation marks. */
function valueFault({ value, path }: Limit): FieldError | undefined {
  const parsed = parseIntOrPercent(value, { fractions: false });
  if (parsed.kind === 'Illegal') return fieldInvalid(path, value, parsed.why);
  return parsed.kind === 'Int' && parsed.value < 0 ? fieldInvalid(path, value, 'must not be negative') : undefined;
}

function percentOf({ value }: Limit): number {
  const parsed = parseIntOrPercent(value, { fractions: false });
  return parsed.kind === 'Percent' ? Number(parsed.mantissa) : 0;
}

/**
 * Returns the first fault: later ones usually follow from it.
 *
 * @param subsets of any shape
 */
export function limitFaults(subsets: readonly unknown[], targetKind: string): readonly FieldError[] {
  const all = subsets.map((subset, index): Limit => ({
    value: memberAt(subset, 'maxReplicas'),
    path: fieldPath('spec', 'subsets', index, 'maxReplicas'),
  }));
  const given = all.filter(({ value }) => !isUnset(value));
  const [first] = given;
  if (first === undefined) return [];
  for (const limit of given) {
    if (isPercent(limit) !== isPercent(first))
      return [fieldInvalid(limit.path, limit.value, 'all subsets must use the same form: numbers, or percentages')];
    if (isPercent(limit) && targetKind === 'StatefulSet')
      return [fieldInvalid(limit.path, limit.value, 'must be a number for a StatefulSet, whose Pods are spread by their ordinals')];
    const fault = valueFault(limit);
    if (fault !== undefined) return [fault];
  }
  return isPercent(first) ? sumFaults(all, given) : [];
}

function sumFaults(all: readonly Limit[], given: readonly Limit[]): readonly FieldError[] {
  let sum = 0;
  for (const limit of given) {
    sum += percentOf(limit);
    if (sum > 100)
      return [fieldInvalid(limit.path, limit.value, `the sum of the percentages must not exceed 100%: up to this subset it is ${sum}%`)];
  }
  const isOpen = isUnset(all.at(-1)?.value);
  if (sum === 100 || isOpen) return [];
  const why = `the sum of the percentages must be 100%, not ${sum}%, unless the last subset has no maxReplicas`;
  return [fieldInvalid(fieldPath('spec', 'subsets', 0, 'maxReplicas'), all[0]?.value, why)];
}
