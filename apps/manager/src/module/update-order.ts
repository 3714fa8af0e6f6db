/** The orders in which Pods are updated: their rules live with the ranking in libs/pods, which takes only what has the right shape. */
import { conforms, objectSchema, type JsonSchema, type KindDeclaration, type PriorityStrategy, type ScatterStrategy } from '@kruise/api';
import { fieldTypeInvalid, isJsonObject, ownMember, type FieldError, type JsonObject } from '@kruise/objects';
import { validatePriorityStrategy, validateScatterStrategy } from '@kruise/pods';

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

/**
 * Every fault of `priorityStrategy` and `scatterStrategy`; never throws.
 *
 * @param settings what holds the two, of any origin
 * @param schema of `settings`
 * @param path of `settings`
 * @see spec/inplace-update.md 10
 */
export function validateOrders(settings: JsonObject, schema: JsonSchema, path: string): readonly FieldError[] {
  const [priorityPath, scatterPath] = [`${path}.priorityStrategy`, `${path}.scatterStrategy`];
  const priority = shaped<PriorityStrategy>(settings['priorityStrategy'], schema.properties?.['priorityStrategy'] ?? {}, priorityPath);
  const scatter = shaped<ScatterStrategy>(settings['scatterStrategy'], schema.properties?.['scatterStrategy'] ?? {}, scatterPath);
  return [
    ...priority.faults,
    ...validatePriorityStrategy(priority.value, priorityPath),
    ...scatter.faults,
    ...validateScatterStrategy(scatter.value, scatterPath),
  ];
}

function schemaAt(declaration: KindDeclaration, version: string, path: readonly string[]): JsonSchema {
  const declared = declaration.versions.find(({ name }) => name === version);
  if (declared === undefined) throw new Error(`${declaration.kind} has no version ${version}`);
  return path.reduce<JsonSchema>((schema, name) => schema.properties?.[name] ?? {}, objectSchema(declaration, declared));
}

/**
 * The rule for the orders of one version of a kind.
 *
 * @param path to what holds the two strategies
 * @returns finds every fault of an object of any origin; never throws
 * @throws when the kind has no such version
 */
export function orderRule(
  declaration: KindDeclaration,
  version: string,
  path: readonly string[],
): (object: JsonObject) => readonly FieldError[] {
  const schema = schemaAt(declaration, version, path);
  return (object) => {
    const settings = path.reduce<JsonObject>((inner, name) => {
      const value = ownMember(inner, name);
      return isJsonObject(value) ? value : {};
    }, object);
    return validateOrders(settings, schema, path.join('.'));
  };
}
