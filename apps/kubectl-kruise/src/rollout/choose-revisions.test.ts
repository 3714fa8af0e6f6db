/** Which revisions a user means. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../objects/untyped.ts';
import { comparedRevisions, rolesOf } from './choose-revisions.ts';
import type { Revision } from './revisions.ts';

const revision = (number: number, name: string, labels = {}): Revision => ({
  number,
  changeCause: '<none>',
  template: {},
  object: { metadata: { name, labels } },
});
const revisions = [revision(1, 'web-a1'), revision(2, 'web-b2'), revision(3, 'web-c3', { 'controller-revision-hash': 'other' })];
const workload = (status: object): Untyped => ({ metadata: { name: 'web' }, status });
const named = workload({ currentRevision: 'web-a1', updateRevision: 'web-b2' });

describe('the current and the update revision', () => {
  it.each([
    { name: 'those of status', status: { currentRevision: 'web-a1', updateRevision: 'web-b2' }, current: 'web-a1', update: 'web-b2' },
    { name: 'the two newest without a status', status: {}, current: 'web-b2', update: 'web-c3' },
    {
      name: 'the hash of an Advanced DaemonSet and the one before',
      status: { daemonSetHash: 'other' },
      current: 'web-b2',
      update: 'web-c3',
    },
    { name: 'the name in status of a UnitedDeployment', status: { updatedRevision: 'web-a1' }, current: 'web-c3', update: 'web-a1' },
    {
      name: 'the two newest when status names what the history lost',
      status: { updateRevision: 'gone' },
      current: 'web-b2',
      update: 'web-c3',
    },
  ])('are $name', ({ status, current, update }) => {
    expect(rolesOf(workload(status), revisions)).toEqual({ current, update });
  });

  it('are the same with one revision, and absent with none', () => {
    expect(rolesOf(workload({}), revisions.slice(0, 1))).toEqual({ current: 'web-a1', update: 'web-a1' });
    expect(rolesOf(workload({}), [])).toEqual({ current: undefined, update: undefined });
  });
});

describe('the compared revisions', () => {
  const compared = (words: readonly string[]): readonly string[] => {
    const { from, to } = comparedRevisions(named, revisions, words);
    return [from.object.metadata.name, to.object.metadata.name];
  };
  it.each([
    { words: [], then: ['web-a1', 'web-b2'] },
    { words: ['3'], then: ['web-c3', 'web-b2'] },
    { words: ['web-c3', 'a1'], then: ['web-c3', 'web-a1'] },
    { words: ['update', 'current'], then: ['web-b2', 'web-a1'] },
    { words: ['other', '1'], then: ['web-c3', 'web-a1'] },
  ])('are, for $words, $then', ({ words, then }) => {
    expect(compared(words)).toEqual(then);
  });

  it('must exist, and be two at most', () => {
    expect(() => compared(['9'])).toThrow('revision "9" does not exist; there are 1 (web-a1), 2 (web-b2), 3 (web-c3)');
    expect(() => comparedRevisions(named, [], [])).toThrow('revision "current" does not exist; there is no revision');
    expect(() => compared(['1', '2', '3'])).toThrow('name at most two revisions');
  });
});
