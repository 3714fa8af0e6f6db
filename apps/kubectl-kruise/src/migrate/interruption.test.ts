/** What an interrupted `migrate` says, in every state of a move. */
import { expect, it } from '@jest/globals';
import { migrationInterruptionText, type InterruptedMigration } from './interruption.ts';

const names = { src: 'Deployment/d', dst: 'CloneSet/c' };
const moved = '4 replicas were moved from Deployment/d to CloneSet/c';

interface Row {
  readonly name: string;
  /** Replicas that the Deployment lost, and those that the CloneSet got. */
  readonly given: readonly [srcMoved: number, dstMoved: number];
  readonly how?: Partial<InterruptedMigration>;
  readonly then: string;
}

it.each<Row>([
  {
    name: 'before the first write of a part of the replicas',
    given: [0, 0],
    how: { movesAll: false },
    then: `0 of ${moved}. Run the same command again to continue.`,
  },
  {
    name: 'when the CloneSet has Pods that the Deployment still has',
    given: [0, 1],
    then: `0 of ${moved}, and CloneSet/c has 1 more. Run the same command again to continue.`,
  },
  { name: 'between two steps', given: [2, 2], then: `2 of ${moved}. Run the same command again to continue.` },
  {
    name: 'when a part of the replicas is moved',
    given: [1, 3],
    how: { movesAll: false },
    then: `1 of ${moved}, and CloneSet/c has 2 more. Run the command again with --replicas 3 to continue.`,
  },
  {
    name: 'when every one of them is moved',
    given: [4, 4],
    how: { movesAll: false },
    then: `4 of ${moved}. Only the annotation kubectl-kruise/migration-total of CloneSet/c is left.`,
  },
  {
    name: 'in a write',
    given: [1, 1],
    how: { isUnanswered: true },
    then: `1 of ${moved}; 1 more write may have succeeded. Run the same command again to continue.`,
  },
  {
    name: 'in the first write of a part of the replicas',
    given: [0, 0],
    how: { isUnanswered: true, movesAll: false },
    then:
      `0 of ${moved}; 1 more write may have succeeded. Compare spec.replicas of Deployment/d and CloneSet/c, ` +
      'and run the command again with the rest as --replicas.',
  },
])('$name', ({ given: [srcMoved, dstMoved], how, then }) => {
  const migration = { total: 4, maxSurge: 2, sum: 4, srcMoved, dstMoved };
  const text = migrationInterruptionText({ names, migration, isUnanswered: false, movesAll: true, ...how });
  expect(text).toBe(`Interrupted: ${then}`);
});
