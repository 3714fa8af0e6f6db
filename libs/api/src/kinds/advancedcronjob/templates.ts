/** The three kinds of jobs that an AdvancedCronJob may create, and where their Pods' templates are. */
import type { JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';

/** Members of `spec.template`, of which one is set. */
export const templateNames = ['jobTemplate', 'broadcastJobTemplate', 'imageListPullJobTemplate'] as const;

/** Templates whose jobs run Pods. */
const withPods = ['jobTemplate', 'broadcastJobTemplate'];

/** Changes the templates of Pods in `spec.template`. */
export const mapPodTemplates = (template: JsonObject, change: (podTemplate: JsonObject) => JsonObject): JsonObject =>
  withPods.reduce(
    (result, name) => mapMember(result, name, (job) => mapMember(job, 'spec', (spec) => mapMember(spec, 'template', change))),
    template,
  );
