/** Defaults of DaemonSets. @see spec/daemonset.md 4.1 */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, membersAt, type JsonObject } from '@kruise/objects';
import { bare, filled, having, onDelete, rollingBy, versions } from './admission.testing.ts';
import type { DaemonSetVersion } from './defaults.ts';

const specOf = (object: JsonObject): JsonObject => membersAt(object, 'spec');
const strategyOf = (object: JsonObject): JsonObject => membersAt(specOf(object), 'updateStrategy');
const rollingUpdate = { rollingUpdateType: 'Standard', maxUnavailable: 1, maxSurge: 0 };

describe('defaults of DaemonSets', () => {
  it.each(versions)('scenario 1: a minimal one of %s updates one node after the other', (version) => {
    const { selector, template, ...rest } = specOf(filled(deepFreeze(bare), version));
    expect(rest).toEqual({
      burstReplicas: 250,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      revisionHistoryLimit: 10,
    });
    expect(template).toBe(specOf(bare)['template']);
    expect(selector).toBe(specOf(bare)['selector']);
  });

  it.each(versions)('one of %s that lacks nothing is the very same', (version) => {
    const once = filled(bare, version);
    expect(filled(once, version)).toBe(once);
    const deleting = filled(onDelete(), version);
    expect(filled(deleting, version)).toBe(deleting);
  });

  it.each<{ name: string; strategy: unknown; then: unknown }>([
    { name: 'null is not given', strategy: null, then: { type: 'RollingUpdate', rollingUpdate } },
    { name: 'an empty strategy has the type RollingUpdate', strategy: {}, then: { type: 'RollingUpdate', rollingUpdate } },
    { name: 'an empty type is not given', strategy: { type: '' }, then: { type: 'RollingUpdate', rollingUpdate } },
    { name: 'an empty type of rolling updates is Standard', strategy: rollingType(''), then: { type: 'RollingUpdate', rollingUpdate } },
    {
      name: 'null limits are not given',
      strategy: { rollingUpdate: { maxUnavailable: null, maxSurge: null } },
      then: { type: 'RollingUpdate', rollingUpdate },
    },
    {
      name: 'settings without a type are those of RollingUpdate',
      strategy: { rollingUpdate: { partition: 3 } },
      then: { type: 'RollingUpdate', rollingUpdate: { ...rollingUpdate, partition: 3 } },
    },
    {
      name: 'with a surge alone maxUnavailable stays unset',
      strategy: { rollingUpdate: { maxSurge: '10%' } },
      then: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%', rollingUpdateType: 'Standard' } },
    },
    {
      name: 'with maxUnavailable alone maxSurge stays unset, with 0 as well',
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      then: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, rollingUpdateType: 'Standard' } },
    },
    {
      name: 'a type that is set stays',
      strategy: rollingType('InPlaceIfPossible'),
      then: { type: 'RollingUpdate', rollingUpdate: { ...rollingUpdate, rollingUpdateType: 'InPlaceIfPossible' } },
    },
    { name: 'OnDelete gets no settings', strategy: { type: 'OnDelete' }, then: { type: 'OnDelete' } },
    { name: 'an unknown type gets no settings', strategy: { type: 'Never' }, then: { type: 'Never' } },
    { name: 'a strategy of another type of JSON stays', strategy: 'RollingUpdate', then: 'RollingUpdate' },
    {
      name: 'settings of another type of JSON stay',
      strategy: { type: 'RollingUpdate', rollingUpdate: [1] },
      then: { type: 'RollingUpdate', rollingUpdate: [1] },
    },
    { name: 'a type of another type of JSON stays', strategy: { type: 7 }, then: { type: 7 } },
  ])('$name', ({ strategy, then }) => {
    for (const version of versions)
      expect(specOf(filled(deepFreeze(having('spec.updateStrategy', strategy)), version))['updateStrategy']).toEqual(then);
  });

  it.each<{ name: string; settings: JsonObject; version?: DaemonSetVersion; then: JsonObject }>([
    { name: 'in v1alpha1 Surging becomes Standard with a surge of one', settings: {}, then: { maxSurge: 1, maxUnavailable: 0 } },
    {
      name: 'in v1alpha1 Surging keeps its surge',
      settings: { maxSurge: '30%' },
      then: { maxSurge: '30%', maxUnavailable: 0 },
    },
    {
      name: 'in v1alpha1 Surging keeps its maxUnavailable, which validation refuses then',
      settings: { maxUnavailable: 2 },
      then: { maxSurge: 1, maxUnavailable: 2 },
    },
    {
      name: 'in v1beta1 Surging stays, which validation refuses',
      settings: {},
      version: 'v1beta1',
      then: { rollingUpdateType: 'Surging', maxSurge: 0, maxUnavailable: 1 },
    },
  ])('$name', ({ settings, version = 'v1alpha1', then }) => {
    const object = filled(deepFreeze(rollingBy({ rollingUpdateType: 'Surging', ...settings })), version);
    expect(strategyOf(object)['rollingUpdate']).toEqual({ rollingUpdateType: 'Standard', ...then });
  });

  it.each<{ name: string; spec: JsonObject; then: JsonObject }>([
    { name: 'null counts as absent', spec: { burstReplicas: null, revisionHistoryLimit: null }, then: {} },
    {
      name: 'what is set stays, 0 included',
      spec: { burstReplicas: 0, revisionHistoryLimit: 0 },
      then: { burstReplicas: 0, revisionHistoryLimit: 0 },
    },
    { name: 'a text that says nothing stays', spec: { burstReplicas: 'many' }, then: { burstReplicas: 'many' } },
    { name: 'what is of another type stays', spec: { burstReplicas: [], template: 'x' }, then: { burstReplicas: [], template: 'x' } },
  ])('$name', ({ spec, then }) => {
    expect(specOf(filled(deepFreeze({ metadata: {}, spec })))).toEqual({
      burstReplicas: 250,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      revisionHistoryLimit: 10,
      ...then,
    });
  });

  it.each([undefined, null, 'x', 7, []])('a malformed spec (%j) is unchanged', (spec) => {
    const object = { metadata: {}, spec };
    expect(filled(object)).toBe(object);
  });
});

function rollingType(rollingUpdateType: string): JsonObject {
  return { rollingUpdate: { rollingUpdateType } };
}
