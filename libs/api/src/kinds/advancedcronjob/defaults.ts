/** Defaults of an AdvancedCronJob; v1alpha1 lacks one kind of template, and differs in nothing else. @see spec/advancedcronjob.md 4.1 */
import { changeMember, isJsonObject, isUnset, membersAt, withMembers, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { withPullJobDefaults } from '../../defaults/image-pull.ts';
import { isTemplateNew, type TemplateDefaulting } from '../../defaults/workload-templates.ts';
import { defaultPodTemplate } from '../../pod-template/defaults.ts';
import { withCanonicalQuantities } from '../../pod-template/quantities.ts';
import { mapPodTemplates } from './templates.ts';

/** Defaults the spec. A template that defines how the job ends is left unchanged: its jobs get these defaults when they are created. */
function defaultImageListSpec(spec: JsonObject): JsonObject {
  const policy = spec['completionPolicy'];
  const { type } = membersAt(spec, 'completionPolicy');
  const isOpen = (isUnset(policy) || isJsonObject(policy)) && (isUnset(type) || type === '');
  return isOpen ? fillEmpty(withPullJobDefaults(spec), { imagePullPolicy: 'IfNotPresent' }) : spec;
}

const withImageListDefaults = (template: JsonObject): JsonObject =>
  mapMember(template, 'imageListPullJobTemplate', (job) => changeMember(job, 'spec', defaultImageListSpec));

function withScheduleDefaults(spec: JsonObject): JsonObject {
  const pullsImages = !isUnset(membersAt(spec, 'template')['imageListPullJobTemplate']);
  const concurrent = fillEmpty(spec, { concurrencyPolicy: pullsImages ? 'Replace' : 'Allow' });
  return fillAbsent(concurrent, { paused: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
}

const mapTemplate = (object: JsonObject, change: (template: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, 'spec', (spec) => mapMember(spec, 'template', change));

/**
 * Returns the AdvancedCronJob with its defaults and without its status, which only the controller writes. Set fields stay, except for quantities:
 * where they are read, they are rounded up to thousandths, and written canonically if the object is changed anyway. Templates that are stored already
 * are left unchanged.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 */
export function defaultAdvancedCronJob(object: JsonObject, options: TemplateDefaulting): JsonObject {
  const pulling = mapTemplate(withMembers(object, { status: undefined }), withImageListDefaults);
  const filled = mapMember(pulling, 'spec', withScheduleDefaults);
  if (!isTemplateNew(object, options)) return filled;
  const hostNetworkHostPorts = options.gates.DefaultHostNetworkHostPortsInPodTemplates;
  const templated = mapTemplate(filled, (template) =>
    mapPodTemplates(template, (podTemplate) => defaultPodTemplate(podTemplate, { hostNetworkHostPorts })),
  );
  return templated === object ? object : mapTemplate(templated, (template) => mapPodTemplates(template, withCanonicalQuantities));
}
