/** Whether the rules can work with an AdvancedCronJob that admission may not have checked. */
import type { AdvancedCronJob } from '@kruise/api';
import { isJsonObject } from '@kruise/objects';

const members = ['jobTemplate', 'broadcastJobTemplate', 'imageListPullJobTemplate'] as const;

/** @returns the first fault, with field and value; undefined when there is none */
export function faultOf({ spec }: AdvancedCronJob): string | undefined {
  const given: unknown = spec;
  if (!isJsonObject(given)) return 'spec: Required value: must be an object';
  if (typeof given['schedule'] !== 'string') return `spec.schedule: Invalid value: ${JSON.stringify(given['schedule'])}: must be a text`;
  const template: unknown = given['template'];
  const set = isJsonObject(template) ? members.filter((member) => isJsonObject(template[member])) : [];
  return set.length === 1 ? undefined : `spec.template: Invalid value: must have one of ${members.join(', ')}`;
}
