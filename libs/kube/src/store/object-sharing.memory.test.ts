/** Checks that equal strings are kept once and unique ones are not remembered, by the memory that strings take. */
import { expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ObjectSharing } from './object-sharing.ts';

interface Loose extends KubeObject {
  readonly spec?: unknown;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const heapKB = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1024;
};

const objects = 1000;
const count = (at: number): string => String(at).padStart(6, '0');

type Make = (at: number) => { readonly metadata: object; readonly spec?: unknown };

// Strings that JSON.parse creates have memory of their own.
const parsed = (value: ReturnType<Make>): Loose => JSON.parse(JSON.stringify(value)) as Loose;

/** Returns the KB of 1000 objects that are adopted one after the other, each with the previous one as `like`. */
function kilobytes(make: Make, sharing: ObjectSharing): number {
  const held: Loose[] = [sharing.adopt(parsed(make(0))), sharing.adopt(parsed(make(1)))];
  const before = heapKB();
  for (let at = 2; at < objects; at++) held.push(sharing.adopt(parsed(make(at)), held.at(-1)));
  const grown = heapKB() - before;
  expect(held).toHaveLength(objects);
  return grown;
}

/** Returns the KB that 1000 deleted objects leave behind. */
function kilobytesLeft(make: Make, sharing: ObjectSharing): number {
  sharing.adopt(parsed(make(0)));
  const before = heapKB();
  for (let at = 1; at < objects; at++) sharing.adopt(parsed(make(at)));
  const left = heapKB() - before;
  expect(sharing.slots).toBe(1 << 12);
  return left;
}

const metadata = (at: number, more: object = {}): object => ({ name: `o-${count(at)}`, ...more });
const kin = (at: number, more: object = {}): object => metadata(at, { uid: 'u', ...more });

/** Returns five strings of `length`, so that what is kept is large compared with other changes of the heap. */
const texts = (letter: string, length: number): Readonly<Record<string, string>> =>
  Object.fromEntries([1, 2, 3, 4, 5].map((key) => [`text-${key}`, `${key}`.padEnd(length, letter)]));

it.each<{ name: string; make: Make }>([
  { name: 'in metadata', make: (at) => ({ metadata: metadata(at, texts('a', 900)) }) },
  { name: 'in a record', make: (at) => ({ metadata: metadata(at), spec: { at, ...texts('b', 900) } }) },
  { name: 'in a list', make: (at) => ({ metadata: metadata(at), spec: [at, ...Object.values(texts('c', 900))] }) },
  { name: 'of the known object in metadata', make: (at) => ({ metadata: kin(at, texts('d', 2000)) }) },
  { name: 'of the known object beside parts', make: (at) => ({ metadata: kin(at), spec: { ...texts('e', 2000), part: [at] } }) },
  {
    name: 'that was added to an object, beside parts',
    make: (at) => ({ metadata: kin(at), spec: { ...(at % 2 === 0 ? {} : texts('f', 900)), part: [at] } }),
  },
])('keeps a string once $name', ({ make }) => {
  // Without sharing, the strings take 2200 KB and more.
  expect(kilobytes(make, new ObjectSharing())).toBeLessThan(1000);
});

it('keeps two strings that repeat, whatever their hashes', () => {
  for (const { a, b } of [
    { a: 'g', b: 'h' },
    { a: 'i', b: 'j' },
    { a: 'k', b: 'l' },
  ]) {
    const make: Make = (at) => ({ metadata: metadata(at), spec: [at, ...[a, a, b, b, a, a, b, b].map((letter) => letter.repeat(900))] });
    expect(kilobytes(make, new ObjectSharing(4))).toBeLessThan(1000);
  }
});

const unique = (at: number, length: number): string => count(at).padEnd(length, 'x');
it.each<{ name: string; make: Make }>([
  { name: 'names', make: (at) => ({ metadata: { name: unique(at, 1000) } }) },
  { name: 'uids', make: (at) => ({ metadata: metadata(at, { uid: unique(at, 1000) }) }) },
  { name: 'resourceVersions', make: (at) => ({ metadata: metadata(at, { resourceVersion: unique(at, 1000) }) }) },
  { name: 'IDs of containers', make: (at) => ({ metadata: metadata(at), spec: { containerID: unique(at, 1000) } }) },
  { name: 'long strings', make: (at) => ({ metadata: metadata(at), spec: { text: unique(at, 1025) } }) },
  { name: 'large parts', make: (at) => ({ metadata: metadata(at), spec: Array.from({ length: 300 }, (_, item) => at * 1000 + item) }) },
])('remembers no $name of deleted objects', ({ make }) => {
  expect(kilobytesLeft(make, new ObjectSharing())).toBeLessThan(400);
});
