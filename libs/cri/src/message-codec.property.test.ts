/** Compares the codec with a general library, over messages of every type. */
import { describe, expect, it } from '@jest/globals';
import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { criMethods, loadCriMethods, type CriMethod } from './cri-methods.ts';
import { criSchema } from './generated/cri-schema.ts';
import { MalformedMessage, MessageCodecs } from './message-codec.ts';

type Definition = {
  fields?: Record<string, { type: string; rule?: string; keyType?: string }>;
  values?: Record<string, number>;
  methods?: Record<string, { requestType: string; responseType: string }>;
};
const types = criSchema.nested.runtime.nested.v1.nested as unknown as Record<string, Definition>;
const schema = fromJSON(criSchema as Parameters<typeof fromJSON>[0], { longs: String, enums: String, defaults: true });
const library = (method: CriMethod) => (schema[`runtime.v1.${criMethods[method]}`] as ServiceDefinition)[method]!;

const text = fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' });
function valueOf(type: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return text;
    case 'bytes':
      return fc.uint8Array({ maxLength: 50, size: 'max' }).map((bytes) => Buffer.from(bytes));
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer();
    case 'uint32':
      return fc.nat(0xffffffff);
    case 'int64':
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String);
    case 'uint64':
      return fc.bigInt(0n, 2n ** 64n - 1n).map(String);
    default:
      return types[type]?.values === undefined ? messageOf(type) : fc.constantFrom(...Object.keys(types[type].values));
  }
}
function messageOf(type: string): fc.Arbitrary<object> {
  const fields = Object.entries(types[type]?.fields ?? {}).map(([name, { type: of, rule, keyType }]) => {
    const value = valueOf(of);
    if (keyType !== undefined)
      return [
        name,
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          value,
          { maxKeys: 4, noNullPrototype: true },
        ),
      ] as const;
    return [name, rule === 'repeated' ? fc.array(value, { maxLength: 3 }) : fc.oneof(value, fc.constant(undefined))] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

const methods = loadCriMethods();
const names = Object.keys(criMethods) as CriMethod[];
const codecs = new MessageCodecs();

describe.each(names)('%s', (method) => {
  const { requestType, responseType } = types[criMethods[method]]!.methods![method]!;

  it('writes requests in bytes that the library reads as the same', () => {
    fc.assert(
      fc.property(messageOf(requestType), (request) => {
        expect(library(method).requestDeserialize(methods[method].requestSerialize(request))).toEqual(
          library(method).requestDeserialize(library(method).requestSerialize(request)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('reads answers as the library does', () => {
    fc.assert(
      fc.property(messageOf(responseType), (response) => {
        const bytes = library(method).responseSerialize(response);
        expect(methods[method].responseDeserialize(bytes)).toEqual(library(method).responseDeserialize(bytes));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the codec', () => {
  it('either reads bytes or reports that they are no message', () => {
    const codec = codecs.of('ListContainersResponse');
    const seen = new Occurrences();
    const junk = fc.uint8Array({ maxLength: 60, size: 'max' });
    const damaged = fc
      .tuple(messageOf('ListContainersResponse'), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255), fc.boolean())
      .map(([message, place, byte, isCut]) => {
        const bytes = Buffer.from(codec.encode(message));
        const at = Math.floor(place * bytes.length);
        return isCut ? bytes.subarray(0, at) : Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + 1)]);
      });
    const read = (bytes: Uint8Array): object | undefined => {
      try {
        return codec.decode(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage);
        return undefined;
      }
    };
    fc.assert(
      fc.property(fc.oneof(junk, damaged), (bytes) => {
        const message = read(bytes);
        if (message !== undefined) expect(message).toHaveProperty('containers', expect.any(Array));
        seen.note(message === undefined ? 'refused' : 'read');
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ refused: 50, read: 50 });
  });

  it('skips unknown fields, and keeps the number of an unknown state', () => {
    // Field 99 as bytes, field 98 as fixed64, field 97 as fixed32; then state = 9.
    const unknown = Buffer.from('9a060141' + '91063101323334353637' + '8d0631323334' + '3009', 'hex');
    expect(codecs.of('Container').decode(unknown)).toMatchObject({ state: 9, id: '' });
  });

  it('keeps a map key that is called __proto__', () => {
    const encoded = codecs.of('ContainerFilter').encode({ labelSelector: JSON.parse('{"__proto__":"x"}') as object });
    const { labelSelector } = codecs.of('ContainerFilter').decode(encoded) as { labelSelector: object };
    expect(Object.entries(labelSelector)).toEqual([['__proto__', 'x']]);
  });

  it.each<{ hex: string; why: string }>([
    { hex: '0a', why: 'a number is truncated' },
    { hex: '0a80', why: 'a number is truncated' },
    { hex: '80808080808080808080' + '01', why: 'a number is too long' },
    { hex: '0a05' + '41', why: 'a field is truncated' },
    { hex: '9106' + '000000', why: 'a field is truncated' },
    { hex: '9306', why: 'there is no wire type 3' },
    { hex: '3201' + '41', why: 'bytes where ContainerState should be' },
    { hex: '3a01' + '41', why: 'bytes where int64 should be' },
    { hex: '1809', why: 'a number where ContainerMetadata should be' },
    { hex: '4209', why: 'a field is truncated' },
    { hex: '4009', why: 'a number where an entry of a map should be' },
  ])('reports for $hex that $why', ({ hex, why }) => {
    expect(() => codecs.of('Container').decode(Buffer.from(hex, 'hex'))).toThrow(new MalformedMessage(why));
  });

  it.each([
    ['ContainerStatus', '3a0141', 'bytes where int32 should be'],
    ['Image', '220141', 'bytes where uint64 should be'],
    ['Image', '420141', 'bytes where bool should be'],
  ])('reports for a %s that is %s: %s', (type, hex, why) => {
    expect(() => codecs.of(type).decode(Buffer.from(hex, 'hex'))).toThrow(new MalformedMessage(why));
  });

  it('throws errors with its own name', () => {
    expect(new MalformedMessage('x').name).toBe('MalformedMessage');
  });

  it.each<{ name: string; hex: string; labels: object }>([
    { name: 'without a value', hex: '42030a0161', labels: { a: '' } },
    { name: 'without a key', hex: '4203120162', labels: { '': 'b' } },
    { name: 'with an unknown member', hex: '42090a0161' + '120162' + '1a0163', labels: { a: 'b' } },
  ])('reads an entry of a map $name', ({ hex, labels }) => {
    expect(codecs.of('Container').decode(Buffer.from(hex, 'hex'))).toMatchObject({ labels });
  });

  it.each<{ message: object; hex: string }>([
    { message: { id: '', podSandboxId: '', imageRef: '', createdAt: 0n }, hex: '' },
    { message: { createdAt: '0', state: 0, labels: {}, metadata: null }, hex: '' },
    { message: { createdAt: '127' }, hex: '387f' },
    { message: { createdAt: 128n }, hex: '388001' },
    { message: { state: 'CONTAINER_RUNNING' }, hex: '3001' },
    { message: { state: 9 }, hex: '3009' },
    { message: { state: 'NO_SUCH_STATE' }, hex: '3000' },
    { message: { metadata: {} }, hex: '1a00' },
    { message: { labels: { a: '' } }, hex: '42050a01611200' },
  ])('writes $message as $hex: defaults are omitted', ({ message, hex }) => {
    expect(codecs.of('Container').encode(message).toString('hex')).toBe(hex);
  });

  it('omits false', () => {
    expect(codecs.of('ContainerStatusRequest').encode({ containerId: '', verbose: false })).toHaveLength(0);
  });

  it('writes bytes unchanged', () => {
    const encoded = codecs.of('ExecSyncResponse').encode({ stdout: Buffer.from('ff00', 'hex') });
    expect(codecs.of('ExecSyncResponse').decode(encoded)).toMatchObject({ stdout: Buffer.from('ff00', 'hex'), stderr: Buffer.alloc(0) });
  });

  it('has no message that is not in the schema', () => {
    expect(() => codecs.of('RemoveImageRequest')).toThrow('no message RemoveImageRequest');
  });
});
