import { describe, expect, it } from '@jest/globals';
import {
  findCondition,
  isConditionTrue,
  progressConditionRule,
  removeCondition,
  setCondition,
  statusOnlyConditionRule,
  type StoredCondition,
} from './conditions.ts';
import { instant } from '../values/time.ts';

const then = '2026-01-01T00:00:00Z';
const now = instant(Date.parse('2026-01-02T00:00:00Z'));
const nowText = '2026-01-02T00:00:00Z';
const ready = (status: string, more: Partial<StoredCondition> = {}): StoredCondition => ({ type: 'Ready', status, ...more });

describe('setCondition', () => {
  it('appends a new condition with its transition time', () => {
    expect(setCondition<StoredCondition>(undefined, ready('True'), now)).toEqual([ready('True', { lastTransitionTime: nowText })]);
  });

  it('sets the transition time only with the status', () => {
    const old = [ready('True', { reason: 'A', lastTransitionTime: then }), { type: 'Other', status: 'True' }];
    expect(setCondition(old, ready('True', { reason: 'B' }), now)).toEqual([
      ready('True', { reason: 'B', lastTransitionTime: then }),
      old[1],
    ]);
    expect(setCondition(old, ready('False', { reason: 'B' }), now)[0]).toEqual(
      ready('False', { reason: 'B', lastTransitionTime: nowText }),
    );
  });

  it('changes a condition in place and keeps the others', () => {
    const old = [{ type: 'Other', status: 'True' }, ready('True', { lastTransitionTime: then }), { type: 'Last', status: 'True' }];
    expect(setCondition<StoredCondition>(old, ready('False'), now)).toEqual([
      old[0],
      ready('False', { lastTransitionTime: nowText }),
      old[2],
    ]);
    expect(setCondition<StoredCondition>(old, { type: 'New', status: 'True' }, now).slice(0, 3)).toEqual(old);
  });

  it('returns the same list when nothing changes', () => {
    const old = [ready('True', { reason: '', lastTransitionTime: then })];
    expect(setCondition(old, ready('True'), now)).toBe(old);
  });

  it.each([['status'], ['reason'], ['message']])('writes a new %s with the plain rule', (member) => {
    const old = ready('True', { reason: 'A', message: 'm', lastTransitionTime: then });
    expect(setCondition([old], { ...old, [member]: 'False' }, now)).toEqual([
      { ...old, [member]: 'False', lastTransitionTime: member === 'status' ? nowText : then },
    ]);
  });

  it('writes a progress condition that has a new status for the old reason', () => {
    const old = [{ type: 'Progressing', status: 'True', reason: 'A', lastTransitionTime: then, lastUpdateTime: then }];
    const next = { type: 'Progressing', status: 'False', reason: 'A' };
    expect(setCondition<StoredCondition>(old, next, now, progressConditionRule)).toEqual([
      { ...next, lastTransitionTime: nowText, lastUpdateTime: nowText },
    ]);
  });

  it('ignores a new reason with an equal status when the rule says so', () => {
    const old = [ready('False', { reason: 'A', lastTransitionTime: then })];
    expect(setCondition(old, ready('False', { reason: 'B' }), now, statusOnlyConditionRule)).toBe(old);
  });

  it('moves a changed progress condition to the end and stamps its update', () => {
    const old = [{ type: 'Progressing', status: 'True', reason: 'A', lastTransitionTime: then, lastUpdateTime: then }, ready('True')];
    const next = { type: 'Progressing', status: 'True', reason: 'B', message: 'm' };
    expect(setCondition<StoredCondition>(old, next, now, progressConditionRule)).toEqual([
      ready('True'),
      { ...next, lastTransitionTime: then, lastUpdateTime: nowText },
    ]);
    expect(
      setCondition<StoredCondition>(old, { type: 'Progressing', status: 'True', reason: 'A', message: 'new' }, now, progressConditionRule),
    ).toBe(old);
  });
});

describe('reading conditions', () => {
  const list = [ready('True')];

  it('finds by type', () => {
    expect([findCondition(list, 'Ready'), findCondition(list, 'X'), findCondition(undefined, 'Ready')]).toEqual([
      list[0],
      undefined,
      undefined,
    ]);
    expect([isConditionTrue(list, 'Ready'), isConditionTrue(list, 'X')]).toEqual([true, false]);
  });

  it('removes by type, and returns the same list when there is none', () => {
    expect(removeCondition(list, 'Ready')).toEqual([]);
    expect(removeCondition(list, 'X')).toBe(list);
    const two = [ready('True'), { type: 'Other', status: 'True' }];
    expect([removeCondition(two, 'Ready'), removeCondition(two, 'Other'), removeCondition(undefined, 'Ready')]).toEqual([
      [two[1]],
      [two[0]],
      [],
    ]);
  });
});
