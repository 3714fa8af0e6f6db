/** Which fields hold the update order in each version, and how admission reports their errors. @see spec/inplace-update.md 10 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSetVersion } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { validateUpdateOrder } from '@kruise/kinds/cloneset';

const faulty = { priorityStrategy: { orderPriority: [{ orderedKey: '' }] }, scatterStrategy: [{ key: '', value: 'x' }] };
const misshaped = { priorityStrategy: { orderPriority: 'k' }, scatterStrategy: [{ key: 7, value: 'x' }] };
const good = { priorityStrategy: { orderPriority: [{ orderedKey: 'k' }] }, scatterStrategy: [{ key: 'k', value: 'v' }] };
const within = (version: CloneSetVersion, settings: unknown): JsonObject => ({
  spec: { updateStrategy: version === 'v1alpha1' ? settings : { rollingUpdate: settings } },
});

describe('the orders of an update', () => {
  it.each<[version: CloneSetVersion, path: string]>([
    ['v1alpha1', 'spec.updateStrategy'],
    ['v1beta1', 'spec.updateStrategy.rollingUpdate'],
  ])('of %s are in %s, where admission reports every error', (version, path) => {
    const fieldsOf = (settings: object): readonly string[] =>
      validateUpdateOrder(within(version, settings), version).map(({ field }) => field);
    expect(fieldsOf(faulty)).toEqual([`${path}.priorityStrategy.orderPriority[0].orderedKey`, `${path}.scatterStrategy[0].key`]);
    expect(fieldsOf(misshaped)).toEqual([`${path}.priorityStrategy`, `${path}.scatterStrategy`]);
    expect(validateUpdateOrder(within(version, good), version)).toEqual([]);
  });

  it.each<[version: CloneSetVersion, object: JsonObject]>([
    ['v1beta1', {}],
    ['v1beta1', { spec: 'text' }],
    ['v1beta1', { spec: { updateStrategy: { rollingUpdate: null } } }],
    ['v1beta1', within('v1alpha1', faulty)],
    ['v1alpha1', within('v1beta1', faulty)],
  ])('of %s are not read elsewhere, nor from a field with another value', (version, object) => {
    expect(validateUpdateOrder(object, version)).toEqual([]);
  });
});
