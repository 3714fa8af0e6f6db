/** A child made from the template, its subset and a revision; the same for a new child and for one that is there. Pure. @see spec/uniteddeployment.md 5.6 */
import {
  unitedDeploymentAnnotations,
  unitedDeploymentLabels,
  unitedDeployments,
  type UnitedDeployment,
  type UnitedDeploymentSubset,
} from '@kruise/api';
import {
  apiVersionOf,
  applyStrategicMergePatch,
  canonicalJson,
  newControllerRef,
  podTemplateSpecPatchSchema,
  withOwner,
  type LabelSelector,
  type PodSpec,
  type PodTemplateSpec,
} from '@kruise/objects';
import { joinFault, requiredTermsOf, requireNodeTerm } from '@kruise/pods';
import { childTemplateOf, type ChildKind, type ChildObject, type ChildSpec } from '../snapshot/child-kinds.ts';

/** The wanted state of a child. */
export interface ChildWish {
  readonly united: UnitedDeployment;
  readonly kind: ChildKind;
  readonly subset: UnitedDeploymentSubset;
  /** Name of the revision. */
  readonly revision: string;
  readonly replicas: number;
  /** Pods that stay at the old revision. */
  readonly partition: number;
  /** Pods beyond what the template allows that may be unavailable. */
  readonly uncounted?: number;
}

/** The patch or node term of a subset cannot be applied to the template: only a change of the spec mends it. */
export class UnrenderableChild extends Error {}

/** The text of a subset's patch as children carry it; '' for none. */
export const patchTextOf = ({ patch }: UnitedDeploymentSubset): string =>
  patch === undefined || patch === null ? '' : canonicalJson(patch);

type Labels = Readonly<Record<string, string>>;

const ownLabels = ({ subset, revision }: ChildWish): Labels => ({
  [unitedDeploymentLabels.subsetName]: subset.name,
  [unitedDeploymentLabels.revision]: revision,
});

const selectorOf = ({ united, subset }: ChildWish): LabelSelector => ({
  ...united.spec.selector,
  matchLabels: { ...united.spec.selector.matchLabels, [unitedDeploymentLabels.subsetName]: subset.name },
});

function affinityOf({ affinity: given }: PodSpec, { name, nodeSelectorTerm }: UnitedDeploymentSubset): PodSpec['affinity'] {
  const affinity = given ?? undefined;
  const term = nodeSelectorTerm ?? {};
  const fault = joinFault(requiredTermsOf(affinity), term);
  if (fault !== undefined) throw new UnrenderableChild(`the nodeSelectorTerm of subset ${name} cannot be added: ${fault}`);
  return requireNodeTerm(affinity, term);
}

/** Patched last, so that a patch has the last word. */
function templateOf(wish: ChildWish, template: PodTemplateSpec): PodTemplateSpec {
  const { tolerations = [], patch } = wish.subset;
  const spec: PodSpec = template.spec ?? { containers: [] };
  const affinity = affinityOf(spec, wish.subset);
  const tolerated = [...(spec.tolerations ?? []), ...tolerations];
  const made = {
    ...template,
    metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...ownLabels(wish) } },
    spec: {
      ...spec,
      ...(affinity === undefined ? {} : { affinity }),
      ...(tolerated.length === 0 ? {} : { tolerations: tolerated }),
    },
  };
  if (patch === undefined || patch === null) return made;
  const patched = applyStrategicMergePatch(made, patch, podTemplateSpecPatchSchema);
  if (patched.kind === 'Patched') return patched.value as PodTemplateSpec;
  throw new UnrenderableChild(`the patch of subset ${wish.subset.name} cannot be applied: ${patched.why}`);
}

/** What the template allows to be unavailable, and the uncounted Pods of the wish beyond. */
export function withUncounted(
  spec: ChildSpec,
  { kind, uncounted = 0, replicas }: Pick<ChildWish, 'kind' | 'uncounted' | 'replicas'>,
): ChildSpec {
  const allowed = kind.unavailable?.allows(spec, replicas);
  if (uncounted === 0 || allowed === undefined) return spec;
  return kind.unavailable?.with(spec, Math.min(allowed + uncounted, replicas)) ?? spec;
}

/** The whole spec is the template's; what others wrote into it is lost. */
function specOf(wish: ChildWish): ChildSpec {
  const { united, kind, replicas, partition } = wish;
  const { template, ...spec } = childTemplateOf(united, kind).spec as ChildSpec & { readonly template?: PodTemplateSpec };
  const held = { ...kind.withPartition(spec, partition), selector: selectorOf(wish), replicas };
  return { ...withUncounted(held, wish), template: templateOf(wish, template ?? {}) };
}

/** The prefix of a child's name, cut so that a suffix fits, as the API server does with generated names. */
export function namePrefixOf(united: string, subset: string): string {
  const both = `${united}-${subset}-`;
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(both.slice(0, -1)) ? both : `${united}-`;
}

/**
 * @param base the existing child, which is changed; `{ name }` for a new one
 * @returns labels and annotations of others stay; nothing is ever taken out of them
 * @throws UnrenderableChild
 */
export function renderChild(wish: ChildWish, base: ChildObject | { readonly name: string }): ChildObject {
  const { united, kind, subset } = wish;
  const template = childTemplateOf(united, kind).metadata ?? {};
  const held = 'metadata' in base ? base.metadata : { name: base.name, generateName: namePrefixOf(united.metadata.name, subset.name) };
  return {
    ...('metadata' in base ? base : { apiVersion: apiVersionOf(kind.type), kind: kind.type.kind }),
    metadata: {
      ...held,
      namespace: united.metadata.namespace ?? '',
      labels: { ...held.labels, ...template.labels, ...united.spec.selector.matchLabels, ...ownLabels(wish) },
      annotations: { ...held.annotations, ...template.annotations, [unitedDeploymentAnnotations.subsetPatch]: patchTextOf(subset) },
      ownerReferences: withOwner(held.ownerReferences, newControllerRef(united, unitedDeployments)),
    },
    spec: specOf(wish),
  };
}
