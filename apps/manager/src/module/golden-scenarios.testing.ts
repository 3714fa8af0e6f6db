/**
 * Golden scenarios: what users and nodes do in a cluster, and the actions, writes and events that follow, compared with a text file. To write the
 * files again after an intended change: `UPDATE_GOLDEN=1 npm run jest -- PATH`, then review the diff.
 */
import { expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import type { InMemoryCluster } from './in-memory-cluster.testing.ts';

export interface GoldenScenario<Cluster, More extends readonly unknown[] = readonly []> {
  /** Of the scenario and its file. */
  readonly name: string;
  /** What happens after the start. */
  readonly then: (cluster: Cluster, ...more: More) => Promise<void>;
}

/** Returns the content of `testdata/NAME.txt` beside a test. @param test `import.meta.url` of the test */
export const goldenOf = (test: string, name: string, text: string): string => goldenText(new URL(`./testdata/${name}.txt`, test), text);

/**
 * Declares a test for each scenario: its timeline equals the golden file, and in the hour after it nothing is written.
 *
 * @param create returns a cluster before its first process begins
 */
export function itMatchesGoldenScenarios<Cluster extends InMemoryCluster>(
  test: string,
  create: () => Cluster,
  scenarios: readonly GoldenScenario<Cluster>[],
): void {
  it.each(scenarios)('$name', async ({ name, then }) => {
    await using cluster = create();
    cluster.record();
    cluster.begin();
    await then(cluster);
    const { text } = cluster.timeline;
    expect(await cluster.quietHour()).toEqual([]);
    expect(text).toBe(goldenOf(test, name, text));
  });
}
