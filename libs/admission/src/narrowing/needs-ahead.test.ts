import { describe, expect, it } from '@jest/globals';
import { afterWrite, nextWriteAtMs } from '../configuration/pace/write-pace.ts';
import { notedNeeds, needIdentity, type NeedAhead } from './needs-ahead.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const at = (afterMs: number): string => new Date(nowMs + afterMs).toISOString();
const ahead = (reason: string): NeedAhead => ({ webhook: 'mpod.kb.io', need: { reason, condition: 'A' } });
const noted = (reason: string, untilMs: number): object => ({ ...ahead(reason), until: at(untilMs) });
const reasonsOf = (text: string | undefined): readonly string[] => notedNeeds(text, [], nowMs).needs.map(({ need }) => need.reason);

describe('needs ahead', () => {
  it('are none where nothing is noted', () => {
    const none = { needs: [], text: undefined, endsAtMs: undefined };
    expect([undefined, '', '{', '{}', '7', '[]'].map((text) => notedNeeds(text, [], nowMs))).toEqual(Array.from({ length: 6 }, () => none));
  });

  it('are noted for five seconds, beside existing ones, and expire with the first', () => {
    const first = notedNeeds(undefined, [ahead('a')], nowMs);
    expect(JSON.parse(first.text ?? '')).toEqual([noted('a', 5000)]);
    expect(first.endsAtMs).toBe(nowMs + 5000);
    const both = notedNeeds(first.text, [ahead('b')], nowMs + 2000);
    expect(JSON.parse(both.text ?? '')).toEqual([noted('a', 5000), noted('b', 7000)]);
    expect(both.needs).toMatchObject([ahead('a'), ahead('b')]);
    expect(both.endsAtMs).toBe(nowMs + 5000);
  });

  it('that are noted again last longer, and are listed once', () => {
    const { text } = notedNeeds(undefined, [ahead('a')], nowMs);
    expect(JSON.parse(notedNeeds(text, [ahead('a')], nowMs + 2000).text ?? '')).toEqual([noted('a', 7000)]);
  });

  it.each([
    [-1, false],
    [0, false],
    [1, true],
    [60_000, true],
    [60_001, false],
  ])('that expire in %d ms count: %p', (endsInMs, counts) => {
    expect(reasonsOf(JSON.stringify([noted('a', endsInMs)]))).toEqual(counts ? ['a'] : []);
  });

  it.each<{ name: string; note: unknown }>([
    { name: 'null', note: null },
    { name: 'a number', note: 7 },
    { name: 'a list', note: [noted('b', 1)] },
    { name: 'an empty object', note: {} },
    { name: 'a note without need', note: { ...noted('b', 1), need: undefined } },
    { name: 'a need that is null', note: { ...noted('b', 1), need: null } },
    { name: 'a need that is a string', note: { ...noted('b', 1), need: 'b' } },
    { name: 'a note without webhook', note: { ...noted('b', 1), webhook: undefined } },
    { name: 'an end that is no time', note: { ...noted('b', 1), until: 'tomorrow' } },
    { name: 'an end that is no string', note: { ...noted('b', 1), until: [at(1)] } },
    { name: 'a need without reason', note: { ...noted('b', 1), need: {} } },
    { name: 'a reason that is no string', note: { ...noted('b', 1), need: { reason: ['b'] } } },
  ])('that are readable count beside $name', ({ note }) => {
    expect(reasonsOf(JSON.stringify([note, noted('a', 1)]))).toEqual(['a']);
  });

  it('have a reason that can begin the name of a webhook', () => {
    const reasons = ['a', 'a-1', `a${'b'.repeat(41)}`, 'A', '-a', 'a-', '1a', 'a.b', 'x a', 'a x', '', `a${'b'.repeat(42)}`];
    expect(reasonsOf(JSON.stringify(reasons.map((reason) => noted(reason, 1))))).toEqual(reasons.slice(0, 3));
  });

  it('are equal when they express the same of the same webhook, in whatever order', () => {
    expect(needIdentity({ need: { condition: 'A', reason: 'a' }, webhook: 'mpod.kb.io' })).toBe(needIdentity(ahead('a')));
    expect(needIdentity({ ...ahead('a'), webhook: 'other' })).not.toBe(needIdentity(ahead('a')));
    expect(needIdentity(ahead('b'))).not.toBe(needIdentity(ahead('a')));
  });

  describe('are bounded, whatever client requests them', () => {
    const everything = (untilMs: number): object => ({ webhook: 'mpod.kb.io', need: { reason: 'everything' }, until: at(untilMs) });
    const labelled = (count: number, length = 1): NeedAhead => ({
      webhook: 'mpod.kb.io',
      need: {
        reason: 'a',
        objectSelector: { matchLabels: Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`k${at}`, 'x'.repeat(length)])) },
        namespaceSelector: { matchExpressions: [{ key: 'n', operator: 'Exists' }] },
      },
    });
    const notesOf = (text: string | undefined): unknown => JSON.parse(text ?? '[]');

    it.each<{ name: string; need: NeedAhead }>([
      { name: 'has more than 32 requirements', need: labelled(33) },
      { name: 'is longer than 4,096 characters', need: labelled(10, 500) },
    ])('one that $name is the installer’s rule for ten seconds', ({ need }) => {
      expect(notesOf(notedNeeds(undefined, [need], nowMs).text)).toEqual([everything(10_000)]);
    });

    it('one of 32 requirements is noted unchanged', () => {
      expect(notedNeeds(undefined, [labelled(32)], nowMs).needs).toMatchObject([labelled(32)]);
    });

    const many = (count: number): readonly NeedAhead[] => Array.from({ length: count }, (_, index) => ahead(`r${index}`));

    it('more than ten at a time are the installer’s rule of their webhooks', () => {
      const { text } = notedNeeds(undefined, many(10), nowMs);
      expect(notesOf(text)).toHaveLength(10);
      const other = { ...ahead('z'), webhook: 'other' };
      const all = notedNeeds(text, [other], nowMs);
      expect(notesOf(all.text)).toEqual([everything(10_000), { ...everything(10_000), webhook: 'other' }]);
    });

    it('together longer than 32,768 characters they are, too', () => {
      const long = Array.from({ length: 10 }, (_, index) => ({
        ...ahead(`r${index}`),
        need: { reason: `r${index}`, condition: 'x'.repeat(4000) },
      }));
      expect(notesOf(notedNeeds(undefined, long.slice(0, 7), nowMs).text)).toHaveLength(7);
      expect(notesOf(notedNeeds(undefined, long, nowMs).text)).toEqual([everything(10_000)]);
    });

    it('while the installer’s rule lasts for five more seconds nothing is noted beside it', () => {
      const { text } = notedNeeds(undefined, many(11), nowMs);
      expect(notedNeeds(text, many(50), nowMs + 5000).text).toBe(text);
      expect(notesOf(notedNeeds(text, many(1), nowMs + 5001).text)).toEqual([everything(10_000), noted('r0', 10_001)]);
      expect(notedNeeds(text, [], nowMs + 10_001).text).toBeUndefined();
    });

    const inNamespace = (...values: readonly string[]) => ({
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In' as const, values }] },
    });
    const of = (namespace: string, condition: string): NeedAhead => ({
      webhook: 'mpod.kb.io',
      need: { reason: 'workloadspread', condition, ...inNamespace(namespace) },
    });
    const manyOf = (namespace: string, count: number): readonly NeedAhead[] =>
      Array.from({ length: count }, (_, index) => of(namespace, `A${index}`));
    const everythingIn = (...names: readonly string[]): NeedAhead => ({
      webhook: 'mpod.kb.io',
      need: { reason: 'everything', ...inNamespace(...names) },
    });

    it('more than ten of one namespace become every Pod of that namespace for ten seconds, and those of others stay', () => {
      const other = of('other', 'B');
      const { needs, text } = notedNeeds(undefined, [other, ...manyOf('tenant', 11)], nowMs);
      expect(needs).toMatchObject([other, everythingIn('tenant')]);
      expect(notesOf(text)).toMatchObject([{ until: at(5000) }, { until: at(10_000) }]);
    });

    it('those of the namespaces with the most are widened first, and no more than necessary', () => {
      const { needs } = notedNeeds(undefined, [...manyOf('b', 4), ...manyOf('a', 5), ...manyOf('c', 2)], nowMs);
      expect(needs.map(({ need }) => need.reason).filter((reason) => reason === 'everything')).toHaveLength(1);
      expect(needs.at(-1)).toMatchObject(everythingIn('a'));
      expect(needs).toHaveLength(7);
    });

    it('of many namespaces become every Pod of as many of them as necessary', () => {
      const { needs } = notedNeeds(
        undefined,
        Array.from({ length: 40 }, (_, index) => of(`n${index + 10}`, 'A')),
        nowMs,
      );
      expect(needs).toHaveLength(10);
      expect(needs.at(-1)).toMatchObject(everythingIn(...Array.from({ length: 31 }, (_, index) => `n${index + 10}`)));
    });

    it('that are covered by those of their namespace for five more seconds are not noted beside them', () => {
      const { text } = notedNeeds(undefined, manyOf('tenant', 11), nowMs);
      expect(notedNeeds(text, manyOf('tenant', 3), nowMs + 5000).text).toBe(text);
      expect(notedNeeds(text, [of('other', 'A')], nowMs + 5000).needs).toMatchObject([everythingIn('tenant'), of('other', 'A')]);
      expect(notedNeeds(text, manyOf('tenant', 1), nowMs + 5001).needs).toHaveLength(2);
    });

    it('of a client that creates one object after the other become the installer’s rule before the writes delay most of them', () => {
      let [text, doneAtMs, now]: [string | undefined, number, number] = [undefined, 0, nowMs];
      for (const need of many(200)) {
        now += 30;
        if (notedNeeds(text, [need], now).text === text) continue;
        now = Math.max(now, nextWriteAtMs(doneAtMs));
        ({ text } = notedNeeds(text, [need], now));
        doneAtMs = afterWrite(doneAtMs, now);
      }
      expect(now - nowMs).toBeLessThan(15_000);
    });

    it('that are too long and of one namespace become every Pod of that namespace', () => {
      expect(notedNeeds(undefined, [of('tenant', 'x'.repeat(5000))], nowMs).needs).toMatchObject([everythingIn('tenant')]);
    });

    it('notes of a manager without bounds are replaced by bounded ones', () => {
      const text = JSON.stringify(Array.from({ length: 200 }, (_, index) => noted(`r${index}`, 60_000)));
      expect(notesOf(notedNeeds(text, [], nowMs).text)).toEqual([everything(10_000)]);
    });
  });
});
