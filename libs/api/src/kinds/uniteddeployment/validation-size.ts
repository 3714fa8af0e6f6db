/** How much a UnitedDeployment may make: its children are copies of the template. @see spec/uniteddeployment.md 4.2 */
import { fieldForbidden, fieldPath, fieldTooMany, memberAt, stringifyLossless, workloadLimits, type FieldError } from '@kruise/objects';

const path = 'spec.topology.subsets';
const { subsetsOfUnited, childBytesOfUnited, joinedRequirements } = workloadLimits;

/** No stored object is larger: the templates of fewer subsets need not be measured. */
const largestObject = 3 << 20;

interface Size {
  readonly subsets: number;
  /** Of the templates of all children; 0 where the number of subsets alone keeps it within its bound. */
  readonly bytes: number;
}

function sizeOf(spec: unknown): Size {
  const list = memberAt(spec, 'topology', 'subsets');
  const subsets = Array.isArray(list) ? list.length : 0;
  if (subsets * largestObject <= childBytesOfUnited.value) return { subsets, bytes: 0 };
  return { subsets, bytes: subsets * stringifyLossless(memberAt(spec, 'template') ?? null).length };
}

const faultOf = ({ subsets, bytes }: Size): FieldError | undefined => {
  if (subsets > subsetsOfUnited.value) return fieldTooMany(path, subsets, subsetsOfUnited.value);
  if (bytes <= childBytesOfUnited.value) return undefined;
  const mebibytes = (count: number): string => `${Math.ceil(count / (1 << 20))} MiB`;
  const why = `${subsets} subsets with this template come to ${mebibytes(bytes)}, more than ${mebibytes(childBytesOfUnited.value)}; use fewer subsets, a smaller template, or several UnitedDeployments`;
  return fieldForbidden(path, why);
};

/** Why the children are too many, or too large together; undefined when they are not. @param spec of any shape */
export const unitedSizeFault = (spec: unknown): FieldError | undefined => faultOf(sizeOf(spec));

const termsPath = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'] as const;

const listAt = (value: unknown, ...at: readonly string[]): readonly unknown[] => {
  const list = memberAt(value, ...at);
  return Array.isArray(list) ? list : [];
};

const requirementsOf = (term: unknown): number => listAt(term, 'matchExpressions').length + listAt(term, 'matchFields').length;

/** Requirements of the terms of the template with those of each subset: the most that one child gets, and of which subset. */
function joinedIn(spec: unknown): { readonly requirements: number; readonly at: number } {
  const templates = Object.values(memberAt(spec, 'template') ?? {});
  const held = templates.flatMap((child) => listAt(child, 'spec', 'template', 'spec', ...termsPath));
  const own = held.reduce((sum: number, term) => sum + requirementsOf(term), 0);
  const joined = listAt(spec, 'topology', 'subsets').map(
    (subset) => own + held.length * requirementsOf(memberAt(subset, 'nodeSelectorTerm')),
  );
  const requirements = joined.reduce((a, b) => Math.max(a, b), 0);
  return { requirements, at: joined.indexOf(requirements) };
}

function validateJoined(spec: unknown, oldSpec: unknown): readonly FieldError[] {
  const { requirements, at } = joinedIn(spec);
  const bound = joinedRequirements.value;
  if (requirements <= bound || requirements <= joinedIn(oldSpec).requirements) return [];
  const why = `comes to ${requirements} requirements with the node affinity of the template, more than ${bound}; use fewer terms`;
  return [fieldForbidden(fieldPath(path, at, 'nodeSelectorTerm'), why)];
}

/** As {@link unitedSizeFault}; an update that adds nothing to what was stored before the bounds passes. */
export function validateUnitedSize(spec: unknown, oldSpec: unknown): readonly FieldError[] {
  const size = sizeOf(spec);
  const fault = faultOf(size);
  if (fault === undefined) return validateJoined(spec, oldSpec);
  const old = sizeOf(oldSpec);
  const isNoWorse = faultOf(old) !== undefined && size.subsets <= old.subsets && size.bytes <= old.bytes;
  return isNoWorse ? [] : [fault];
}
