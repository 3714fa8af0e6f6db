/** How many objects a UnitedDeployment may create: its children are copies of the template. @see spec/uniteddeployment.md 4.2 */
import {
  fieldForbidden,
  fieldPath,
  fieldTooMany,
  listAt,
  memberAt,
  stringifyLossless,
  workloadLimits,
  type FieldError,
} from '@kruise/objects';

const path = 'spec.topology.subsets';
const { subsetsOfUnited, childBytesOfUnited, joinedRequirements, joinedBytes } = workloadLimits;

/** No stored object is larger: the templates of fewer subsets need not be measured. */
const largestObject = 3 << 20;

interface Size {
  readonly subsets: number;
  /** Bytes of the templates of all children; 0 when the number of subsets alone keeps it within its bound. */
  readonly bytes: number;
}

const bytesOf = (value: unknown): number => stringifyLossless(value ?? null).length;
const subsetsIn = (spec: unknown): readonly unknown[] => listAt(spec, 'topology', 'subsets');

function sizeOf(spec: unknown): Size {
  const subsets = subsetsIn(spec).length;
  if (subsets * largestObject <= childBytesOfUnited.value) return { subsets, bytes: 0 };
  const joined = joinedIn(spec).reduce((sum, { added }) => sum + added, 0);
  return { subsets, bytes: subsets * bytesOf(memberAt(spec, 'template')) + joined };
}

const faultOf = ({ subsets, bytes }: Size): FieldError | undefined => {
  const tooMany = fieldTooMany(path, subsets, subsetsOfUnited.value);
  if (subsets > subsetsOfUnited.value) return { ...tooMany, detail: `${tooMany.detail}; use several UnitedDeployments` };
  if (bytes <= childBytesOfUnited.value) return undefined;
  const mebibytes = (count: number): string => `${Math.ceil(count / (1 << 20))} MiB`;
  const why = `${subsets} subsets with this template result in ${mebibytes(bytes)}, more than ${mebibytes(childBytesOfUnited.value)}; use fewer subsets, a smaller template, or several UnitedDeployments`;
  return fieldForbidden(path, why);
};

/** Returns why the children are too many, or too large together; undefined when they are not. @param spec of any shape */
export const unitedSizeFault = (spec: unknown): FieldError | undefined => faultOf(sizeOf(spec));

const termsPath = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'] as const;

const requirementsOf = (term: unknown): number => listAt(term, 'matchExpressions').length + listAt(term, 'matchFields').length;

/** The size of the required node affinity of one child. */
interface Joined {
  readonly requirements: number;
  readonly bytes: number;
  /** Bytes that the subset adds. */
  readonly added: number;
}

/** Returns the size of each child, in the order of the subsets: the terms of the template, each joined with the term of the subset. */
function joinedIn(spec: unknown): readonly Joined[] {
  const templates = Object.values(memberAt(spec, 'template') ?? {});
  const held = templates.flatMap((child) => listAt(child, 'spec', 'template', 'spec', ...termsPath));
  const own = { requirements: held.reduce((sum: number, term) => sum + requirementsOf(term), 0), bytes: bytesOf(held) };
  return subsetsIn(spec).map((subset) => {
    const term = memberAt(subset, 'nodeSelectorTerm');
    const requirements = requirementsOf(term);
    const added = held.length === 0 || requirements === 0 ? 0 : held.length * bytesOf(term);
    return { requirements: own.requirements + held.length * requirements, bytes: added === 0 ? 0 : own.bytes + added, added };
  });
}

const mostOf = (numbers: readonly number[]): { readonly most: number; readonly at: number } => {
  const most = numbers.reduce((a, b) => Math.max(a, b), 0);
  return { most, at: numbers.indexOf(most) };
};

function validateJoined(spec: unknown, oldSpec: unknown): readonly FieldError[] {
  const [joined, old] = [joinedIn(spec), joinedIn(oldSpec)];
  for (const [measure, unit, { value }] of [
    ['requirements', 'requirements', joinedRequirements],
    ['bytes', 'bytes', joinedBytes],
  ] as const) {
    const { most, at } = mostOf(joined.map((child) => child[measure]));
    if (most <= value || most <= mostOf(old.map((child) => child[measure])).most) continue;
    const why = `results in ${most} ${unit} with the node affinity of the template, more than ${value}; use fewer terms`;
    return [fieldForbidden(fieldPath(path, at, 'nodeSelectorTerm'), why)];
  }
  return [];
}

/** Returns the fault of {@link unitedSizeFault}; an update passes that adds nothing to what was stored before the bounds. */
export function validateUnitedSize(spec: unknown, oldSpec: unknown): readonly FieldError[] {
  const size = sizeOf(spec);
  const fault = faultOf(size);
  if (fault === undefined) return validateJoined(spec, oldSpec);
  const old = sizeOf(oldSpec);
  const isNoWorse = faultOf(old) !== undefined && size.subsets <= old.subsets && size.bytes <= old.bytes;
  return isNoWorse ? [] : [fault];
}
