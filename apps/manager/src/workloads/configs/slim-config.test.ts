import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '@kruise/objects';
import { slimConfig } from './slim-config.ts';

type Given = ConfigMap & { readonly binaryData?: Readonly<Record<string, string>>; readonly immutable?: boolean };

const of = (over: Partial<Given>): Given => ({ metadata: { name: 'app', namespace: 'default', uid: 'u', resourceVersion: '7' }, ...over });
const digestOf = (over: Partial<Given>): string => slimConfig(of(over)).digest;

describe('a ConfigMap as it is kept', () => {
  it('has its name and version, and no content', () => {
    const given = of({ data: { password: 'secret' }, binaryData: { b: 'AA==' } });
    const annotated = {
      ...given,
      metadata: { ...given.metadata, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'secret' } },
    };
    const kept = slimConfig(annotated);
    expect(kept).toEqual({
      metadata: { name: 'app', namespace: 'default', uid: 'u', resourceVersion: '7' },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(slimConfig(kept)).toBe(kept);
  });

  it.each<{ name: string; one: Partial<Given>; other: Partial<Given>; isSame: boolean }>([
    { name: 'the same keys in another order', one: { data: { a: '1', b: '2' } }, other: { data: { b: '2', a: '1' } }, isSame: true },
    { name: 'no data and empty data', one: {}, other: { data: {}, binaryData: {} }, isSame: true },
    { name: 'immutable', one: { data: { a: '1' } }, other: { data: { a: '1' }, immutable: true }, isSame: true },
    { name: 'another uid and version', one: {}, other: { metadata: { name: 'app', uid: 'v', resourceVersion: '8' } }, isSame: true },
    { name: 'another value', one: { data: { a: '1' } }, other: { data: { a: '2' } }, isSame: false },
    { name: 'another key', one: { data: { a: '1' } }, other: { data: { b: '1' } }, isSame: false },
    { name: 'data and binaryData', one: { data: { a: 'MQ==' } }, other: { binaryData: { a: 'MQ==' } }, isSame: false },
    { name: 'a value and a key that are joined alike', one: { data: { a: 'b,c' } }, other: { data: { a: 'b', c: '' } }, isSame: false },
  ])('compares $name', ({ one, other, isSame }) => {
    expect(digestOf(one) === digestOf(other)).toBe(isSame);
  });

  it('has a digest for 1 MiB of content', () => {
    expect(digestOf({ data: { a: 'x'.repeat(1 << 20) } })).toHaveLength(64);
  });
});
