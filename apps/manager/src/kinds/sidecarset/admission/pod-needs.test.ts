import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { needsOfSidecarSets, sidecarSetNeeds } from './pod-needs.ts';

const needsOf = (spec: unknown): readonly object[] => sidecarSetNeeds([{ metadata: { name: 's' }, spec } as unknown as SidecarSet]);
const selector = { matchLabels: { app: 'web' } };
const need = { reason: 'sidecarset', objectSelector: selector };

describe('the Pods that a SidecarSet needs', () => {
  it.each<{ name: string; spec: unknown; needs: readonly object[] }>([
    { name: 'are those that it selects', spec: { selector }, needs: [need] },
    {
      name: 'are those in the namespaces that it selects',
      spec: { selector, namespaceSelector: { matchLabels: { a: 'b' } } },
      needs: [{ ...need, namespaceSelector: { matchLabels: { a: 'b' } } }],
    },
    {
      name: 'are in all namespaces for an empty selector of namespaces',
      spec: { selector, namespaceSelector: {} },
      needs: [{ ...need, namespaceSelector: {} }],
    },
    { name: 'are in all namespaces for null', spec: { selector, namespaceSelector: null }, needs: [need] },
    { name: 'are none while injection is paused', spec: { selector, injectionStrategy: { paused: true } }, needs: [] },
    { name: 'do not depend on pauses of updates', spec: { selector, updateStrategy: { paused: true } }, needs: [need] },
    { name: 'are none for an empty selector', spec: { selector: {} }, needs: [] },
    { name: 'are none without a selector', spec: {}, needs: [] },
    { name: 'are none when the spec is text', spec: 'x', needs: [] },
    { name: 'are none when there is no spec', spec: null, needs: [] },
    { name: 'are none when the selector is text', spec: { selector: 'app=web' }, needs: [] },
  ])('$name', ({ spec, needs }) => {
    expect(needsOf(spec)).toEqual(needs);
  });
});

describe('the needs of the SidecarSets in a store', () => {
  it('are those of all of them in the order of their names, ready with the store, and change with it', () => {
    const sets = [{ metadata: { name: 's' }, spec: { selector } } as unknown as SidecarSet];
    const queries: object[] = [];
    let listener: ((event: never) => void) | undefined;
    const store = {
      synced: false,
      list: (query: object) => (queries.push(query), sets),
      subscribe: (given: (event: never) => void) => void (listener = given),
    };
    const needs = needsOfSidecarSets(store);
    expect(needs.isReady?.()).toBe(false);
    store.synced = true;
    expect(needs.isReady?.()).toBe(true);
    expect(needs.current()).toEqual([need]);
    expect(queries).toEqual([{ sorted: true }]);
    let changes = 0;
    needs.watch?.(() => void changes++);
    listener?.({} as never);
    expect(changes).toBe(1);
  });
});
