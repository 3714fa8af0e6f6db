/** Every event of a SidecarSet, word for word. @see spec/sidecarset.md 3 */
import type { StageResult } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import type { Action } from './action.ts';
import { announcementsOfChanges, announcementsOfPlan, revisionFailed, type Announcement } from './announcements.ts';

const update: Action = { kind: 'UpdatePod', pod: aPod({ name: 'web', namespace: 'default' }), because: 'of a test' };
const textsOf = (announcements: readonly Announcement[]): readonly string[] =>
  announcements.map(({ type, reason, message }) => `${type} ${reason} ${message}`);

describe('of what was planned', () => {
  const unupgradable = (upgradable: boolean): Action => ({ kind: 'SetUpgradable', pod: aPod({}), upgradable, because: 'of a test' });
  const text = 'Normal NotUpgradablePods SidecarSet in-place update detected 2 not upgradable pod(s) in this round, will skip them.';

  it('Pods that cannot be upgraded are reported, and again when others join them', () => {
    expect(textsOf(announcementsOfPlan({ notUpgradable: 0, conditions: [] }))).toEqual([]);
    expect(textsOf(announcementsOfPlan({ notUpgradable: 2, conditions: [] }))).toEqual([text]);
    const isNews = (conditions: readonly Action[]): readonly unknown[] =>
      announcementsOfPlan({ notUpgradable: 2, conditions }).map((one) => one.isNews);
    expect([isNews([unupgradable(true), update]), isNews([unupgradable(true), unupgradable(false)])]).toEqual([[false], [true]]);
  });

  it('a revision that was not written keeps every Pod', () => {
    expect(textsOf([revisionFailed(new Error('no'))])).toEqual([
      'Warning FailedRevisionProvision No Pod is updated, because the ControllerRevision of this version was not written: no',
    ]);
  });
});

describe('of what was done', () => {
  const nothing: StageResult<Action> = { done: 0, wrote: 0, failures: [], allRefused: [] };
  const no = new Error('no');
  const failing = (error: Error): StageResult<Action> => ({ ...nothing, failures: [{ action: update, error }], error });
  it.each<[string, StageResult<Action>, readonly string[]]>([
    ['nothing where nothing is refused', nothing, []],
    ['the Pod whose update is refused', failing(no), ['Warning FailedUpdatePodInPlace Pod default/web was not updated: no']],
    [
      'the Pod that a budget keeps',
      { ...nothing, refused: { action: update, why: 'nothing is left' }, allRefused: [update] },
      ['Warning BudgetRefuses Pod web may not be updated now: nothing is left'],
    ],
    [
      'budgets that cannot be asked',
      { ...nothing, error: no },
      ['Warning BudgetRefuses Budgets cannot be asked, so that no Pod is updated now: no'],
    ],
    [
      'both budgets that cannot be asked and a Pod whose update is refused',
      { ...failing(new Error('not this Pod')), error: no },
      [
        'Warning FailedUpdatePodInPlace Pod default/web was not updated: not this Pod',
        'Warning BudgetRefuses Budgets cannot be asked, so that no Pod is updated now: no',
      ],
    ],
  ])('%s', (_name, changes, texts) => {
    expect(textsOf(announcementsOfChanges(changes, changes.failures))).toEqual(texts);
  });

  it('nothing of a failure without a Pod', () => {
    const action: Action = {
      kind: 'NameRevision',
      revision: { metadata: { name: 'set-1' }, revision: 1 },
      customVersion: 'v1',
      because: 'x',
    };
    expect(announcementsOfChanges(nothing, [{ action, error: no }])).toEqual([]);
  });

  it('nothing of a failure that was reported before', () => {
    expect(announcementsOfChanges(failing(no), [])).toEqual([]);
  });
});
