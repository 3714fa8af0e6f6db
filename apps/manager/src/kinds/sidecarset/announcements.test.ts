/** Every event of a SidecarSet, word for word, and when it is given. @see spec/sidecarset.md 3 */
import type { StageResult } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import type { Action } from '@kruise/kinds/sidecarset';
import { AnnouncedOnce, type Announcement } from './announced-once.ts';
import { ofChanges, ofPlan, revisionFailed } from './announcements.ts';
import { aSidecarSet } from '@kruise/kinds/sidecarset/testing';

const update: Action = { kind: 'UpdatePod', pod: aPod({ name: 'web', namespace: 'default' }), because: 'of a test' };
const textsOf = (announcements: readonly Announcement[]): readonly string[] =>
  announcements.map(({ type, reason, message }) => `${type} ${reason} ${message}`);

describe('of what was planned', () => {
  const unupgradable = (upgradable: boolean): Action => ({ kind: 'SetUpgradable', pod: aPod({}), upgradable, because: 'of a test' });
  const text = 'Normal NotUpgradablePods SidecarSet in-place update detected 2 not upgradable pod(s) in this round, will skip them.';

  it('Pods that cannot be upgraded are reported, and again when others join them', () => {
    expect(textsOf(ofPlan({ notUpgradable: 0, conditions: [] }))).toEqual([]);
    expect(textsOf(ofPlan({ notUpgradable: 2, conditions: [] }))).toEqual([text]);
    const isNews = (conditions: readonly Action[]): readonly unknown[] => ofPlan({ notUpgradable: 2, conditions }).map((one) => one.isNews);
    expect([isNews([unupgradable(true)]), isNews([unupgradable(false)])]).toEqual([[false], [true]]);
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
  ])('%s', (_name, changes, texts) => {
    expect(textsOf(ofChanges(changes, changes.failures))).toEqual(texts);
  });

  it('nothing of a failure that was reported before', () => {
    expect(ofChanges(failing(no), [])).toEqual([]);
  });
});

describe('an event', () => {
  const setUp = () => {
    const given: string[] = [];
    const once = new AnnouncedOnce({ event: (_object, type, reason, message) => void given.push(`${type} ${reason} ${message}`) });
    return { given, once };
  };
  const announcement = (message: string, isNews = false): Announcement => ({ type: 'Warning', reason: 'No', message, isNews });
  const at = (generation: number, uid = 'a') => {
    const sidecarSet = aSidecarSet();
    return { ...sidecarSet, metadata: { ...sidecarSet.metadata, uid, generation } };
  };

  it('is given once for a reason in a generation, and again when it is news', () => {
    const { given, once } = setUp();
    once.announce(at(1), [announcement('first'), announcement('second')]);
    once.announce(at(1), [announcement('third'), announcement('news', true)]);
    once.announce(at(2), [announcement('next')]);
    once.announce(at(2, 'b'), [announcement('of another one')]);
    expect(given).toEqual(['Warning No first', 'Warning No news', 'Warning No next', 'Warning No of another one']);
  });

  it('is given again once the object was deleted', () => {
    const { given, once } = setUp();
    once.announce(at(1), [announcement('first')]);
    once.forget('a');
    once.announce(at(1), [announcement('again')]);
    expect(given).toEqual(['Warning No first', 'Warning No again']);
  });
});
