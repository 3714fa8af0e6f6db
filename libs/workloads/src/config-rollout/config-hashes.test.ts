import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { casesOf, epoch, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { ConfigHashes, type ChosenHash } from './config-hashes.ts';

interface Step {
  readonly at: number;
  readonly wanted: string;
  readonly held: string | undefined;
  readonly isFree?: boolean;
}

/** Each step as the hash and the seconds until the next look. */
function chosen(steps: readonly Step[]): readonly string[] {
  const hashes = new ConfigHashes();
  const texts = ({ hash = '-', requeueAfter }: ChosenHash): string =>
    requeueAfter === undefined ? hash : `${hash} ${requeueAfter / 1000}`;
  return steps.map(({ at, isFree = false, ...step }) => texts(hashes.next({ uid: 'a', ...step, isFree, now: instant(epoch + at * 1000) })));
}

describe('the hash of a workload', () => {
  it.each<{ name: string; steps: readonly Step[]; then: readonly string[] }>([
    { name: 'is that of its contents', steps: [{ at: 0, wanted: '1', held: '1' }], then: ['1'] },
    {
      name: 'stays until the contents have differed for 10 s',
      steps: [0, 4, 9.9, 10].map((at) => ({ at, wanted: '2', held: '1' })),
      then: ['1 10', '1 6', '1 0.1', '2 10'],
    },
    {
      name: 'is that of the moment at which the wait ends',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 9, wanted: '3', held: '1' },
        { at: 10, wanted: '4', held: '1' },
        { at: 10.1, wanted: '5', held: '1' },
        { at: 11, wanted: '6', held: '4' },
        { at: 20, wanted: '7', held: '4' },
      ],
      then: ['1 10', '1 1', '4 10', '4 9.9', '4 9', '7 10'],
    },
    {
      name: 'restarts the wait after the previous contents lasted for 10 s',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 5, wanted: '1', held: '1' },
        { at: 15, wanted: '2', held: '1' },
        { at: 24, wanted: '2', held: '1' },
        { at: 24.5, wanted: '1', held: '1' },
        { at: 36, wanted: '1', held: '1' },
        { at: 37, wanted: '2', held: '1' },
      ],
      then: ['1 10', '1', '1 10', '1 1', '1', '1', '1 10'],
    },
    {
      name: 'changes once the contents have differed for 10 s in total when the previous ones return repeatedly',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 4, wanted: '1', held: '1' },
        { at: 6, wanted: '1', held: '1' },
        { at: 13, wanted: '3', held: '1' },
        { at: 17, wanted: '1', held: '1' },
        { at: 26.9, wanted: '2', held: '1' },
        { at: 28.9, wanted: '2', held: '1' },
      ],
      then: ['1 10', '1', '1', '1 6', '1', '1 2', '2 10'],
    },
    {
      name: 'does not count the time in which it is used as a difference',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 10, wanted: '2', held: '1' },
        { at: 15, wanted: '2', held: '2' },
        { at: 16, wanted: '3', held: '2' },
      ],
      then: ['1 10', '2 10', '2', '2 10'],
    },
    {
      name: 'restarts the wait when the clock jumps back while the contents are the previous ones',
      steps: [
        { at: 100, wanted: '2', held: '1' },
        { at: 105, wanted: '1', held: '1' },
        { at: 102, wanted: '2', held: '1' },
      ],
      then: ['1 10', '1', '1 10'],
    },
    {
      name: 'waits as well where the latest revision has none',
      steps: [0, 10].map((at) => ({ at, wanted: '1', held: undefined })),
      then: ['- 10', '1 10'],
    },
    {
      name: 'is used immediately where there is no revision, and stays then',
      steps: [
        { at: 0, wanted: '1', held: undefined, isFree: true },
        { at: 1, wanted: '2', held: undefined, isFree: true },
        { at: 2, wanted: '2', held: '1' },
        { at: 10, wanted: '2', held: '1' },
      ],
      then: ['1 10', '1 9', '1 8', '2 10'],
    },
    {
      name: 'is used immediately when the template changes as well',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 3, wanted: '2', held: '1', isFree: true },
        { at: 4, wanted: '3', held: '1', isFree: true },
        { at: 5, wanted: '3', held: '2' },
        { at: 13, wanted: '3', held: '2' },
      ],
      then: ['1 10', '2 10', '2 9', '2 8', '3 10'],
    },
    {
      name: 'is used immediately when the template changes while another content waits behind a revision that the cache shows',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 10, wanted: '2', held: '1' },
        { at: 11, wanted: '3', held: '2' },
        { at: 12, wanted: '3', held: '2', isFree: true },
      ],
      then: ['1 10', '2 10', '2 9', '3 10'],
    },
    {
      name: 'stays until the cache shows its revision, also when the contents are the previous ones',
      steps: [
        { at: 0, wanted: '2', held: '1' },
        { at: 10, wanted: '2', held: '1' },
        { at: 11, wanted: '1', held: '1' },
        { at: 12, wanted: '1', held: '2' },
        { at: 20, wanted: '1', held: '2' },
      ],
      then: ['1 10', '2 10', '2 9', '2 8', '1 10'],
    },
    {
      name: 'waits again when the clock was set back',
      steps: [
        { at: 100, wanted: '2', held: '1' },
        { at: 0, wanted: '2', held: '1' },
        { at: 10, wanted: '2', held: '1' },
      ],
      then: ['1 10', '1 10', '2 10'],
    },
  ])('$name', ({ steps, then }) => {
    expect(chosen(steps)).toEqual(then);
  });

  it('continues to wait when an object that was deleted is created again within 10 s, and otherwise begins to wait again', () => {
    const hashes = new ConfigHashes();
    const next = (at: number): string => {
      const { hash = '', requeueAfter = 0 } = hashes.next({
        uid: 'a',
        wanted: '2',
        held: '1',
        isFree: false,
        now: instant(epoch + at * 1000),
      });
      return `${hash} ${requeueAfter / 1000}`;
    };
    const interrupt = (at: number): void => hashes.interrupt('a', instant(epoch + at * 1000));
    expect(next(0)).toBe('1 10');
    interrupt(4);
    interrupt(5);
    expect(next(13)).toBe('1 6');
    interrupt(14);
    expect(next(24)).toBe('1 10');
    interrupt(25);
    interrupt(40);
    expect(next(41)).toBe('1 10');
  });

  it('waits again for a workload that was forgotten', () => {
    const hashes = new ConfigHashes();
    const next = (at: number): string | undefined =>
      hashes.next({ uid: 'a', wanted: '2', held: '1', isFree: false, now: instant(epoch + at * 1000) }).hash;
    expect(next(0)).toBe('1');
    hashes.forget('a');
    expect([next(10), next(20)]).toEqual(['1', '2']);
  });
});

it('contents that flap with any rhythm are rolled out once they have differed for 10 s, unless the previous ones last for 10 s', () => {
  const cases = new Occurrences();
  const phases = fc.array(fc.record({ differs: fc.integer({ min: 1, max: 9999 }), equals: fc.integer({ min: 1, max: 12_000 }) }), {
    minLength: 10,
    maxLength: 40,
    size: 'max',
  });
  fc.assert(
    fc.property(phases, (rhythm) => {
      const hashes = new ConfigHashes();
      let [now, differed, isChanged] = [epoch as number, 0, false];
      const look = (wanted: string): void => {
        isChanged ||= hashes.next({ uid: 'a', wanted, held: '1', isFree: false, now: instant(now) }).hash !== '1';
      };
      for (const { differs, equals } of rhythm) {
        look('2');
        now += differs;
        differed += differs;
        look('2');
        expect(isChanged).toBe(differed >= 10_000);
        if (isChanged) break;
        look('1');
        now += equals;
        if (equals >= 10_000) differed = 0;
      }
      if (isChanged) cases.note('changed');
    }),
    { numRuns: casesOf(300, 20_000) },
  );
  cases.expectAtLeast({ changed: 200 });
});

it('two new hashes of a workload are never closer than 10 s, and the last content is used in the end', () => {
  const cases = new Occurrences();
  const moments = fc.array(fc.record({ after: fc.integer({ min: 1, max: 12_000 }), wanted: fc.constantFrom('1', '2', '3', '4') }), {
    minLength: 3,
    maxLength: 40,
    size: 'max',
  });
  fc.assert(
    fc.property(moments, fc.constantFrom(0, 3), (changes, lag) => {
      const hashes = new ConfigHashes();
      let [now, held, lastNew] = [epoch as number, '1', -Infinity];
      /** Revisions that the cache does not show yet. */
      const written: string[] = [];
      let wanted = '1';
      const look = (): void => {
        const { hash = '' } = hashes.next({ uid: 'a', wanted, held, isFree: false, now: instant(now) });
        const latest = written.at(-1) ?? held;
        if (hash !== latest) {
          expect(now - lastNew).toBeGreaterThanOrEqual(10_000);
          lastNew = now;
          written.push(hash);
          cases.note('a new hash');
        }
        if (written.length > lag) held = written.shift() as string;
      };
      for (const change of changes) {
        now += change.after;
        wanted = change.wanted;
        look();
      }
      held = written.at(-1) ?? held;
      written.length = 0;
      for (let turn = 0; turn < 3; turn++) {
        now += 10_000;
        look();
        held = written.at(-1) ?? held;
        written.length = 0;
      }
      expect(held).toBe(wanted);
    }),
    { numRuns: casesOf(300, 20_000) },
  );
  cases.expectAtLeast({ 'a new hash': 200 });
});
