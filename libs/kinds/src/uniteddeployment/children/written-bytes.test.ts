import { expect, it } from '@jest/globals';
import type { UnitedDeploymentSubset } from '@kruise/api';
import { childKinds } from '../snapshot/child-kinds.ts';
import { aUnited } from '../testing.ts';
import { burstOf } from './written-bytes.ts';

const MiB = 1 << 20;
const kind = childKinds.find(({ name }) => name === 'CloneSet')!;
const text = (length: number): string => 'x'.repeat(length);
const zone = (length: number) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: [text(length)] }] });

const burst = (subsets: readonly Partial<UnitedDeploymentSubset>[], template: { bytes?: number; terms?: number } = {}): number => {
  const { bytes = 0, terms = 0 } = template;
  const nodeSelectorTerms = Array.from({ length: terms }, (_, at) => ({ matchExpressions: [{ key: `k${at}`, operator: 'Exists' }] }));
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  const pod = { metadata: { annotations: { fill: text(bytes) } }, spec: { containers: [], affinity } };
  const united = aUnited({ child: { template: pod } });
  const wish = { united, kind, revision: 'r', replicas: 1, partition: 0 };
  return burstOf(subsets.map((subset, at) => ({ wish: { ...wish, subset: { name: `s${at}`, ...subset } } })));
};

it.each<{ name: string; subsets: readonly Partial<UnitedDeploymentSubset>[]; template?: Parameters<typeof burst>[1]; then: number }>([
  { name: 'as many as one pass may where they are small', subsets: [{}], then: 500 },
  { name: 'as many as one pass may where there are none', subsets: [], template: { bytes: 3 * MiB }, then: 500 },
  { name: 'fewer where the template is large', subsets: [{}, {}], template: { bytes: MiB - 1000 }, then: 8 },
  { name: 'one fewer where it is a little larger', subsets: [{}, {}], template: { bytes: MiB }, then: 7 },
  { name: 'one where a child is as large as all may be', subsets: [{}], template: { bytes: 9 * MiB }, then: 1 },
  { name: 'fewer for the largest patch', subsets: [{}, { patch: { a: text(2 * MiB) } }, {}], then: 3 },
  { name: 'fewer for tolerations', subsets: [{ tolerations: [{ key: text(2 * MiB) }] }], then: 3 },
  {
    name: 'fewer for a node term that every term of the template gets',
    subsets: [{}, { nodeSelectorTerm: zone(2000) }],
    template: { terms: 1000 },
    then: 3,
  },
  {
    name: 'as many as one pass may for a node term that one term gets',
    subsets: [{ nodeSelectorTerm: zone(2000) }],
    template: { terms: 1 },
    then: 500,
  },
])('a stage writes $name', ({ subsets, template, then }) => {
  expect(burst(subsets, template)).toBe(then);
});
