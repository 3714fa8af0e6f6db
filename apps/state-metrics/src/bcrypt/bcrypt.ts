/** bcrypt, the format of passwords in web configuration files: `$2a$10$` with 22 characters of salt and 31 of hash. */
import { piWords } from './pi-words.ts';

const subkeys = 18;
const boxWords = 1024;
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const pattern = /^\$2[abxy]?\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const encoder = new TextEncoder();
/** bcrypt reads no more of a password. */
const longestPassword = 72;

export interface BcryptHash {
  /** Base 2 logarithm of the rounds, 4 to 31. */
  readonly cost: number;
  readonly salt: Uint8Array;
  /** 23 bytes. */
  readonly digest: Uint8Array;
}

/** bcrypt's own base64, without padding. */
function decode(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let [buffer, bits, at] = [0, 0, 0];
  for (const character of text) {
    buffer = (buffer << 6) | alphabet.indexOf(character);
    bits += 6;
    if (bits < 8 || at >= length) continue;
    bits -= 8;
    bytes[at++] = (buffer >> bits) & 0xff;
    buffer &= (1 << bits) - 1;
  }
  return bytes;
}

/** @returns undefined for a text that is no bcrypt hash */
export function parseBcrypt(text: string): BcryptHash | undefined {
  const [, cost = '', salt = '', digest = ''] = pattern.exec(text) ?? [];
  const rounds = Number(cost);
  if (cost === '' || rounds < 4 || rounds > 31) return undefined;
  return { cost: rounds, salt: decode(salt, 16), digest: decode(digest, 23) };
}

let initial: Uint32Array | undefined;

/** Blowfish with bcrypt's key schedule. */
class Eksblowfish {
  readonly #p: Uint32Array;
  readonly #s: Uint32Array;
  #left = 0;
  #right = 0;

  constructor() {
    initial ??= piWords(subkeys + boxWords);
    this.#p = initial.slice(0, subkeys);
    this.#s = initial.slice(subkeys);
  }

  /** Mixes the key into the state, with the salt when there is one. Both are read in a circle. */
  expand(key: Uint8Array, salt: Uint8Array | undefined): void {
    const p = this.#p;
    const keyWords = circularWords(key);
    for (let i = 0; i < subkeys; i++) p[i] = (p[i] ?? 0) ^ keyWords();
    const saltWords = salt === undefined ? () => 0 : circularWords(salt);
    this.#left = 0;
    this.#right = 0;
    this.#fill(p, saltWords);
    this.#fill(this.#s, saltWords);
  }

  encipher(left: number, right: number): readonly [left: number, right: number] {
    this.#left = left;
    this.#right = right;
    this.#round();
    return [this.#left, this.#right];
  }

  #fill(words: Uint32Array, saltWords: () => number): void {
    for (let i = 0; i < words.length; i += 2) {
      this.#left ^= saltWords();
      this.#right ^= saltWords();
      this.#round();
      words[i] = this.#left;
      words[i + 1] = this.#right;
    }
  }

  #round(): void {
    const [p, s] = [this.#p, this.#s];
    let left = this.#left ^ (p[0] ?? 0);
    let right = this.#right;
    for (let i = 1; i <= 16; i += 2) {
      right ^= feistel(s, left) ^ (p[i] ?? 0);
      left ^= feistel(s, right) ^ (p[i + 1] ?? 0);
    }
    this.#left = right ^ (p[17] ?? 0);
    this.#right = left;
  }
}

const feistel = (s: Uint32Array, x: number): number =>
  ((((s[x >>> 24] ?? 0) + (s[256 + ((x >>> 16) & 0xff)] ?? 0)) ^ (s[512 + ((x >>> 8) & 0xff)] ?? 0)) + (s[768 + (x & 0xff)] ?? 0)) | 0;

function circularWords(bytes: Uint8Array): () => number {
  let at = 0;
  return () => {
    let word = 0;
    for (let i = 0; i < 4; i++) {
      word = (word << 8) | (bytes[at] ?? 0);
      at = (at + 1) % bytes.length;
    }
    return word;
  };
}

/** "OrpheanBeholderScryDoubt" */
const plainWords = [0x4f727068, 0x65616e42, 0x65686f6c, 0x64657253, 0x63727944, 0x6f756274] as const;

function digestOf(cipher: Eksblowfish): Uint8Array {
  const bytes = new Uint8Array(24);
  const view = new DataView(bytes.buffer);
  for (let pair = 0; pair < plainWords.length; pair += 2) {
    let words: readonly [number, number] = [plainWords[pair] ?? 0, plainWords[pair + 1] ?? 0];
    for (let i = 0; i < 64; i++) words = cipher.encipher(words[0], words[1]);
    view.setUint32(pair * 4, words[0]);
    view.setUint32(pair * 4 + 4, words[1]);
  }
  return bytes.subarray(0, 23);
}

/** Key expansions between two yields: less than a millisecond. */
const slice = 16;

/** Whether a password has this hash. Yields after each millisecond of work, so that a caller can do other things meanwhile. */
export function* checkBcrypt(password: string, { cost, salt, digest }: BcryptHash): Generator<void, boolean, void> {
  const key = encoder.encode(`${password}\0`).subarray(0, longestPassword);
  const cipher = new Eksblowfish();
  cipher.expand(key, salt);
  const rounds = 2 ** cost;
  for (let round = 0; round < rounds; round++) {
    cipher.expand(key, undefined);
    cipher.expand(salt, undefined);
    if (round % slice === slice - 1) yield;
  }
  const found = digestOf(cipher);
  let difference = 0;
  for (const [at, byte] of found.entries()) difference |= byte ^ (digest[at] ?? 0);
  return difference === 0;
}
