/** The orders in which Pods are updated: their rules live with the ranking in libs/pods, which takes only what has the right shape. */
import { conforms, objectSchema, type JsonSchema, type KindDeclaration, type PriorityStrategy, type ScatterStrategy } from '@kruise/api';
import { fieldTypeInvalid, isJsonObject, ownMember, type FieldError, type JsonObject } from '@kruise/objects';
import { validateOrderSizes, validatePriorityStrategy, validateScatterStrategy } from '@kruise/pods';

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
 * @param old the stored settings; absent on create
 * @see spec/inplace-update.md 10
 */
export function validateOrders(settings: JsonObject, schema: JsonSchema, path: string, old?: JsonObject): readonly FieldError[] {
  const [priorityPath, scatterPath] = [`${path}.priorityStrategy`, `${path}.scatterStrategy`];
  const ordersOf = (given: JsonObject) => ({
    priority: shaped<PriorityStrategy>(given['priorityStrategy'], schema.properties?.['priorityStrategy'] ?? {}, priorityPath),
    scatter: shaped<ScatterStrategy>(given['scatterStrategy'], schema.properties?.['scatterStrategy'] ?? {}, scatterPath),
  });
  const { priority, scatter } = ordersOf(settings);
  const before = old === undefined ? undefined : ordersOf(old);
  const stored = before === undefined ? undefined : { priority: before.priority.value, scatter: before.scatter.value };
  const tooLong = validateOrderSizes({ priority: priority.value, scatter: scatter.value }, stored, path);
  if (tooLong.length > 0) return tooLong;
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
 * @returns finds every fault of an object of any origin, with the stored object on an update; never throws
 * @throws when the kind has no such version
 */
export function orderRule(
  declaration: KindDeclaration,
  version: string,
  path: readonly string[],
): (object: JsonObject, oldObject?: JsonObject) => readonly FieldError[] {
  const schema = schemaAt(declaration, version, path);
  const settingsIn = (object: JsonObject): JsonObject =>
    path.reduce<JsonObject>((inner, name) => {
      const value = ownMember(inner, name);
      return isJsonObject(value) ? value : {};
    }, object);
  return (object, oldObject) =>
    validateOrders(settingsIn(object), schema, path.join('.'), oldObject === undefined ? undefined : settingsIn(oldObject));
}
