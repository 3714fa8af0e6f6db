/** The record of a run counts every write once, and keeps those that its last observation does not show. */
import { expect, it } from '@jest/globals';
import { MoveLog } from './move-log.ts';
import type { Write } from './step.ts';

const names = { source: 'deployment.apps/web', target: 'cloneset.apps.kruise.io/web' };
const write = (name: string): Write => ({ kind: 'Orphan', object: { metadata: { name } } });

it('has nothing in the beginning', () => {
  expect(new MoveLog().interrupted(names)).toEqual({ names, writes: 0, unanswered: 0, last: { kind: 'Nothing' }, since: [] });
});

it('counts writes that are confirmed, refused and without an answer', () => {
  const log = new MoveLog();
  for (let i = 0; i < 4; i++) log.sent();
  log.confirmed(write('a'));
  log.refused();
  expect(log.interrupted(names)).toMatchObject({ writes: 1, unanswered: 2, since: [write('a')] });
});

it('omits the writes before an observation, and still counts them', () => {
  const log = new MoveLog();
  log.sent();
  log.confirmed(write('a'));
  log.observed({ kind: 'Hold' });
  log.sent();
  log.confirmed(write('b'));
  expect(log.interrupted(names)).toEqual({ names, writes: 2, unanswered: 0, last: { kind: 'Hold' }, since: [write('b')] });
});
