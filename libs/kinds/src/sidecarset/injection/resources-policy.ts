/** Resources of a sidecar that are computed from those of the Pod it is injected into. @see spec/sidecarset.md 5.4 resourcesPolicy */
import { compileResourceExpression, type CompiledExpression, type ExpressionResource, type SidecarResourcesPolicy } from '@kruise/api';
import {
  addQuantities,
  compareQuantities,
  compileRe2,
  formatQuantity,
  parseQuantity,
  type CompiledRe2,
  type Container,
  type Quantity,
  type ResourceRequirements,
} from '@kruise/objects';

type Side = 'limits' | 'requests';
const sides: readonly Side[] = ['limits', 'requests'];
const resources: readonly ExpressionResource[] = ['cpu', 'memory'];

interface PreparedExpression {
  readonly side: Side;
  readonly resource: ExpressionResource;
  readonly compiled: CompiledExpression;
}

export interface PreparedResources {
  readonly pattern: string;
  readonly names: CompiledRe2;
  readonly takesMax: boolean;
  /** Empty ones are omitted. */
  readonly expressions: readonly PreparedExpression[];
}

export function prepareResources(policy: SidecarResourcesPolicy): PreparedResources {
  const pattern = policy.targetContainersNameRegex ?? '.*';
  const expressions = sides.flatMap((side) =>
    resources.flatMap((resource): readonly PreparedExpression[] => {
      const text = policy.resourcesExpr?.[side]?.[resource];
      return typeof text === 'string' && text !== '' ? [{ side, resource, compiled: compileResourceExpression(text, resource) }] : [];
    }),
  );
  return { pattern, names: compileRe2(pattern), takesMax: policy.targetContainersMode === 'max', expressions };
}

export type ComputedResources =
  { readonly kind: 'Computed'; readonly resources: ResourceRequirements } | { readonly kind: 'Refused'; readonly why: string };

/** Of a container's name that the API server lets through: the time of a match grows with the name. */
const longestName = 63;

const zero: Quantity = { nanos: 0n, format: 'DecimalSI' };
const max = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) >= 0 ? a : b);

/** Undefined: one of the containers is not limited, so neither are they together. */
function aggregate(targets: readonly Container[], { side, resource }: PreparedExpression, takesMax: boolean): Quantity | undefined {
  const amounts = targets.map((target) => parseQuantity(target.resources?.[side]?.[resource]));
  if (side === 'limits' && amounts.includes(undefined)) return undefined;
  return amounts.reduce<Quantity>((total, amount = zero) => (takesMax ? max(total, amount) : addQuantities(total, amount)), zero);
}

/** @param candidates containers of the Pod that run beside the sidecar and are none themselves */
export function computeResources(policy: PreparedResources, candidates: readonly Container[]): ComputedResources {
  const { names, pattern, takesMax } = policy;
  if (names.kind === 'Illegal') return { kind: 'Refused', why: `invalid regex pattern: ${names.why}` };
  const targets = candidates.filter(({ name }) => name.length <= longestName && names.matches(name));
  if (targets.length === 0) return { kind: 'Refused', why: `no containers match the regex pattern ${pattern}` };
  const result: Record<Side, Record<string, string>> = { limits: {}, requests: {} };
  for (const expression of policy.expressions) {
    const { side, resource, compiled } = expression;
    if (compiled.kind === 'Illegal') return { kind: 'Refused', why: `${side}.${resource}: ${compiled.why}` };
    const amount = aggregate(targets, expression, takesMax);
    if (amount === undefined) continue;
    const evaluated = compiled.evaluate(amount);
    if (evaluated.kind !== 'Evaluated') return { kind: 'Refused', why: `${side}.${resource}: ${evaluated.why}` };
    result[side][resource] = formatQuantity(evaluated.value);
  }
  const given = sides.filter((side) => Object.keys(result[side]).length > 0);
  return { kind: 'Computed', resources: Object.fromEntries(given.map((side) => [side, result[side]])) };
}
