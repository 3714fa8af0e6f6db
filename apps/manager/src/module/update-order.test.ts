import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { validateOrders } from './update-order.ts';

const text: JsonSchema = { type: 'string' };
const schema: JsonSchema = {
  type: 'object',
  properties: {
    priorityStrategy: {
      type: 'object',
      properties: {
        orderPriority: { type: 'array', items: { type: 'object', properties: { orderedKey: text } } },
        weightPriority: { type: 'array', items: { type: 'object' } },
      },
    },
    scatterStrategy: { type: 'array', items: { type: 'object', properties: { key: text, value: text } } },
  },
};
const faults = (settings: JsonObject): readonly string[] =>
  validateOrders(settings, schema, 'spec.updateStrategy').map(({ field }) => field);
const priority = 'spec.updateStrategy.priorityStrategy';
const scatter = 'spec.updateStrategy.scatterStrategy';

describe('the orders of an update', () => {
  it.each<{ name: string; settings: JsonObject; at: readonly string[] }>([
    { name: 'may be absent', settings: {}, at: [] },
    { name: 'may be null', settings: { priorityStrategy: null, scatterStrategy: null }, at: [] },
    {
      name: 'are good with keys',
      settings: { priorityStrategy: { orderPriority: [{ orderedKey: 'o' }] }, scatterStrategy: [{ key: 'a', value: 'b' }] },
      at: [],
    },
    { name: 'have the form of the CRD: priorities', settings: { priorityStrategy: { orderPriority: 'o' } }, at: [priority] },
    { name: 'have the form of the CRD: scattering', settings: { scatterStrategy: { key: 'a' } }, at: [scatter] },
    { name: 'have the form of the CRD: both', settings: { priorityStrategy: 1, scatterStrategy: 2 }, at: [priority, scatter] },
    {
      name: 'keep the rules of the ranking: one kind of priority',
      settings: { priorityStrategy: { orderPriority: [{ orderedKey: 'o' }], weightPriority: [{ weight: 1, matchSelector: {} }] } },
      at: [priority],
    },
    {
      name: 'keep the rules of the ranking: nothing is scattered twice',
      settings: {
        scatterStrategy: [
          { key: 'a', value: 'b' },
          { key: 'a', value: 'b' },
        ],
      },
      at: [scatter],
    },
  ])('$name', ({ settings, at }) => {
    expect([...new Set(faults(settings).map((path) => at.find((start) => path.startsWith(start)) ?? path))]).toEqual(at);
  });

  it('say what is wrong with their form', () => {
    const [fault] = validateOrders({ scatterStrategy: 'x' }, schema, 'spec.updateStrategy');
    expect(fault).toMatchObject({ field: scatter, value: 'x', detail: 'is not of the form that the CRD describes' });
  });

  it('are not looked at where the schema has none', () => {
    expect(validateOrders({ scatterStrategy: [{ key: 'a', value: 'b' }] }, {}, 'spec')).toEqual([]);
  });
});
