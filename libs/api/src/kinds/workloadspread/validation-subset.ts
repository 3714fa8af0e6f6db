/** Validates one subset: where its Pods run, and how they are patched. @see spec/workloadspread.md 4.1 */
import {
  applyStrategicMergePatch,
  checkLabelValue,
  fieldInvalid,
  fieldPath,
  formatFieldErrors,
  isJsonObject,
  isUnset,
  listAt,
  podPatchSchema,
  workloadLimits,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { nodeTerm, preferredNodeTerms } from '../../pod-template/validation/checks/affinity.ts';
import { newestKubernetes, type Check } from '../../pod-template/validation/checks/check.ts';
import { podFactsOf } from '../../pod-template/validation/checks/pod-facts.ts';
import { validatePodTemplate, type PodTemplateOptions } from '../../pod-template/validation/pod-template.ts';
import { PatchTrials } from '../../validation/patch-trials.ts';
import { tolerations } from '../../pod-template/validation/scheduling.ts';

/** The Pods of the workload without a subset. */
export interface SpreadTemplate extends PodTemplateOptions {
  /** `metadata` and `spec`. */
  readonly template: JsonObject;
}

function faultsBy(check: Check, value: unknown, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  check(value, path, { faults, allowPrivileged: true, kubernetes: newestKubernetes, pod: podFactsOf({}, []) });
  return faults;
}

/**
 * Returns the faults of values. A value that no label can have matches nothing, now and later. The API server refuses it in what a node must fulfil,
 * and only there.
 */
const valueFaults = (term: unknown, path: string): readonly FieldError[] =>
  listAt(term, 'matchExpressions').flatMap((expression, at) =>
    listAt(expression, 'values').flatMap((value, index) =>
      typeof value !== 'string'
        ? []
        : checkLabelValue(value).map((why) => fieldInvalid(fieldPath(path, 'matchExpressions', at, 'values', index), value, why)),
    ),
  );

/** Returns the faults of the placement. @param subset of any shape */
export function placementFaults(subset: JsonObject, path: string): readonly FieldError[] {
  const required = fieldPath(path, 'requiredNodeSelector');
  const preferred = fieldPath(path, 'preferredNodeSelector');
  return [
    ...faultsBy(nodeTerm, subset['requiredNodeSelector'], required),
    ...valueFaults(subset['requiredNodeSelector'], required),
    ...faultsBy(preferredNodeTerms, subset['preferredNodeSelector'], preferred),
    ...faultsBy(tolerations, subset['tolerations'], fieldPath(path, 'tolerations')),
  ];
}

/** The result of a patch on the template: the first faults of the Pods, below `patch`, or why it cannot be merged. */
type Judged = { readonly kind: 'Merged'; readonly faults: readonly FieldError[] } | { readonly kind: 'Refused'; readonly why: string };

/** Tries the patches of one object on the template of its workload, and validates the results. */
export class PatchJudge {
  readonly #of: SpreadTemplate | undefined;
  readonly #trials: PatchTrials<Judged>;
  #isTemplateFaulty: boolean | undefined;

  /** Creates a judge. @param of undefined when there is no template to try patches on */
  constructor(of: SpreadTemplate | undefined) {
    this.#of = of;
    this.#trials = new PatchTrials(of?.template, workloadLimits.judgedBytesOfSpread.value);
  }

  /** Number of patches that were not tried, because earlier ones used up the bytes. */
  get unjudged(): number {
    return this.#trials.untried;
  }

  /** Number of templates that were merged and validated; for tests. */
  get merged(): number {
    return this.#trials.tried;
  }

  /** Returns the faults of the Pods from the template and the patch. The patch is refused when the API server would refuse them. */
  faultsOf(subset: JsonObject, path: string): readonly FieldError[] {
    const patch = subset['patch'];
    const at = fieldPath(path, 'patch');
    if (isUnset(patch)) return [];
    if (!isJsonObject(patch)) return [fieldInvalid(at, patch, 'must be an object: a strategic merge patch of a Pod')];
    const of = this.#of;
    const judged = of === undefined ? undefined : this.#trials.result(patch, () => this.#try(patch, of));
    if (judged === undefined) return [];
    if (judged.kind === 'Refused') return [fieldInvalid(at, patch, `cannot be merged into the template of the workload: ${judged.why}`)];
    const faults = judged.faults.map((fault) => ({ ...fault, field: `${at}${fault.field.slice('patch'.length)}` }));
    return faults.length === 0 ? [] : [fieldInvalid(at, patch, `the Pods that come of it would be refused: ${formatFieldErrors(faults)}`)];
  }

  #try(patch: JsonObject, { template, ...options }: SpreadTemplate): Judged {
    const merged = applyStrategicMergePatch(template, patch, podPatchSchema);
    if (merged.kind !== 'Patched') return { kind: 'Refused', why: merged.why };
    // A fault of the template itself is no fault of the patch.
    this.#isTemplateFaulty ??= validatePodTemplate(template, 'patch', options).length > 0;
    return { kind: 'Merged', faults: this.#isTemplateFaulty ? [] : validatePodTemplate(merged.value, 'patch', options).slice(0, 5) };
  }
}
