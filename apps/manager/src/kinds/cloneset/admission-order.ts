/** The orders in which Pods of a CloneSet are updated. */
import { cloneSetDeclaration, objectSchema, type CloneSetVersion, type JsonSchema } from '@kruise/api';
import { isJsonObject, ownMember, type FieldError, type JsonObject } from '@kruise/objects';
import { validateOrders } from '../../module/update-order.ts';

const settingsPath: Readonly<Record<CloneSetVersion, readonly string[]>> = {
  v1alpha1: ['spec', 'updateStrategy'],
  v1beta1: ['spec', 'updateStrategy', 'rollingUpdate'],
};

function schemaOf(version: CloneSetVersion): JsonSchema {
  const declared = cloneSetDeclaration.versions.find(({ name }) => name === version);
  if (declared === undefined) throw new Error(`CloneSet has no version ${version}`);
  return settingsPath[version].reduce<JsonSchema>(
    (schema, name) => schema.properties?.[name] ?? {},
    objectSchema(cloneSetDeclaration, declared),
  );
}

const schemas: Readonly<Record<CloneSetVersion, JsonSchema>> = { v1alpha1: schemaOf('v1alpha1'), v1beta1: schemaOf('v1beta1') };

/** Every fault of `priorityStrategy` and `scatterStrategy`; never throws. */
export function validateUpdateOrder(object: JsonObject, version: CloneSetVersion): readonly FieldError[] {
  const settings = settingsPath[version].reduce<JsonObject>((inner, name) => {
    const value = ownMember(inner, name);
    return isJsonObject(value) ? value : {};
  }, object);
  return validateOrders(settings, schemas[version], settingsPath[version].join('.'));
}
