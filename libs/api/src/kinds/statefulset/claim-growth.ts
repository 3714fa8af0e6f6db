/** Decides whether claim templates may change when claims are resized with them. @see spec/statefulset.md 4.2 */
import {
  equalQuantities,
  fieldForbidden,
  fieldInvalid,
  isJsonObject,
  membersAt,
  semanticEqual,
  type FieldError,
  type JsonObject,
  type StorageClass,
} from '@kruise/objects';

const path = 'spec.volumeClaimTemplates';
const defaultClass = 'storageclass.kubernetes.io/is-default-class';

interface Template {
  readonly name: string;
  readonly spec: JsonObject;
}

const templatesOf = (object: JsonObject): readonly Template[] => {
  const list = membersAt(object, 'spec')['volumeClaimTemplates'];
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((template) => {
    const { name } = membersAt(template, 'metadata');
    return { name: typeof name === 'string' ? name : '', spec: membersAt(template, 'spec') };
  });
};

/** Returns the name of the class; '' for none: the default one. */
const classNameOf = ({ spec }: Template): string => {
  const name = spec['storageClassName'];
  return typeof name === 'string' ? name : '';
};

const sizeOf = ({ spec }: Template, kind: 'requests' | 'limits'): string | undefined => {
  const size = membersAt(membersAt(spec, 'resources'), kind)['storage'];
  return typeof size === 'string' || typeof size === 'number' ? String(size) : undefined;
};

const isResized = (next: Template, old: Template): boolean =>
  (['requests', 'limits'] as const).some((kind) => !equalQuantities(sizeOf(next, kind), sizeOf(old, kind)));

/** Returns whether the update requires claims to be resized: decided by the stored object, as in the original. */
export const resizesWithUpdate = (oldObject: JsonObject): boolean =>
  membersAt(membersAt(oldObject, 'spec'), 'volumeClaimUpdateStrategy')['type'] === 'OnPodRollingUpdate';

/** Returns the names of the classes whose claims are resized, '' for the default one; none when the update resizes nothing. */
export function classesToLookUp(object: JsonObject, oldObject: JsonObject): readonly string[] {
  const old = new Map(templatesOf(oldObject).map((template) => [template.name, template]));
  const resized = templatesOf(object).filter((template) => {
    const before = old.get(template.name);
    return before !== undefined && isResized(template, before);
  });
  return [...new Set(resized.map(classNameOf))];
}

const createdAt = ({ metadata }: StorageClass): number => Date.parse(metadata.creationTimestamp ?? '') || 0;

/** Returns the default class; of several ones the newest counts. */
const defaultOf = (classes: readonly StorageClass[]): StorageClass | undefined =>
  classes.filter(({ metadata }) => metadata.annotations?.[defaultClass] === 'true').toSorted((a, b) => createdAt(b) - createdAt(a))[0];

function classFault(template: Template, classes: readonly StorageClass[]): readonly FieldError[] {
  const name = classNameOf(template);
  const held = name === '' ? defaultOf(classes) : classes.find(({ metadata }) => metadata.name === name);
  if (held === undefined)
    return name === '' ? [] : [fieldInvalid(`${path}[${template.name}].spec.storageClassName`, name, 'there is no such StorageClass')];
  return held.allowVolumeExpansion === true
    ? []
    : [
        fieldForbidden(
          `${path}[${template.name}].spec.resources.requests.storage`,
          `StorageClass ${held.metadata.name} does not allow volume expansion (allowVolumeExpansion)`,
        ),
      ];
}

const accessModes = ({ spec }: Template): unknown => spec['accessModes'] ?? [];

function templateFaults(next: Template, old: Template | undefined, classes: readonly StorageClass[]): readonly FieldError[] {
  const at = `${path}[${next.name}]`;
  if (old === undefined)
    return [fieldForbidden(`${at}.name`, 'claim templates cannot be added or renamed while claims are resized with Pods')];
  const [held, wanted] = [old.spec['storageClassName'], next.spec['storageClassName']];
  const isOtherClass = typeof held === 'string' && typeof wanted === 'string' && held !== wanted;
  return [
    ...(isOtherClass ? [fieldInvalid(`${at}.spec.storageClassName`, wanted, `cannot be changed, it is ${held}`)] : []),
    ...(semanticEqual(accessModes(next), accessModes(old))
      ? []
      : [fieldInvalid(`${at}.spec.accessModes`, accessModes(next), 'cannot be changed')]),
    ...(isResized(next, old) ? classFault(next, classes) : []),
  ];
}

/**
 * Returns every fault of a change of claim templates that Pods' claims must follow.
 *
 * @param classes every StorageClass; not read unless {@link classesToLookUp} names some
 * @remarks Never throws.
 */
export function validateClaimGrowth(object: JsonObject, oldObject: JsonObject, classes: readonly StorageClass[]): readonly FieldError[] {
  const [next, old] = [templatesOf(object), templatesOf(oldObject)];
  const known = new Map(old.map((template) => [template.name, template]));
  const count =
    next.length === old.length
      ? []
      : [fieldInvalid(path, next.length, `the number of claim templates cannot change from ${String(old.length)}`)];
  return [...count, ...next.flatMap((template) => templateFaults(template, known.get(template.name), classes))];
}
