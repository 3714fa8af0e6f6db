import { expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import { aPod } from '@kruise/testing';
import { isSpecifiedDelete } from './pod-facts.ts';

it('very many podsToDelete are read once for all Pods', () => {
  let reads = 0;
  const names = Array.from({ length: 1000 }, (_, at) => `pod-${at}`);
  const podsToDelete = new Proxy(names, { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
  const cloneSet = { metadata: { name: 'a' }, spec: { scaleStrategy: { podsToDelete } } } as unknown as CloneSet;
  const marked = Array.from({ length: 1200 }, (_, at) => aPod({ name: `pod-${at}` })).filter((pod) => isSpecifiedDelete(cloneSet, pod));
  expect(marked).toHaveLength(1000);
  expect(reads).toBeLessThan(10_000);
});
