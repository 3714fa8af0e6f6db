/** Defaults of the templates from which workloads create Pods and claims. @see spec/cloneset.md 4.1 */
import { membersAt, semanticEqual, type JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../members/nested-members.ts';
import type { Gates } from '../gates/feature-gates.ts';
import { defaultPodTemplate } from '../pod-template/defaults.ts';
import { withCanonicalClaimQuantities, withCanonicalQuantities } from '../pod-template/quantities.ts';
import { defaultVolumeClaimTemplate } from '../pod-template/volume-defaults.ts';

/** What determines whether templates are defaulted, and how. */
export interface TemplateDefaulting {
  /** The stored object in the same version; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  readonly gates: Pick<Gates, 'TemplateNoDefaults' | 'DefaultHostNetworkHostPortsInPodTemplates'>;
}

/** Returns whether the template is new. A template that is stored already is left unchanged, so that no upgrade of the manager starts a rollout. */
export const isTemplateNew = (object: JsonObject, { oldObject, gates }: TemplateDefaulting): boolean =>
  !gates.TemplateNoDefaults &&
  (oldObject === undefined || !semanticEqual(membersAt(object, 'spec')['template'], membersAt(oldObject, 'spec')['template']));

/** Defaults the templates. @param spec of the workload, with `template` and `volumeClaimTemplates` */
export function defaultTemplates(spec: JsonObject, { gates }: TemplateDefaulting): JsonObject {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  const templated = mapMember(spec, 'template', (template) => defaultPodTemplate(template, { hostNetworkHostPorts }));
  return mapItems(templated, 'volumeClaimTemplates', defaultVolumeClaimTemplate);
}

/** Returns canonical quantities, for objects that are changed anyway. */
export const withCanonicalTemplates = (spec: JsonObject): JsonObject =>
  mapItems(mapMember(spec, 'template', withCanonicalQuantities), 'volumeClaimTemplates', withCanonicalClaimQuantities);
