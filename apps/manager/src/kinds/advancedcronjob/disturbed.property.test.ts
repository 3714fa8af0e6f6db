/**
 * Runs in which users, clocks and kills interfere at any moment, and several managers act on outdated caches: no time ever gets a second job, and
 * while a single manager is up to date, it skips no time that the policy requires.
 */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { nameAt, AdvancedCronJobCluster } from './cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates some minutes. */
const numRuns = casesOf(40);

type Disturbance =
  | { readonly kind: 'Policy'; readonly policy: NonNullable<AdvancedCronJobSpec['concurrencyPolicy']> }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  | { readonly kind: 'Length'; readonly seconds: number }
  | { readonly kind: 'Fail'; readonly fails: boolean }
  /** Another process takes over, begins beside the first, or no cache learns of anything until `Clear`. */
  | { readonly kind: 'Kill' | 'Rival' | 'Blind' | 'Clear' }
  /** Clocks are set an hour forward or back, or every process pauses and continues late with its old caches. */
  | { readonly kind: 'Jump' | 'Stand'; readonly ms: number };

const hour = 3_600_000;

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Policy' as const), policy: fc.constantFrom('Allow' as const, 'Forbid' as const, 'Replace' as const) }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('Length' as const), seconds: fc.constantFrom(1, 30, 90) }),
  fc.record({ kind: fc.constant('Fail' as const), fails: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('Kill' as const, 'Rival' as const, 'Blind' as const, 'Clear' as const) }),
  fc.record({ kind: fc.constant('Jump' as const), ms: fc.constantFrom(hour, -hour) }),
  fc.record({ kind: fc.constant('Stand' as const), ms: fc.constantFrom(90_000, 24 * hour) }),
);
const run = fc.array(fc.record({ disturbance, seconds: fc.nat({ max: 70 }) }), { minLength: 1, maxLength: 8 });

async function disturb(cluster: AdvancedCronJobCluster, next: Disturbance): Promise<void> {
  switch (next.kind) {
    case 'Policy':
      return cluster.change({ concurrencyPolicy: next.policy });
    case 'Pause':
      return cluster.change({ paused: next.paused });
    case 'Length':
      cluster.jobSeconds = next.seconds;
      return undefined;
    case 'Fail':
      cluster.jobFails = next.fails;
      return undefined;
    case 'Jump':
      return cluster.clock.jumpWallClock(next.ms);
    case 'Stand':
      return cluster.clock.freeze(next.ms);
    default:
      return cluster.disturbManager(next);
  }
}

describe('an AdvancedCronJob that is disturbed', () => {
  it('gives no time a second job, and continues with the next one', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(run, async (steps) => {
        await using cluster = new AdvancedCronJobCluster({ successfulJobsHistoryLimit: 100, failedJobsHistoryLimit: 100 });
        for (const { disturbance: next, seconds } of steps) {
          await disturb(cluster, next);
          await cluster.seconds(seconds);
        }
        await cluster.clear();
        cluster.change({ paused: false, concurrencyPolicy: 'Allow' });
        await cluster.seconds(1);
        // No time comes a second time when clocks were set back: the next one is after the last one that had its job.
        const reached = Math.max(cluster.clock.now(), Date.parse(cluster.last ?? '2026-01-01T00:00:00Z'));
        seen.note('clocks are behind the last time', reached > cluster.clock.now());
        cluster.clock.freeze(reached - cluster.clock.now());
        const next = Math.floor((reached - Date.UTC(2026, 0, 1)) / 60_000) + 1;
        await cluster.seconds(65);
        expect(new Set(cluster.created).size).toBe(cluster.created.length);
        expect(cluster.created).toContain(nameAt(next));
        for (const { disturbance: met } of steps) seen.note(met.kind);
      }),
      { numRuns },
    );
    const least = numRuns / 40;
    seen.expectAtLeast({ Kill: least, Rival: least, Blind: least, Jump: least, Stand: least, 'clocks are behind the last time': least });
  }, 600_000);
});
