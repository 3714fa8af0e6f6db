/**
 * Protocol Buffers (proto3) for the messages of the schema, in both directions: a small interpreter of the generated schema, because a general
 * library costs a node agent more memory than all of its other work on these messages. The scripted runtimes of tests use a general library, so that
 * every test of a verb compares the two.
 *
 * Members are in camelCase. int64 and uint64 are decimal text when read, and text, number or bigint when written. Enums are their names, or a number
 * without one. An absent member is read as its default: '' 0 false [] {}, null for messages. Fields that are not in the schema are skipped, as the
 * format requires.
 */
import { criSchema } from './generated/cri-schema.ts';

interface Field {
  readonly type: string;
  readonly id: number;
  readonly rule?: string;
  /** Set for a map. */
  readonly keyType?: string;
}

interface Definition {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly values?: Readonly<Record<string, number>>;
}

type Message = Readonly<Record<string, unknown>>;

const definitions = (): Readonly<Record<string, Definition>> =>
  criSchema.nested.runtime.nested.v1.nested as Readonly<Record<string, Definition>>;

/** How the bytes of a value are encoded. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const numbers: readonly string[] = ['bool', 'int32', 'uint32', 'int64', 'uint64'];

/** Thrown when the bytes are no such message. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new MalformedMessage('a number is truncated');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedMessage('a number is too long');
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MalformedMessage('a field is truncated');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Returns a field's value as its wire type encodes it: a number or bytes. */
  value(wireType: number): bigint | Buffer {
    switch (wireType) {
      case wireTypes.varint:
        return this.varint();
      case wireTypes.bytes:
        return this.take(Number(this.varint()));
      case wireTypes.fixed64:
        return this.take(8);
      case wireTypes.fixed32:
        return this.take(4);
      default:
        throw new MalformedMessage(`there is no wire type ${wireType}`);
    }
  }
}

/** Writes and reads one message type. */
export interface MessageCodec {
  encode(message: object): Buffer;
  /** Reads a message. @throws MalformedMessage */
  decode(bytes: Buffer): object;
}

/** Codecs by message type. Each is created at the first use of its type and kept: there are as many as message types. */
export class MessageCodecs {
  readonly #known = new Map<string, TypeCodec>();

  /** Returns the codec of a type. @throws Error for a type that is not in the schema */
  of(type: string): MessageCodec {
    return this.typeCodec(type);
  }

  typeCodec(type: string): TypeCodec {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const definition = definitions()[type];
    if (definition === undefined) throw new Error(`no message ${type} in the schema`);
    const made = new TypeCodec(definition, this);
    this.#known.set(type, made);
    return made;
  }
}

class TypeCodec implements MessageCodec {
  readonly #fields: readonly (readonly [name: string, field: Field])[];
  readonly #byNumber: ReadonlyMap<number, readonly [name: string, field: Field]>;
  readonly #codecs: MessageCodecs;

  constructor({ fields = {} }: Definition, codecs: MessageCodecs) {
    this.#fields = Object.entries(fields);
    this.#byNumber = new Map(this.#fields.map((entry) => [entry[1].id, entry]));
    this.#codecs = codecs;
  }

  encode(message: object): Buffer {
    const parts = this.#fields.flatMap(([name, field]) => this.#encodeField(field, (message as Message)[name]));
    return Buffer.concat(parts);
  }

  decode(bytes: Buffer): object {
    const reader = new Reader(bytes);
    const found = new Map<string, unknown[]>();
    while (!reader.done) {
      const tag = Number(reader.varint());
      const value = reader.value(tag & 7);
      const entry = this.#byNumber.get(tag >>> 3);
      if (entry === undefined) continue;
      const [name, field] = entry;
      const values = found.get(name) ?? [];
      values.push(field.keyType === undefined ? this.#decodeValue(field.type, value) : this.#decodeEntry(field, value));
      found.set(name, values);
    }
    return Object.fromEntries(this.#fields.map(([name, field]) => [name, this.#joined(field, found.get(name))]));
  }

  /** Returns the value of a field. Of several values of a field that is not repeated, the last counts. */
  #joined(field: Field, values: readonly unknown[] | undefined): unknown {
    if (field.keyType !== undefined) return Object.fromEntries((values ?? []) as [string, unknown][]);
    if (field.rule === 'repeated') return values ?? [];
    return values === undefined ? this.#defaultOf(field.type) : values.at(-1);
  }

  #encodeField(field: Field, value: unknown): readonly Buffer[] {
    if (value === undefined || value === null) return [];
    if (field.keyType !== undefined) {
      const entries = Object.entries(value);
      return entries.map(([key, held]) =>
        delimited(field.id, Buffer.concat([...this.#encodeValue('string', 1, key), ...this.#encodeValue(field.type, 2, held)])),
      );
    }
    if (field.rule === 'repeated') return (value as readonly unknown[]).flatMap((item) => this.#encodeValue(field.type, field.id, item));
    return isDefault(value) ? [] : this.#encodeValue(field.type, field.id, value);
  }

  #encodeValue(type: string, id: number, value: unknown): readonly Buffer[] {
    if (type === 'string') return [delimited(id, Buffer.from(value as string))];
    if (type === 'bytes') return [delimited(id, value as Buffer)];
    if (numbers.includes(type)) return [varint(BigInt(id << 3)), varint(BigInt(value as string | number | bigint | boolean))];
    const values = definitions()[type]?.values;
    if (values !== undefined)
      return [varint(BigInt(id << 3)), varint(BigInt(typeof value === 'string' ? (values[value] ?? 0) : (value as number)))];
    return [delimited(id, this.#codecs.typeCodec(type).encode(value as object))];
  }

  #decodeValue(type: string, value: bigint | Buffer): unknown {
    if (Buffer.isBuffer(value)) return this.#decodeBytes(type, value);
    switch (type) {
      case 'bool':
        return value !== 0n;
      case 'int32':
        return Number(BigInt.asIntN(32, value));
      case 'uint32':
        return Number(BigInt.asUintN(32, value));
      case 'int64':
        return String(BigInt.asIntN(64, value));
      case 'uint64':
        return String(value);
      default:
        return this.#enumName(type, Number(BigInt.asIntN(32, value)));
    }
  }

  #decodeBytes(type: string, value: Buffer): unknown {
    if (type === 'string') return value.toString('utf8');
    // A copy: a view would keep the larger message in memory.
    if (type === 'bytes') return Buffer.from(value);
    if (numbers.includes(type) || definitions()[type]?.values !== undefined) throw new MalformedMessage(`bytes where ${type} should be`);
    return this.#codecs.typeCodec(type).decode(value);
  }

  #decodeEntry({ type }: Field, value: bigint | Buffer): readonly [string, unknown] {
    if (!Buffer.isBuffer(value)) throw new MalformedMessage('a number where an entry of a map should be');
    const reader = new Reader(value);
    const entry: [string, unknown] = ['', this.#defaultOf(type)];
    while (!reader.done) {
      const tag = Number(reader.varint());
      const held = reader.value(tag & 7);
      if (tag >>> 3 === 1) entry[0] = String(this.#decodeValue('string', held));
      else if (tag >>> 3 === 2) entry[1] = this.#decodeValue(type, held);
    }
    return entry;
  }

  #enumName(type: string, value: number): unknown {
    const values = definitions()[type]?.values;
    if (values === undefined) throw new MalformedMessage(`a number where ${type} should be`);
    return Object.keys(values).find((name) => values[name] === value) ?? value;
  }

  #defaultOf(type: string): unknown {
    if (type === 'string') return '';
    if (type === 'bytes') return Buffer.alloc(0);
    if (type === 'bool') return false;
    if (type === 'int64' || type === 'uint64') return '0';
    if (type === 'int32' || type === 'uint32') return 0;
    return definitions()[type]?.values === undefined ? null : this.#enumName(type, 0);
  }
}

const isDefault = (value: unknown): boolean => value === '' || value === 0 || value === '0' || value === 0n || value === false;

const delimited = (id: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(BigInt((id << 3) | wireTypes.bytes)), varint(BigInt(bytes.length)), bytes]);
