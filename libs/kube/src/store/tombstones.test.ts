import { expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { Tombstones } from './tombstones.ts';

const second = 1000;
const minute = 60 * second;

function someTombstones() {
  let now = 0;
  const tombstones = new Tombstones(() => milliseconds(now));
  /** Returns how many are left after a sweep at `time`. */
  const leftAt = (time: number, passed?: string): number => {
    now = time;
    tombstones.sweep(passed);
    return tombstones.size;
  };
  const layAt = (time: number, uid: string, version = '8', confirmed = false): void => {
    now = time;
    tombstones.lay(uid, version, confirmed);
  };
  return { tombstones, leftAt, layAt };
}

it('block what is not newer, and are lifted by what is', () => {
  const { tombstones } = someTombstones();
  tombstones.lay('u', '8', true);
  expect(['7', '8', undefined].map((version) => tombstones.stops('u', version))).toEqual([true, true, true]);
  expect([tombstones.stops(undefined, '1'), tombstones.stops('other', '1')]).toEqual([false, false]);
  expect(tombstones.size).toBe(1);
  expect(tombstones.stops('u', '9')).toBe(false);
  expect(tombstones.size).toBe(0);
  expect(tombstones.stops('u', '7')).toBe(false);
});

it.each<{ name: string; versions: readonly string[]; stopped: string; passes: string | undefined }>([
  { name: 'the newer one that is laid later', versions: ['8', '9'], stopped: '9', passes: '10' },
  { name: 'the newer one that was laid before', versions: ['9', '8'], stopped: '9', passes: '10' },
  { name: 'the known one that is laid later', versions: ['', '8'], stopped: '8', passes: '9' },
  { name: 'an unknown one, which blocks everything', versions: ['8', ''], stopped: '900', passes: undefined },
])('of one uid count as $name', ({ versions, stopped, passes }) => {
  const { tombstones } = someTombstones();
  for (const version of versions) tombstones.lay('u', version, false);
  expect(tombstones.stops('u', stopped)).toBe(true);
  if (passes !== undefined) expect(tombstones.stops('u', passes)).toBe(false);
});

it.each<{ name: string; confirmed: readonly boolean[]; passed: string | undefined; after: number }>([
  { name: 'five minutes after a deletion that the watch showed', confirmed: [true], passed: undefined, after: 5 },
  { name: 'five minutes after one that it showed before', confirmed: [true, false], passed: undefined, after: 5 },
  { name: 'five minutes after one that it showed afterwards', confirmed: [false, true], passed: '1', after: 5 },
  { name: 'five minutes after one that it has reached', confirmed: [false], passed: '8', after: 5 },
  { name: 'five minutes after one that it has passed', confirmed: [false], passed: '10', after: 5 },
  { name: 'an hour after one that it has not reached', confirmed: [false], passed: '7', after: 60 },
  { name: 'an hour after one when its position is unknown', confirmed: [false], passed: undefined, after: 60 },
])('are removed $name', ({ confirmed, passed, after }) => {
  const { leftAt, layAt } = someTombstones();
  for (const each of confirmed) layAt(0, 'u', '8', each);
  expect(leftAt(after * minute - 40 * second, passed)).toBe(1);
  expect(leftAt(after * minute, passed)).toBe(0);
});

it('are swept every 30 seconds, and no sooner', () => {
  const { leftAt, layAt } = someTombstones();
  layAt(0, 'u', '8', true);
  expect([leftAt(5 * minute - 10 * second), leftAt(5 * minute + 19 * second), leftAt(5 * minute + 20 * second)]).toEqual([1, 1, 0]);
});

it('are removed in the order in which they were laid last', () => {
  const { leftAt, layAt, tombstones } = someTombstones();
  layAt(0, 'a', '8', true);
  layAt(1 * minute, 'b', '8', true);
  layAt(4 * minute, 'a', '9', true);
  expect(leftAt(6 * minute)).toBe(1);
  expect([tombstones.stops('b', '8'), tombstones.stops('a', '9')]).toEqual([false, true]);
});

type Laying = readonly [resourceVersion: string, how: 'shown' | 'answered' | 'presumed'];

it.each<{ name: string; laid: readonly Laying[]; stays: boolean }>([
  { name: 'one that is only presumed', laid: [['8', 'presumed']], stays: false },
  { name: 'one whose version is unknown', laid: [['', 'answered']], stays: false },
  { name: 'one whose version is known', laid: [['8', 'answered']], stays: true },
  { name: 'one that the watch has shown', laid: [['8', 'shown']], stays: true },
  { name: 'one that the watch has shown at an unknown version', laid: [['', 'shown']], stays: true },
  {
    name: 'one that the watch showed before it was presumed',
    laid: [
      ['8', 'shown'],
      ['8', 'presumed'],
    ],
    stays: true,
  },
  {
    name: 'one that is known since it was presumed',
    laid: [
      ['8', 'presumed'],
      ['9', 'answered'],
    ],
    stays: true,
  },
  {
    name: 'one that is presumed again',
    laid: [
      ['8', 'presumed'],
      ['9', 'presumed'],
    ],
    stays: false,
  },
])('of an object in a list that was requested later are kept or lifted: $name', ({ laid, stays }) => {
  const { tombstones } = someTombstones();
  const before = tombstones.latest;
  for (const [version, how] of laid) {
    if (how === 'presumed') tombstones.presume('u', version);
    else tombstones.lay('u', version, how === 'shown');
  }
  tombstones.lift('other', tombstones.latest);
  tombstones.lift('u', before);
  expect(tombstones.size).toBe(1);
  tombstones.lift('u', tombstones.latest);
  expect(tombstones.size).toBe(stays ? 1 : 0);
});

it('that are presumed block what is not newer than the known state, and do not replace what is known better', () => {
  const { tombstones } = someTombstones();
  tombstones.presume('u', '8');
  expect([tombstones.stops('u', '8'), tombstones.stops('u', '9')]).toEqual([true, false]);
  tombstones.lay('v', '', false);
  tombstones.presume('v', '8');
  expect(tombstones.stops('v', '9')).toBe(true);
});

it('are all removed on request', () => {
  const { tombstones } = someTombstones();
  tombstones.lay('u', '8', true);
  tombstones.clear();
  expect([tombstones.size, tombstones.stops('u', '7')]).toEqual([0, false]);
});
