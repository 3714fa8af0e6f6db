/** `spec.targetRef`, by which objects name a workload of their namespace. Objects of any shape are read; nothing here throws. */
import { fieldInvalid, groupOf, memberAt, type FieldError } from '@kruise/objects';
import type { Members } from '../conversion/converter.ts';

/** Whom it names; only the group of the apiVersion counts. Members that are absent, or no texts, are empty. */
export interface TargetReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export const targetPath = 'spec.targetRef';
const parts = ['apiVersion', 'kind', 'name'] as const;

/** Empty for what is no text. */
export const textAt = (object: Members, ...path: readonly string[]): string => {
  const value = memberAt(object, ...path);
  return typeof value === 'string' ? value : '';
};

export const targetReferenceOf = (object: Members): TargetReference => ({
  group: groupOf(textAt(object, 'spec', 'targetRef', 'apiVersion')),
  kind: textAt(object, 'spec', 'targetRef', 'kind'),
  name: textAt(object, 'spec', 'targetRef', 'name'),
});

export const isSameTarget = (a: TargetReference, b: TargetReference): boolean =>
  a.group === b.group && a.kind === b.kind && a.name === b.name;

/** One fault that names the parts which are not given; none when all are. */
export function emptyTargetFaults(object: Members): readonly FieldError[] {
  const empty = parts.filter((member) => textAt(object, 'spec', 'targetRef', member) === '');
  return empty.length === 0
    ? []
    : [fieldInvalid(targetPath, memberAt(object, 'spec', 'targetRef'), `${empty.join(', ')} must not be empty`)];
}

/**
 * The first other object of the namespace that is for the same workload.
 *
 * @param others the object itself may be among them: it is known by its name
 */
export function rivalOf(object: Members, others: readonly Members[]): Members | undefined {
  const reference = targetReferenceOf(object);
  const name = textAt(object, 'metadata', 'name');
  return others.find((one) => textAt(one, 'metadata', 'name') !== name && isSameTarget(targetReferenceOf(one), reference));
}
