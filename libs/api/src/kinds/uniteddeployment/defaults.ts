/** Defaults of a UnitedDeployment of either version. @see spec/uniteddeployment.md 4.1 */
import { normalizeCloneSetTemplate } from '../../conversion/cloneset-to-hub.ts';
import { changeMember, isMembers, membersAt, withMembers, type Members } from '../../conversion/converter.ts';
import { mapItems, mapMember } from '../../conversion/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../defaults/fill.ts';
import { defaultTemplates, isTemplateNew, withCanonicalTemplates, type TemplateDefaulting } from '../../defaults/workload-templates.ts';
import { isUnset } from '../../pod-template/validation/check.ts';

function defaultStrategy(strategy: Members): Members {
  const typed = fillEmpty(strategy, { type: 'Manual' });
  return typed['type'] === 'Manual' ? fillAbsent(typed, { manualUpdate: {} }) : typed;
}

/** Where one subset has limits, those that say nothing of the least have 0. */
function defaultLimits(topology: Members): Members {
  const subsets = topology['subsets'];
  if (!Array.isArray(subsets)) return topology;
  const given = (name: string): boolean => subsets.some((subset) => isMembers(subset) && !isUnset(subset[name]));
  const isElastic = (given('minReplicas') || given('maxReplicas')) && !given('replicas');
  return isElastic ? mapItems(topology, 'subsets', (subset) => fillAbsent(subset, { minReplicas: 0 })) : topology;
}

/** The template that Kubernetes' own StatefulSets are made from; the other kinds fill in theirs when children are created. */
function defaultStatefulSetTemplate(object: Members, options: TemplateDefaulting): Members {
  const change = (spec: Members): Members => withCanonicalTemplates(defaultTemplates(spec, options));
  return isTemplateNew(object, options)
    ? mapMember(object, 'spec', (spec) =>
        mapMember(spec, 'template', (template) => mapMember(template, 'statefulSetTemplate', (child) => mapMember(child, 'spec', change))),
      )
    : object;
}

/** A CloneSet template in the form of v1alpha1 becomes one of v1beta1. */
const withHubTemplate = (spec: Members): Members =>
  isMembers(membersAt(spec, 'template')['cloneSetTemplate'])
    ? mapMember(spec, 'template', (template) => mapMember(template, 'cloneSetTemplate', normalizeCloneSetTemplate))
    : spec;

/**
 * The UnitedDeployment with its defaults and without its status, which only the controller writes. What is set stays, members of a wrong type included; null
 * is not given.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 * @remarks Never throws.
 */
export function defaultUnitedDeployment(object: Members, options: TemplateDefaulting): Members {
  const filled = mapMember(withMembers(object, { status: undefined }), 'spec', (spec) => {
    const counted = fillAbsent(spec, { replicas: 1, revisionHistoryLimit: 10 });
    const updated = changeMember(counted, 'updateStrategy', defaultStrategy);
    return mapMember(withHubTemplate(updated), 'topology', defaultLimits);
  });
  return defaultStatefulSetTemplate(filled, options);
}
