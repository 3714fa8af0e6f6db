/** Defaults of a UnitedDeployment of either version. @see spec/uniteddeployment.md 4.1 */
import { changeMember, isJsonObject, isUnset, membersAt, withMembers, type JsonObject } from '@kruise/objects';
import { normalizeCloneSetTemplate } from '../cloneset/cloneset-to-hub.ts';
import { mapItems, mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { defaultTemplates, isTemplateNew, withCanonicalTemplates, type TemplateDefaulting } from '../../defaults/workload-templates.ts';

function defaultStrategy(strategy: JsonObject): JsonObject {
  const typed = fillEmpty(strategy, { type: 'Manual' });
  return typed['type'] === 'Manual' ? fillAbsent(typed, { manualUpdate: {} }) : typed;
}

/** Defaults limits. When one subset has limits, those without `minReplicas` get 0. */
function defaultLimits(topology: JsonObject): JsonObject {
  const subsets = topology['subsets'];
  if (!Array.isArray(subsets)) return topology;
  const given = (name: string): boolean => subsets.some((subset) => isJsonObject(subset) && !isUnset(subset[name]));
  const isElastic = (given('minReplicas') || given('maxReplicas')) && !given('replicas');
  return isElastic ? mapItems(topology, 'subsets', (subset) => fillAbsent(subset, { minReplicas: 0 })) : topology;
}

/** Defaults the template of Kubernetes' own StatefulSets. Templates of the other kinds are defaulted when children are created. */
function defaultStatefulSetTemplate(object: JsonObject, options: TemplateDefaulting): JsonObject {
  const change = (spec: JsonObject): JsonObject => withCanonicalTemplates(defaultTemplates(spec, options));
  return isTemplateNew(object, options)
    ? mapMember(object, 'spec', (spec) =>
        mapMember(spec, 'template', (template) => mapMember(template, 'statefulSetTemplate', (child) => mapMember(child, 'spec', change))),
      )
    : object;
}

/** Converts a CloneSet template in the form of v1alpha1 to v1beta1. */
const withHubTemplate = (spec: JsonObject): JsonObject =>
  isJsonObject(membersAt(spec, 'template')['cloneSetTemplate'])
    ? mapMember(spec, 'template', (template) => mapMember(template, 'cloneSetTemplate', normalizeCloneSetTemplate))
    : spec;

/**
 * Returns the UnitedDeployment with its defaults and without its status, which only the controller writes. Set fields stay, including members of a
 * wrong type; null counts as absent.
 *
 * @returns shares with the input, which is never written to; the input itself when nothing is missing
 * @remarks Never throws.
 */
export function defaultUnitedDeployment(object: JsonObject, options: TemplateDefaulting): JsonObject {
  const filled = mapMember(withMembers(object, { status: undefined }), 'spec', (spec) => {
    const counted = fillAbsent(spec, { replicas: 1, revisionHistoryLimit: 10 });
    const updated = changeMember(counted, 'updateStrategy', defaultStrategy);
    return mapMember(withHubTemplate(updated), 'topology', defaultLimits);
  });
  return defaultStatefulSetTemplate(filled, options);
}
