/** Whether the rules can work with a job that admission may not have checked. */
import type { BroadcastJob } from '@kruise/api';
import { isJsonObject } from '@kruise/objects';
import { nodeTermsRule, templateRule, type Examined, type SpecRule } from '@kruise/workloads';
import { parallelismOf } from './policy.ts';

const parallelismRule: SpecRule = (spec) =>
  parallelismOf({ spec } as unknown as BroadcastJob, 0) === undefined
    ? `spec.parallelism: Invalid value: ${JSON.stringify(spec['parallelism'])}: must be a number or a whole percentage (e.g. 5 or "20%")`
    : undefined;

const rules: readonly SpecRule[] = [templateRule, nodeTermsRule, parallelismRule];

/** @returns the first fault, with field and value; undefined when there is none */
export function faultOf({ spec }: BroadcastJob): string | undefined {
  const given: unknown = spec;
  if (!isJsonObject(given)) return 'spec: Required value: must be an object';
  for (const rule of rules) {
    const fault = rule(given);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function examine(job: BroadcastJob): { readonly kind: 'WellFormed' } | Extract<Examined, { readonly kind: 'Malformed' }> {
  const why = faultOf(job);
  return why === undefined ? { kind: 'WellFormed' } : { kind: 'Malformed', why };
}
