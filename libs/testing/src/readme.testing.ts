/** The example of README.md. */
import { isConditionTrue, type Pod } from '@kruise/objects';
import { aPod, Occurrences } from './index.ts';

/** The rule under test: a Pod serves while it is ready and not terminating. */
const isServing = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && isConditionTrue(status?.conditions, 'Ready');

/** Checks the rule on every case. @throws when it is wrong for one, or when no case had a serving Pod */
export function checkServing(cases: readonly { readonly ready: boolean; readonly terminating: boolean }[]): void {
  const seen = new Occurrences();
  for (const { ready, terminating } of cases) {
    const serves = seen.note('a Pod serves', isServing(aPod({ ready, terminating })));
    if (serves !== (ready && !terminating)) throw new Error(`wrong for ready=${ready}, terminating=${terminating}`);
  }
  seen.expectAtLeast({ 'a Pod serves': 1 });
}
