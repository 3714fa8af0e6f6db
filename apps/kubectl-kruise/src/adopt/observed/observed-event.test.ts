/** What was observed of a move follows events. */
import { expect, it } from '@jest/globals';
import type { Untyped } from '../../objects/untyped.ts';
import { withEvent, type FollowedMember, type ObservedEvent } from './observed-event.ts';
import type { Observed } from './observed.ts';

const named = (name: string, resourceVersion = '1'): Untyped => ({ metadata: { name, resourceVersion } });
const observed = {
  source: named('web'),
  target: named('shop'),
  replicaSets: [named('web-1')],
  pods: [named('a'), named('b')],
  revisions: [],
  claims: [],
} as unknown as Observed;
const after = (member: FollowedMember, type: ObservedEvent['type'], object: Untyped): Observed | undefined =>
  withEvent(observed, member, { type, object });

it.each<[FollowedMember, ObservedEvent['type'], Untyped, Partial<Observed>]>([
  ['source', 'MODIFIED', named('web', '2'), { source: named('web', '2') }],
  ['target', 'MODIFIED', named('shop', '2'), { target: named('shop', '2') }],
  ['target', 'DELETED', named('shop', '2'), { target: undefined }],
  ['pods', 'ADDED', named('c'), { pods: [named('a'), named('b'), named('c')] }],
  ['pods', 'MODIFIED', named('a', '2'), { pods: [named('b'), named('a', '2')] }],
  ['pods', 'DELETED', named('b', '2'), { pods: [named('a')] }],
  ['replicaSets', 'DELETED', named('web-1', '2'), { replicaSets: [] }],
  ['revisions', 'ADDED', named('web-2'), { revisions: [named('web-2')] }],
])('%s %s', (member, type, object, changed) => {
  expect(after(member, type, object)).toEqual({ ...observed, ...changed });
});

it('ends with the source', () => {
  expect(after('source', 'DELETED', named('web', '2'))).toBeUndefined();
});
