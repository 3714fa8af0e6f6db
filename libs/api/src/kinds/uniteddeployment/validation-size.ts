/** How much a UnitedDeployment may make: its children are copies of the template. @see spec/uniteddeployment.md 4.2 */
import { fieldForbidden, fieldTooMany, memberAt, stringifyLossless, workloadLimits, type FieldError } from '@kruise/objects';

const path = 'spec.topology.subsets';
const { subsetsOfUnited, childBytesOfUnited } = workloadLimits;

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

/** As {@link unitedSizeFault}; an update that adds nothing to what was stored before the bounds passes. */
export function validateUnitedSize(spec: unknown, oldSpec: unknown): readonly FieldError[] {
  const size = sizeOf(spec);
  const fault = faultOf(size);
  if (fault === undefined) return [];
  const old = sizeOf(oldSpec);
  const isNoWorse = faultOf(old) !== undefined && size.subsets <= old.subsets && size.bytes <= old.bytes;
  return isNoWorse ? [] : [fault];
}
