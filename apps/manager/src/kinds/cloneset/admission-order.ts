/** The orders in which Pods are updated: their rules live with the ranking in libs/pods, which takes only what has the right shape. */
import {
  cloneSetDeclaration,
  conforms,
  objectSchema,
  type CloneSetVersion,
  type JsonSchema,
  type PriorityStrategy,
  type ScatterStrategy,
} from '@kruise/api';
import { fieldTypeInvalid, isJsonObject, ownMember, type FieldError, type JsonObject } from '@kruise/objects';
import { validatePriorityStrategy, validateScatterStrategy } from '@kruise/pods';

const settingsPath: Readonly<Record<CloneSetVersion, readonly string[]>> = {
  v1alpha1: ['spec', 'updateStrategy'],
  v1beta1: ['spec', 'updateStrategy', 'rollingUpdate'],
};

function schemaAt(version: CloneSetVersion, member: string): JsonSchema {
  const declared = cloneSetDeclaration.versions.find(({ name }) => name === version);
  if (declared === undefined) throw new Error(`CloneSet has no version ${version}`);
  return [...settingsPath[version], member].reduce<JsonSchema>(
    (schema, name) => schema.properties?.[name] ?? {},
    objectSchema(cloneSetDeclaration, declared),
  );
}

const schemas = Object.fromEntries(
  (['v1alpha1', 'v1beta1'] as const).map((version) => [
    version,
    { priorityStrategy: schemaAt(version, 'priorityStrategy'), scatterStrategy: schemaAt(version, 'scatterStrategy') },
  ]),
) as Readonly<Record<CloneSetVersion, { readonly priorityStrategy: JsonSchema; readonly scatterStrategy: JsonSchema }>>;

/** The value as far as its shape is right, else the fault. */
function shaped<T>(
  value: unknown,
  schema: JsonSchema,
  path: string,
): { readonly value: T | undefined; readonly faults: readonly FieldError[] } {
  if (value === undefined || value === null) return { value: undefined, faults: [] };
  return conforms(schema, value)
    ? { value: value as T, faults: [] }
    : { value: undefined, faults: [fieldTypeInvalid(path, value, 'is not of the form that the CRD describes')] };
}

/** Every fault of `priorityStrategy` and `scatterStrategy`; never throws. */
export function validateUpdateOrder(object: JsonObject, version: CloneSetVersion): readonly FieldError[] {
  const settings = settingsPath[version].reduce<JsonObject>((inner, name) => {
    const value = ownMember(inner, name);
    return isJsonObject(value) ? value : {};
  }, object);
  const path = settingsPath[version].join('.');
  const priority = shaped<PriorityStrategy>(settings['priorityStrategy'], schemas[version].priorityStrategy, `${path}.priorityStrategy`);
  const scatter = shaped<ScatterStrategy>(settings['scatterStrategy'], schemas[version].scatterStrategy, `${path}.scatterStrategy`);
  return [
    ...priority.faults,
    ...validatePriorityStrategy(priority.value, `${path}.priorityStrategy`),
    ...scatter.faults,
    ...validateScatterStrategy(scatter.value, `${path}.scatterStrategy`),
  ];
}
