/** The orders in which Pods are updated: their rules live with the ranking in libs/pods, which takes only what has the right shape. */
import { conforms, type JsonSchema, type PriorityStrategy, type ScatterStrategy } from '@kruise/api';
import { fieldTypeInvalid, type FieldError, type JsonObject } from '@kruise/objects';
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
