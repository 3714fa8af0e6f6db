/** Defaults of a BroadcastJob, the same in both versions. @see spec/broadcastjob.md 4.1 */
import { changeMember, withMembers, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { defaultTemplates, isTemplateNew, withCanonicalTemplates, type TemplateDefaulting } from '../../defaults/workload-templates.ts';

/** As many Pods as there are nodes. */
const allAtOnce = 2147483647;

const withType = (spec: JsonObject, policy: string, type: string): JsonObject =>
  changeMember(spec, policy, (members) => fillEmpty(members, { type }));

/**
 * Returns the BroadcastJob with its defaults and without its status, which only the controller writes. Set fields stay, except for quantities: where
 * they are read, they are rounded up to thousandths, and written canonically if the object is changed anyway. A template that is stored already is
 * left unchanged.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 */
export function defaultBroadcastJob(object: JsonObject, options: TemplateDefaulting): JsonObject {
  const filled = mapMember(withMembers(object, { status: undefined }), 'spec', (spec) => {
    const completed = fillAbsent(withType(spec, 'completionPolicy', 'Always'), { parallelism: allAtOnce });
    return withType(completed, 'failurePolicy', 'FailFast');
  });
  if (!isTemplateNew(object, options)) return filled;
  const templated = mapMember(filled, 'spec', (spec) => defaultTemplates(spec, options));
  return templated === object ? object : mapMember(templated, 'spec', withCanonicalTemplates);
}
