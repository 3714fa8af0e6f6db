/** Hash and comparison of what is distributed. @see spec/resourcedistribution.md 3.1, 5.2, 6 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { DistributedResource } from '@kruise/api';
import { parseLossless } from '@kruise/objects';
import { contentsOf, hashOf } from './contents.ts';

const metadata = { name: 'c' };
const sha256 = (bytes: string): string => createHash('sha256').update(bytes, 'utf8').digest('hex');

describe('the hash', () => {
  /** Texts as an API server sends them, with SHA-256 of their bytes by another program. */
  const received = [
    {
      name: 'HTML signs, separators, controls and signs beyond the BMP (14)',
      text: '{"apiVersion":"v1","data":{"10":"ten","2":"two","Z":"\\u003cb\\u003e \\u0026","a":"line\\nfeed\\ttab \\"quoted\\" back\\\\slash","u":"\\u2028\\u2029 gr\u00fc\u00dfe \u{1f600} \\u0001\u007f"},"kind":"ConfigMap","metadata":{"name":"c"}}',
      hash: 'ec501f41a68fe54e947b403496211a90da45aadc60834341d970c4bd283e072c',
    },
    {
      name: 'integers beyond 2^53, fractions, null and unknown members',
      text: '{"apiVersion":"v1","extra":{"big":9007199254740993,"flag":true,"none":null,"ratio":0.5,"small":1e-7},"kind":"Secret","metadata":{"labels":{"a":"1","b":"2"},"name":"s"},"stringData":{"k":"v"}}',
      hash: '9f382f639a22345434e97110e6202bb4d6da28a73000b691a1797454e4334123',
    },
  ];

  it.each(received)('is SHA-256 of the bytes of the API server: $name', ({ text, hash }) => {
    expect(hashOf(parseLossless(text) as DistributedResource)).toBe(hash);
    expect(sha256(text)).toBe(hash);
  });

  it('does not depend on the order in which members were written', () => {
    const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1', b: '2' } } as unknown as DistributedResource;
    const other = { data: { b: '2', a: '1' }, metadata, kind: 'ConfigMap', apiVersion: 'v1' } as unknown as DistributedResource;
    expect(hashOf(one)).toBe(hashOf(other));
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the contents', () => {
  it.each<{ name: string; of: 'Secret' | 'ConfigMap'; given: object; live: object }>([
    { name: 'a Secret without type is Opaque (16)', of: 'Secret', given: {}, live: { type: 'Opaque' } },
    { name: 'so is one with an empty type', of: 'Secret', given: { type: '' }, live: { type: 'Opaque' } },
    {
      name: 'stringData is put into data',
      of: 'Secret',
      given: { stringData: { a: 'ü<' } },
      live: { type: 'Opaque', data: { a: base64('ü<') } },
    },
    {
      name: 'stringData wins over data',
      of: 'Secret',
      given: { data: { a: base64('1'), b: base64('2') }, stringData: { a: '3' } },
      live: { type: 'Opaque', data: { a: base64('3'), b: base64('2') } },
    },
    {
      name: 'base64 may be broken into lines',
      of: 'Secret',
      given: { data: { a: 'aGVs\nbG8=\r\n' } },
      live: { type: 'Opaque', data: { a: 'aGVsbG8=' } },
    },
    {
      name: 'a token that Kubernetes puts into the Secret of a service account',
      of: 'Secret',
      given: { type: 'kubernetes.io/service-account-token', stringData: { extra: '1' } },
      live: {
        type: 'kubernetes.io/service-account-token',
        data: { extra: base64('1'), token: base64('t'), 'ca.crt': base64('c'), namespace: base64('n') },
      },
    },
    { name: 'empty maps are absent ones', of: 'Secret', given: { data: {}, stringData: {} }, live: { type: 'Opaque' } },
    { name: 'null is absent', of: 'Secret', given: { data: null, type: null, immutable: null }, live: { type: 'Opaque' } },
    { name: 'an entry of null is an empty one', of: 'ConfigMap', given: { data: { a: null } }, live: { data: { a: '' } } },
    { name: 'a ConfigMap', of: 'ConfigMap', given: { data: { a: '1' }, binaryData: {} }, live: { data: { a: '1' } } },
    {
      name: 'members that the API server does not know',
      of: 'ConfigMap',
      given: { data: { a: '1' }, dat: { b: '2' } },
      live: { data: { a: '1' } },
    },
    {
      name: 'metadata, kind and status',
      of: 'ConfigMap',
      given: { data: {} },
      live: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, status: {} },
    },
  ])('are the same when the API server has filled them in: $name', ({ of, given, live }) => {
    expect(contentsOf(of, given)).toBe(contentsOf(of, live));
  });

  it.each<{ name: string; of: 'Secret' | 'ConfigMap'; given: object; live: object }>([
    { name: 'a value', of: 'ConfigMap', given: { data: { a: '1' } }, live: { data: { a: '2' } } },
    { name: 'a key more', of: 'ConfigMap', given: { data: { a: '1' } }, live: { data: { a: '1', b: '2' } } },
    { name: 'a key less', of: 'Secret', given: { stringData: { a: '1' } }, live: { type: 'Opaque' } },
    { name: 'a binary value', of: 'ConfigMap', given: { binaryData: { a: 'MQ==' } }, live: { binaryData: { a: 'Mg==' } } },
    { name: 'the other map', of: 'ConfigMap', given: { data: { a: 'MQ==' } }, live: { binaryData: { a: 'MQ==' } } },
    {
      name: 'a key more beside the token of a service account',
      of: 'Secret',
      given: { type: 'kubernetes.io/service-account-token' },
      live: { type: 'kubernetes.io/service-account-token', data: { token: base64('t'), extra: base64('1') } },
    },
    { name: 'a key token in any other Secret', of: 'Secret', given: {}, live: { type: 'Opaque', data: { token: base64('t') } } },
    { name: 'a type', of: 'Secret', given: { type: 'example.org/a' }, live: { type: 'Opaque' } },
    { name: 'immutability', of: 'ConfigMap', given: { immutable: true }, live: {} },
    { name: 'a key __proto__', of: 'ConfigMap', given: parseLossless('{"data":{"__proto__":"1"}}') as object, live: {} },
    { name: 'data of another type', of: 'ConfigMap', given: { data: { a: 1 } }, live: { data: { a: '1' } } },
  ])('differ by $name', ({ of, given, live }) => {
    expect(contentsOf(of, given)).not.toBe(contentsOf(of, live));
  });
});
