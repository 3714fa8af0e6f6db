import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import type { BlockingReason } from './blocking-cause.ts';
import { meaningOf, withKstatus, withoutKstatus, type KstatusCounts } from './kstatus-conditions.ts';

const now = instant(Date.UTC(2026, 0, 1));
const done: KstatusCounts = { desired: 3, present: 3, available: 3, updated: 3 };
const blockedBy = (reason: BlockingReason) => ({ reason, message: 'details' });
const deadline = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too late' };

interface Given {
  readonly numbers?: Partial<KstatusCounts>;
  readonly cause?: BlockingReason;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}

const shown = ({ numbers = {}, cause, conditions = [] }: Given): readonly string[] => {
  const status = withKstatus({ conditions }, () => ({ ...done, ...numbers }), cause === undefined ? undefined : blockedBy(cause), now);
  return (status.conditions ?? []).map(({ type, status: is, reason = '' }) => `${type}=${is} ${reason}`);
};

it.each<[name: string, given: Given, conditions: readonly string[]]>([
  ['all is done', {}, []],
  ['an update', { numbers: { updated: 1 } }, ['Reconciling=True Updating']],
  ['a scale-out', { numbers: { present: 2, available: 2, updated: 3 } }, ['Reconciling=True Scaling']],
  ['a scale-in', { numbers: { present: 4, available: 4, updated: 4 } }, ['Reconciling=True Scaling']],
  ['Pods that start', { numbers: { available: 2 } }, ['Reconciling=True WaitingForPods']],
  ['a partition', { numbers: { updated: 1 }, cause: 'PartitionReached' }, []],
  [
    'a partition, while Pods start',
    { numbers: { updated: 1, available: 2 }, cause: 'PartitionReached' },
    ['Reconciling=True WaitingForPods'],
  ],
  ['a partition that also keeps nodes without a Pod', { numbers: { present: 2, available: 2, updated: 2 }, cause: 'PartitionReached' }, []],
  ['Pods that a user is to delete', { numbers: { updated: 0 }, cause: 'OnDelete' }, []],
  ['limits of 0', { numbers: { updated: 0 }, cause: 'UpdateLimited' }, []],
  ['a pause', { numbers: { updated: 1, available: 2 }, cause: 'Paused' }, []],
  ['a hook', { numbers: { updated: 1 }, cause: 'WaitingForHook' }, ['Reconciling=True WaitingForHook']],
  ['an image that cannot be pulled', { numbers: { updated: 1 }, cause: 'ImageCannotBePulled' }, ['Stalled=True ImageCannotBePulled']],
  [
    'a deadline that has passed',
    { numbers: { updated: 1 }, conditions: [deadline] },
    ['Progressing=False ProgressDeadlineExceeded', 'Stalled=True ProgressDeadlineExceeded'],
  ],
  [
    'progress after a failure',
    { numbers: { updated: 1 }, conditions: [{ type: 'Stalled', status: 'True', reason: 'QuotaExceeded' }] },
    ['Reconciling=True Updating'],
  ],
  ['the end after progress', { conditions: [{ type: 'Reconciling', status: 'True', reason: 'Updating' }] }, []],
])('%s', (_, given, conditions) => expect(shown(given)).toEqual(conditions));

it('changes neither the reason nor the time of the condition with each Pod', () => {
  const first = withKstatus({}, () => ({ ...done, updated: 1 }), undefined, now);
  expect(withKstatus(first, () => ({ ...done, updated: 2 }), undefined, instant(now + 5000))).toEqual(first);
});

it('leaves other conditions', () => {
  const held = { type: 'FailedScale', status: 'True' };
  const conditions = [held, { type: 'Reconciling', status: 'True' }, { type: 'Stalled', status: 'True' }];
  expect(withoutKstatus({ conditions })).toEqual({ conditions: [held] });
});

it('means by each reason what the health checks of Argo CD mean', () => {
  const lua = readFileSync(join(import.meta.dirname, '../../../../integrations/argocd/source/helpers.lua'), 'utf8');
  const [, table = ''] = /local kinds = \{([^}]*)\}/.exec(lua) ?? [];
  const pairs = [...table.matchAll(/(\w+) = "(\w+)"/g)].map(([, reason = '', kind = '']) => [reason, kind] as const);
  const workloads = pairs.filter(([reason]) => reason !== 'WorkloadUnknown');
  expect(workloads.length).toBeGreaterThan(8);
  for (const [reason, kind] of workloads)
    expect([reason, meaningOf(reason as BlockingReason)]).toEqual([reason, kind === 'Limit' ? 'Setting' : kind]);
});
