/** The rules of AdvancedCronJobs: what admission refuses and warns of, and what the controller cannot work with. @see spec/advancedcronjob.md 4.2 */
import { isJsonObject, type FieldError, type JsonObject } from '@kruise/objects';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule } from '../../validation/workload.ts';
import { checkJobName } from '../broadcastjob/job-name.ts';
import type { ScheduleRules } from './schedule-rules.ts';
import { validateTemplates } from './validation-templates.ts';
import { shape, validateConcurrency, validateSchedule, validateZone, type AdvancedCronJobValidation } from './validation.ts';
import { warnings } from './warnings.ts';

const templates = ['jobTemplate', 'broadcastJobTemplate', 'imageListPullJobTemplate'] as const;

const scheduleObstacle = ({ schedule }: JsonObject): string | undefined =>
  typeof schedule === 'string' ? undefined : `spec.schedule: Invalid value: ${JSON.stringify(schedule)}: must be a text`;

function templateObstacle({ template }: JsonObject): string | undefined {
  const set = isJsonObject(template) ? templates.filter((member) => isJsonObject(template[member])) : [];
  return set.length === 1 ? undefined : `spec.template: Invalid value: must have one of ${templates.join(', ')}`;
}

const rules: readonly KindRule<AdvancedCronJobValidation, ScheduleRules>[] = [
  nameRule(checkJobName),
  specRule,
  { refuse: inSpec((spec, { schedules }) => validateSchedule(spec, schedules)), cannotWork: scheduleObstacle },
  { refuse: inSpec(({ timeZone }, { schedules }) => validateZone(timeZone, schedules)) },
  { refuse: inSpec((spec) => faultsBy(shape, spec, 'spec')) },
  { refuse: inSpec(validateConcurrency) },
  { refuse: inSpec(({ template }, options) => validateTemplates(template, 'spec.template', options)), cannotWork: templateObstacle },
  ...warnings,
];

/**
 * Returns every fault of an AdvancedCronJob of any origin, with its defaults.
 *
 * @remarks Never throws. A fault that only the creation of jobs shows is none; see `warnings.ts`.
 */
export const validateAdvancedCronJob = (object: JsonObject, options: AdvancedCronJobValidation): readonly FieldError[] =>
  faultsOf(rules, object, options);

/** Returns the warnings. @param object with its defaults, of any shape. Never throws */
export const advancedCronJobWarnings = (object: JsonObject, schedules: ScheduleRules): readonly string[] =>
  warningsOf(rules, object, schedules);

/** Returns the first fault of a stored AdvancedCronJob, as v1beta1, that its controller cannot work with. */
export const advancedCronJobObstacle = obstacleBy(rules);
