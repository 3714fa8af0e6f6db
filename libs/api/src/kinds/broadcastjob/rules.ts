/** The rules of BroadcastJobs: what admission refuses and warns of, and what the controller cannot work with. @see spec/broadcastjob.md 4.2 */
import { memberAt, type FieldError, type JsonObject } from '@kruise/objects';
import { validateNodeTerms } from '../../pod-template/node-term-size.ts';
import { nodeTermsObstacle, templateObstacle } from '../../validation/cannot-work.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule } from '../../validation/workload.ts';
import { checkJobName } from './job-name.ts';
import { parallelPods } from './parallelism.ts';
import { validateBroadcastJobRules, validateBroadcastJobShape, type BroadcastJobValidation } from './validation.ts';
import { specWarnings, type BroadcastJobWarningOptions } from './warnings.ts';

interface Facts extends BroadcastJobValidation {
  readonly oldObject: JsonObject | undefined;
}

const parallelismObstacle = ({ parallelism }: JsonObject): string | undefined =>
  parallelism === undefined || parallelPods(parallelism, 0) !== undefined
    ? undefined
    : `spec.parallelism: Invalid value: ${JSON.stringify(parallelism)}: must be a number or a whole percentage (e.g. 5 or "20%")`;

const validateTerms = ({ template }: JsonObject, { oldObject }: Facts): readonly FieldError[] =>
  validateNodeTerms(template, memberAt(oldObject, 'spec', 'template'), 'spec.template');

const rules: readonly KindRule<Facts, BroadcastJobWarningOptions>[] = [
  nameRule(checkJobName),
  specRule,
  { refuse: inSpec((spec, facts) => validateBroadcastJobShape(spec, 'spec', facts)), cannotWork: templateObstacle },
  { refuse: inSpec(validateTerms), cannotWork: nodeTermsObstacle },
  { refuse: inSpec((spec) => validateBroadcastJobRules(spec, 'spec')), cannotWork: parallelismObstacle },
  ...specWarnings,
];

/**
 * Returns every fault of a BroadcastJob of any origin.
 *
 * @param oldObject the stored object; undefined on create
 * @remarks Never throws. Unknown types of policies are no faults; see `warnings.ts`.
 */
export const validateBroadcastJob = (object: JsonObject, options: BroadcastJobValidation, oldObject?: JsonObject): readonly FieldError[] =>
  faultsOf(rules, object, { ...options, oldObject });

/** Returns the warnings. @param object with its defaults, of any shape */
export const broadcastJobWarnings = (object: JsonObject, options: BroadcastJobWarningOptions): readonly string[] =>
  warningsOf(rules, object, options);

/** Returns the first fault of a stored BroadcastJob that its controller cannot work with. */
export const broadcastJobObstacle = obstacleBy(rules);
