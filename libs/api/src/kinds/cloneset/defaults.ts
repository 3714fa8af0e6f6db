/** Defaults of a CloneSet of either version. @see spec/cloneset.md 4.1 */
import { changeMember, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { defaultTemplates, isTemplateNew, withCanonicalTemplates, type TemplateDefaulting } from '../../defaults/workload-templates.ts';

/** The versions in which a CloneSet may be sent. */
export type CloneSetVersion = 'v1alpha1' | 'v1beta1';

/** What the defaults of a CloneSet depend on besides the object. */
export interface CloneSetDefaulting extends TemplateDefaulting {
  readonly version: CloneSetVersion;
}

/**
 * Returns the CloneSet with its defaults. Set fields stay, except for quantities: where they are read, they are rounded up to thousandths, and
 * written canonically if the object is changed anyway. A template that is stored already is left unchanged, so that no upgrade of the manager starts
 * a rollout.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 */
export function defaultCloneSet(object: JsonObject, options: CloneSetDefaulting): JsonObject {
  const counted = mapMember(object, 'spec', (spec) => fillAbsent(spec, { replicas: 1, revisionHistoryLimit: 10 }));
  const isNewTemplate = isTemplateNew(object, options);
  const templated = isNewTemplate ? mapMember(counted, 'spec', (spec) => defaultTemplates(spec, options)) : counted;
  const updated = mapMember(templated, 'spec', (spec) => changeMember(spec, 'updateStrategy', strategyDefaults[options.version]));
  return isNewTemplate && updated !== object ? mapMember(updated, 'spec', withCanonicalTemplates) : updated;
}

const rollout: JsonObject = { partition: 0, maxUnavailable: '20%', maxSurge: 0 };

const withInPlaceStrategy = (members: JsonObject, policy: unknown): JsonObject =>
  policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly' ? fillAbsent(members, { inPlaceUpdateStrategy: {} }) : members;

function defaultRollingUpdate(rollingUpdate: JsonObject): JsonObject {
  const filled = fillEmpty(rollingUpdate, { podUpdatePolicy: 'ReCreate' });
  return fillAbsent(withInPlaceStrategy(filled, filled['podUpdatePolicy']), rollout);
}

const strategyDefaults: Readonly<Record<CloneSetVersion, (strategy: JsonObject) => JsonObject>> = {
  v1alpha1: (strategy) => {
    const typed = fillEmpty(strategy, { type: 'ReCreate' });
    return fillAbsent(withInPlaceStrategy(typed, typed['type']), rollout);
  },
  v1beta1: (strategy) => {
    const typed = fillEmpty(strategy, { type: 'RollingUpdate' });
    // Also beside an unknown type, which is the fault to report: a missing default would be another one.
    return typed['type'] === 'OnDelete' ? typed : changeMember(typed, 'rollingUpdate', defaultRollingUpdate);
  },
};
