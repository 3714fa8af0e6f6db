/** How many children one stage of a pass writes: they are copies of a template, which may be large. Pure. @see spec/uniteddeployment.md 5.6 */
import type { UnitedDeploymentSubset } from '@kruise/api';
import { stringifyLossless, workloadLimits, type PodTemplateSpec } from '@kruise/objects';
import { requiredTermsOf } from '@kruise/pods';
import { childTemplateOf } from '../snapshot/child-kinds.ts';
import type { ChildWish } from './render.ts';

const lengthOf = (value: unknown): number => (value === undefined || value === null ? 0 : stringifyLossless(value).length);

/** About the bytes of the largest of these children, which have one template. */
function largestOf(wishes: readonly ChildWish[]): number {
  const [first] = wishes;
  if (first === undefined) return 0;
  const template = childTemplateOf(first.united, first.kind);
  const { template: pod } = template.spec as { readonly template?: PodTemplateSpec };
  const terms = requiredTermsOf(pod?.spec?.affinity ?? undefined).length;
  const addedBy = ({ nodeSelectorTerm, tolerations, patch }: UnitedDeploymentSubset): number =>
    terms * lengthOf(nodeSelectorTerm) + lengthOf(tolerations) + lengthOf(patch);
  return lengthOf(template) + wishes.reduce((most, { subset }) => Math.max(most, addedBy(subset)), 0);
}

/**
 * How many of the actions one stage begins, in whatever order they come: no more than all kinds may, and no more than come to a number of bytes, but one in
 * any case.
 */
export function burstOf(actions: readonly { readonly wish: ChildWish }[]): number {
  const { actionsOfPass, writtenBytesOfUnited } = workloadLimits;
  const largest = largestOf(actions.map(({ wish }) => wish));
  return Math.min(actionsOfPass.value, Math.max(Math.floor(writtenBytesOfUnited.value / Math.max(largest, 1)), 1));
}
