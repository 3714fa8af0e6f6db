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

describe('the number of terms', () => {
  const most = 100;
  const keys = (count: number): JsonObject[] => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, orderedKey: `k${at}` }));
  const weights = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, at) => ({ weight: 1, matchSelector: { matchLabels: { app: `a${at}` } } }));
  const ofSettings = (settings: JsonObject, old?: JsonObject) =>
    validateOrders(settings, schema, 'spec.updateStrategy', old).map(({ field, value }) => [field, value]);

  it.each<[string, (count: number) => JsonObject]>([
    ['scatterStrategy', (count) => ({ scatterStrategy: keys(count) })],
    ['priorityStrategy.orderPriority', (count) => ({ priorityStrategy: { orderPriority: keys(count) } })],
    ['priorityStrategy.weightPriority', (count) => ({ priorityStrategy: { weightPriority: weights(count) } })],
  ])('of %s has a bound, which an update that adds none may be beyond', (name, settings) => {
    const beyond = [[`spec.updateStrategy.${name}`, most + 1]];
    expect([ofSettings(settings(most)), ofSettings(settings(most + 1))]).toEqual([[], beyond]);
    expect(ofSettings(settings(most + 1), settings(most + 1))).toEqual([]);
    expect(ofSettings(settings(most + 1), settings(most + 2))).toEqual([]);
    expect(ofSettings(settings(most + 1), settings(most))).toEqual(beyond);
  });
});
