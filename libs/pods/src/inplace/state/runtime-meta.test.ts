import { describe, expect, it } from '@jest/globals';
import type { Container } from '@kruise/objects';
import { aPod } from '../../testdata/build.ts';
import { firstInconsistent, formatRuntimeMeta, legacyPlainHash, metadataEnvHash, plainHash, runtimeMetaOf } from './runtime-meta.ts';

const key = 'apps.kruise.io/runtime-containers-meta';
const reported = (text: string) => runtimeMetaOf(aPod({ annotations: { [key]: text } }));
const nothing = { containerID: '', restartCount: 0, plainHash: 0, metadataEnvHash: 0 };

describe('the report of the node', () => {
  it.each<{ name: string; text: string; then: unknown }>([
    { name: 'is absent when it is not JSON', text: 'x', then: undefined },
    { name: 'is absent when it contains no list', text: '{"containers":{}}', then: undefined },
    { name: 'may be empty', text: '{"containers":[]}', then: [] },
    {
      name: 'is read without elements that are no objects',
      text: '{"containers":[null,7,{"name":"a"}]}',
      then: [{ ...nothing, name: 'a' }],
    },
    {
      name: 'is read without members of wrong types',
      text: '{"containers":[{"name":1,"containerID":2,"restartCount":"3","hashes":[]},{"name":"b","hashes":{"plainHash":"4","extractedEnvFromMetadataHash":null}}]}',
      then: [
        { ...nothing, name: '' },
        { ...nothing, name: 'b' },
      ],
    },
    {
      name: 'contains hashes by container',
      text: '{"containers":[{"name":"a","containerID":"containerd://1","restartCount":3,"hashes":{"plainHash":4,"extractedEnvFromMetadataHash":5}}]}',
      then: [{ name: 'a', containerID: 'containerd://1', restartCount: 3, plainHash: 4, metadataEnvHash: 5 }],
    },
  ])('$name', ({ text, then }) => {
    expect(reported(text)).toEqual(then);
  });

  it('is absent from a Pod without annotations', () => {
    expect(runtimeMetaOf({ metadata: { name: 'p' }, spec: { containers: [] } })).toBeUndefined();
  });

  it('is written without an unknown hash of metadata', () => {
    const meta = { ...nothing, name: 'a', containerID: 'x"', plainHash: 4 };
    expect(formatRuntimeMeta([meta, { ...meta, name: 'b', metadataEnvHash: 5 }])).toBe(
      String.raw`{"containers":[{"name":"a","containerID":"x\"","restartCount":0,"hashes":{"plainHash":4}},{"name":"b","containerID":"x\"","restartCount":0,"hashes":{"plainHash":4,"extractedEnvFromMetadataHash":5}}]}`,
    );
  });
});

describe('the first container that does not run as specified', () => {
  const [a, b]: Container[] = [
    { name: 'a', image: 'a:1', args: ['x'] },
    { name: 'b', image: 'b:1' },
  ] as [Container, Container];
  const status = (name: string, containerID: string) => ({ name, containerID });
  const meta = (name: string, hash: number, containerID = `id-${name}`) => ({ ...nothing, name, containerID, plainHash: hash });
  const pod = aPod({ containers: [a, b] as object[], statuses: [status('b', 'id-b'), status('a', 'id-a')] });

  it.each([
    ['none, when all hashes agree', [meta('b', plainHash(b)), meta('a', plainHash(a))], undefined],
    ['none, when they agree in the older form', [meta('a', legacyPlainHash(a)), meta('b', plainHash(b))], undefined],
    ['one with another hash', [meta('a', plainHash(a)), meta('b', 7)], 'b'],
    ['one of which another instance is reported', [meta('a', plainHash(a), 'id-x'), meta('b', 7)], 'a'],
    ['one that is not reported', [meta('a', plainHash(a))], 'b'],
    ['all of them, when nothing is reported', [], 'a'],
  ])('is %s', (_name, metas, expected) => {
    expect(firstInconsistent(pod, metas, 'Plain')).toBe(expected);
  });

  it('is one without a status, or without an instance', () => {
    const metas = [meta('a', plainHash(a), ''), meta('b', plainHash(b))];
    expect(firstInconsistent(aPod({ containers: [a, b] as object[], statuses: [status('b', 'id-b')] }), metas, 'Plain')).toBe('a');
    expect(firstInconsistent(aPod({ containers: [a] as object[], statuses: [{ name: 'a' }] }), metas, 'Plain')).toBe('a');
  });
});

/** Computes FNV-1a over the text form of the bytes. */
function hashOfText(json: string): number {
  const text = `([]uint8)[${[...Buffer.from(json)].join(' ')}]`;
  return [...Buffer.from(text)].reduce((hash, byte) => Math.imul(hash ^ byte, 16777619) >>> 0, 2166136261);
}

describe('the hash over variables from metadata', () => {
  const from = (name: string, path: string) => ({ name, valueFrom: { fieldRef: { fieldPath: path } } });
  const env = [from('L', "metadata.labels['x']"), from('A', "metadata.annotations['x']")];

  it('does not depend on their order, but on each value', () => {
    const hash = (list: typeof env, labels: Record<string, string>, annotations: Record<string, string>) =>
      metadataEnvHash({ name: 'c', env: list }, { name: 'p', labels, annotations });
    const one = hash(env, { x: '1' }, { x: '2' });
    expect(hash(env.toReversed(), { x: '1' }, { x: '2' })).toBe(one);
    expect(
      new Set([one, hash(env, { x: '2' }, { x: '2' }), hash(env, { x: '1' }, { x: '1' }), hash(env, { x: '' }, { x: '2' })]).size,
    ).toBe(4);
    // As in the specification: sorted by name, an empty value omitted.
    expect(hash(env, { x: '1' }, {})).toBe(hashOfText('[{"name":"A"},{"name":"L","value":"1"}]'));
    expect(hash(env, { x: '' }, {})).toBe(metadataEnvHash({ name: 'c', env }, { name: 'p' }));
  });
});
