/**
 * Lives in which users, clocks and kills interfere at any moment, and several managers that see what was: no time ever gets a second job, and while
 * one manager sees no time is left out that the policy asks for.
 */
import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import fc from 'fast-check';
import { nameAt, World } from './world.testing.ts';

/** More with FC_RUNS=10000; each run is a life of some minutes. */
const numRuns = Number(process.env['FC_RUNS'] ?? 60);

type Disturbance =
  | { readonly kind: 'Policy'; readonly policy: NonNullable<AdvancedCronJobSpec['concurrencyPolicy']> }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  | { readonly kind: 'Length'; readonly seconds: number }
  | { readonly kind: 'Fail'; readonly fails: boolean }
  /** Another process takes over, begins beside the first, or no cache learns of anything until `Clear`. */
  | { readonly kind: 'Kill' | 'Rival' | 'Blind' | 'Clear' };

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Policy' as const), policy: fc.constantFrom('Allow' as const, 'Forbid' as const, 'Replace' as const) }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('Length' as const), seconds: fc.constantFrom(1, 30, 90) }),
  fc.record({ kind: fc.constant('Fail' as const), fails: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('Kill' as const, 'Rival' as const, 'Blind' as const, 'Clear' as const) }),
);
const life = fc.array(fc.record({ disturbance, seconds: fc.nat({ max: 70 }) }), { minLength: 1, maxLength: 8 });

/** One manager is left, and it sees. */
async function clear(world: World): Promise<void> {
  world.api.releaseWatches();
  for (const older of world.lives.slice(0, -1)) await older.stop();
}

async function disturb(world: World, next: Disturbance): Promise<void> {
  switch (next.kind) {
    case 'Policy':
      return world.change({ concurrencyPolicy: next.policy });
    case 'Pause':
      return world.change({ paused: next.paused });
    case 'Length':
      world.jobSeconds = next.seconds;
      return undefined;
    case 'Fail':
      world.jobFails = next.fails;
      return undefined;
    case 'Kill':
      await world.life.stop();
      return world.begin();
    case 'Rival':
      return world.begin();
    case 'Blind':
      return world.api.holdWatches();
    default:
      return clear(world);
  }
}

describe('an AdvancedCronJob that is disturbed', () => {
  it('gives no time a second job, and goes on with the next one', async () => {
    await fc.assert(
      fc.asyncProperty(life, async (steps) => {
        await using world = new World({ successfulJobsHistoryLimit: 100, failedJobsHistoryLimit: 100 });
        for (const { disturbance: next, seconds } of steps) {
          await disturb(world, next);
          await world.seconds(seconds);
        }
        await clear(world);
        world.change({ paused: false, concurrencyPolicy: 'Allow' });
        const minute = (): number => Math.floor((world.clock.now() - Date.UTC(2026, 0, 1)) / 60_000);
        const next = minute() + 1;
        await world.seconds(65);
        expect(new Set(world.created).size).toBe(world.created.length);
        expect(world.created).toContain(nameAt(next));
      }),
      { numRuns },
    );
  }, 600_000);
});
