/** What a ControllerRevision of a UnitedDeployment holds: the template of its children as a whole. @see spec/uniteddeployment.md 5.3 */
import { normalizeCloneSetTemplate, type UnitedDeploymentSpec } from '@kruise/api';
import { canonicalJson, isJsonObject, memberAt, type ControllerRevision, type JsonObject } from '@kruise/objects';
import { knownMembers, normalizeStruct, withDoubles, type QuantityForm } from '@kruise/pods';

type Template = NonNullable<UnitedDeploymentSpec['template']>;

const templateType = 'UnitedDeploymentTemplate';

/** A CloneSet template may be in the form of v1alpha1: the data of 1.9.0 is, and so may be an object that was stored then. */
function inHubForm(template: JsonObject): JsonObject {
  const { cloneSetTemplate } = template;
  return isJsonObject(cloneSetTemplate) ? { ...template, cloneSetTemplate: normalizeCloneSetTemplate(cloneSetTemplate) } : template;
}

const bytesOf = (template: JsonObject, form: QuantityForm): string =>
  canonicalJson({
    spec: {
      template: { ...(withDoubles(normalizeStruct(inHubForm(template), templateType, form)) as JsonObject), $patch: 'replace' },
    },
  });

/** The bytes of a template: what the name of its revision is made from. */
export const templateBytes = (template: Template): string => bytesOf({ ...template }, 'Original');

const storedTemplateOf = ({ data }: Pick<ControllerRevision, 'data'>): JsonObject | undefined => {
  const template = memberAt(data, 'spec', 'template');
  return isJsonObject(template) ? template : undefined;
};

/**
 * The bytes by which revisions are compared, independent of writer, version and notation of empty values. The name of a revision is a label of Pods:
 * a template that is only written differently must not count as another one.
 */
export function storedTemplateBytes(revision: Pick<ControllerRevision, 'data'>): string {
  const template = storedTemplateOf(revision);
  return template === undefined ? canonicalJson(revision.data ?? null) : bytesOf(template, 'Canonical');
}

/** The same without the members that the original does not know, and drops. */
export function knownTemplateBytes(revision: Pick<ControllerRevision, 'data'>): string {
  const template = storedTemplateOf(revision);
  if (template === undefined) return storedTemplateBytes(revision);
  return bytesOf(knownMembers(inHubForm(template), templateType) as JsonObject, 'Canonical');
}
