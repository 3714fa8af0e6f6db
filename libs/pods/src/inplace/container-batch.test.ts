import { describe, expect, it } from '@jest/globals';
import type { Container } from '@kruise/objects';
import { aPod } from '../testdata/build.ts';
import { type ContainerWishes, chooseBatch, launchPriority } from './container-batch.ts';

const barrier = (key: string) => ({ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'x-barrier', key } } });
const ranked = (name: string, priority?: number): Container => ({
  name,
  env: [{ name: 'OTHER', value: 'p_99' }, ...(priority === undefined ? [] : [barrier(`p_${String(priority)}`)])],
});
const label = (key: string) => ({ labels: { [key]: '1' } });
const annotation = (key: string) => ({ annotations: { [key]: '1' } });

describe('the launch priority', () => {
  it.each<[string, Container, number | undefined]>([
    ['of a container without environment', { name: 'a' }, undefined],
    ['of a container without barrier', ranked('a'), undefined],
    ['of a barrier with a value of its own', { name: 'a', env: [{ name: 'KRUISE_CONTAINER_BARRIER', value: 'p_1' }] }, undefined],
    ['of a barrier from elsewhere', { name: 'a', env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: {} }] }, undefined],
    ['that is positive', ranked('a', 10), 10],
    ['that is negative', ranked('a', -10), -10],
    ['with a plus', { name: 'a', env: [barrier('p_+7')] }, 7],
    ['with something before it', { name: 'a', env: [barrier('xp_7')] }, undefined],
    ['with something behind it', { name: 'a', env: [barrier('p_7x')] }, undefined],
    ['of a fraction', { name: 'a', env: [barrier('p_1.5')] }, undefined],
  ])('%s', (_name, container, expected) => {
    expect(launchPriority(container)).toBe(expected);
  });
});

describe('the next batch', () => {
  it.each<{ name: string; containers: Container[]; wishes: ContainerWishes; then: string[] }>([
    { name: 'is empty when nothing changes', containers: [ranked('a', 1)], wishes: {}, then: [] },
    {
      name: 'omits containers that the Pod does not have',
      containers: [ranked('a')],
      wishes: { containerImages: { b: 'b' } },
      then: [],
    },
    {
      name: 'has the highest priority among containers with a change',
      containers: [ranked('a', 1), ranked('b', 5), ranked('c', 9)],
      wishes: { containerImages: { a: 'a' }, containerResources: { b: { limits: { cpu: '1' } } } },
      then: ['b'],
    },
    {
      name: 'contains all of the highest priority, and those without one',
      containers: [ranked('a', -1), ranked('b', -2), ranked('c'), ranked('d', -1)],
      wishes: { containerImages: { a: 'a', b: 'b', c: 'c', d: 'd' } },
      then: ['a', 'c', 'd'],
    },
    {
      name: 'includes containers that share a label with it',
      containers: [ranked('a', 2), ranked('b', 1), ranked('c', 0)],
      wishes: { containerRefMetadata: { a: label('k'), b: label('k'), c: label('other') } },
      then: ['a', 'b'],
    },
    {
      name: 'includes containers that share an annotation with it',
      containers: [ranked('a', 2), ranked('b', 1)],
      wishes: { containerRefMetadata: { a: annotation('k'), b: annotation('k') } },
      then: ['a', 'b'],
    },
    {
      name: 'distinguishes a label and an annotation of one key',
      containers: [ranked('a', 2), ranked('b', 1)],
      wishes: { containerRefMetadata: { a: label('k'), b: annotation('k') } },
      then: ['a'],
    },
    {
      name: 'includes containers that share metadata with an included one, however long the chain',
      containers: [ranked('e', 0), ranked('d', 1), ranked('c', 2), ranked('b', 3), ranked('a', 4)],
      wishes: {
        containerRefMetadata: {
          a: label('1'),
          b: { labels: { 1: 'x', 2: 'x' } },
          c: { labels: { 2: 'x' }, annotations: { 3: 'x' } },
          d: annotation('3'),
          e: label('3'),
        },
      },
      then: ['a', 'b', 'c', 'd'],
    },
    {
      name: 'is not joined by metadata of a container of which only the image changes',
      containers: [ranked('a', 2), ranked('b', 1)],
      wishes: { containerImages: { a: 'a' }, containerRefMetadata: { b: label('k') } },
      then: ['a'],
    },
    {
      name: 'supports a container named like a member of every object',
      containers: [ranked('constructor', 1), ranked('a', 0)],
      wishes: { containerImages: { a: 'a' } },
      then: ['a'],
    },
  ])('$name', ({ containers, wishes, then }) => {
    expect([...chooseBatch(aPod({ containers }), wishes)].sort()).toEqual(then);
  });
});
