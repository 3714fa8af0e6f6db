/** Defaults of a StatefulSet of either version. @see spec/statefulset.md 4.1 */
import { changeMember, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { defaultTemplates, isTemplateNew, withCanonicalTemplates, type TemplateDefaulting } from '../../defaults/workload-templates.ts';
import type { Gates } from '../../gates/feature-gates.ts';

/** The versions in which a StatefulSet may be sent. */
export type StatefulSetVersion = 'v1alpha1' | 'v1beta1';

/** What the defaults of a StatefulSet depend on besides the object. */
export interface StatefulSetDefaulting extends TemplateDefaulting {
  readonly version: StatefulSetVersion;
  readonly gates: TemplateDefaulting['gates'] & Pick<Gates, 'StatefulSetAutoDeletePVC' | 'StatefulSetAutoResizePVCGate'>;
}

const rollout: JsonObject = { partition: 0, maxUnavailable: 1, minReadySeconds: 0 };

function defaultStrategy(strategy: JsonObject): JsonObject {
  const typed = fillEmpty(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return changeMember(typed, 'rollingUpdate', (rolling) => fillAbsent(fillEmpty(rolling, { podUpdatePolicy: 'ReCreate' }), rollout));
}

/** Fills in the members that v1alpha1 lacks. */
function defaultHubMembers(spec: JsonObject, { gates, version }: StatefulSetDefaulting): JsonObject {
  if (version === 'v1alpha1') return spec;
  const retained = gates.StatefulSetAutoDeletePVC
    ? changeMember(spec, 'persistentVolumeClaimRetentionPolicy', (policy) =>
        fillEmpty(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
      )
    : spec;
  return gates.StatefulSetAutoResizePVCGate
    ? changeMember(retained, 'volumeClaimUpdateStrategy', (strategy) => fillEmpty(strategy, { type: 'OnDelete' }))
    : retained;
}

/**
 * Returns the StatefulSet with its defaults. Set fields stay, except for quantities: where they are read, they are rounded up to thousandths, and
 * written canonically if the object is changed anyway. A template that is stored already is left unchanged, so that no upgrade of the manager starts
 * a rollout.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 */
export function defaultStatefulSet(object: JsonObject, options: StatefulSetDefaulting): JsonObject {
  const filled = mapMember(object, 'spec', (spec) => {
    const managed = fillEmpty(spec, { podManagementPolicy: 'OrderedReady' });
    const updated = defaultHubMembers(changeMember(managed, 'updateStrategy', defaultStrategy), options);
    return fillAbsent(updated, { replicas: 1, revisionHistoryLimit: 10 });
  });
  const isNewTemplate = isTemplateNew(object, options);
  const templated = isNewTemplate ? mapMember(filled, 'spec', (spec) => defaultTemplates(spec, options)) : filled;
  return isNewTemplate && templated !== object ? mapMember(templated, 'spec', withCanonicalTemplates) : templated;
}
