/** However syncs end and whatever is reported meanwhile: no certificate is presented that is not trusted, and no change is missed. */
import { describe, expect, it } from '@jest/globals';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { KeyMaterial } from '../certificates/key-material.ts';
import { bundlesOf } from './bundle-rotation.ts';
import { initialState, next, type WebhookEvent, type WebhookState } from './webhook-state.ts';

interface Step {
  /** Time until the phase ends, in milliseconds. */
  readonly tookMs: number;
  readonly fails: boolean;
  /** The authority that is obtained, in the phase that obtains one. */
  readonly caCert: string;
  /** Reported while the phase lasts. */
  readonly meanwhile: 'Nothing' | 'Change' | 'Needs';
}

const stepArb: fc.Arbitrary<Step> = fc.record({
  tookMs: fc.integer({ min: 0, max: 90_000 }),
  fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  caCert: fc.constantFrom('A', 'B', 'C'),
  meanwhile: fc.constantFrom('Nothing', 'Nothing', 'Change', 'Needs'),
});

/** Authorities that the written objects trust. */
const trustedIn = (state: WebhookState, nowMs: number): readonly string[] => {
  const { caBundle } = bundlesOf(state.bundles, nowMs);
  return Buffer.from(caBundle, 'base64').toString().trim().split('\n');
};

const reports: Readonly<Record<Exclude<Step['meanwhile'], 'Nothing'>, WebhookEvent>> = {
  Change: { kind: 'ObjectsChanged', definitions: true },
  Needs: { kind: 'NeedsChanged', narrowing: {} },
};

function resultOf({ phase }: WebhookState, { fails, caCert }: Step, nowMs: number): WebhookEvent {
  const material: KeyMaterial = { caCert, cert: caCert, key: caCert };
  if (phase.kind === 'Pause') return { kind: 'Done', nowMs };
  if (fails) return { kind: 'Failed', error: new Error('it failed'), nowMs };
  return phase.kind === 'Obtain' ? { kind: 'Obtained', material, nowMs } : { kind: 'Done', nowMs };
}

describe('a replica', () => {
  it('presents only certificates that written objects trust, pauses a minute at most, and syncs after each change', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.boolean(), fc.array(stepArb, { minLength: 5, maxLength: 60, size: 'max' }), (narrows, steps) => {
        let state = initialState(false, narrows);
        let nowMs = 1_000_000;
        /** Undefined before the first certificate: until then no call is verified. */
        let trusted: readonly string[] | undefined;
        const faults: unknown[] = [];
        const must = (holds: boolean, ...what: readonly unknown[]): void => void (holds || faults.push(what));
        for (const step of steps) {
          const { phase } = state;
          if (phase.kind === 'Pause') must(phase.untilMs <= nowMs + 60_000, 'a pause is short', phase);
          if (step.meanwhile !== 'Nothing') state = next(state, reports[step.meanwhile]);
          const isReported = state.isWoken;
          nowMs += step.tookMs;
          const event = resultOf(state, step, nowMs);
          if (phase.kind === 'Write' && event.kind === 'Done') trusted = trustedIn(state, nowMs);
          if (phase.kind === 'Install' && event.kind === 'Done' && trusted !== undefined) {
            seen.note(`presented after writing: ${phase.isLast}`);
            must(trusted.includes(phase.material.caCert), 'what is presented is trusted', phase.material.caCert, trusted);
          }
          state = next(state, event);
          if (isReported && phase.kind !== 'Pause') must(state.phase.kind !== 'Pause', 'a change leaves the pause out', phase);
          if (state.phase.kind === 'Obtain') must(!state.isWoken, 'a sync begins with what was reported before', phase);
          must((state.lastError === undefined) === (state.failures === 0), 'an error belongs to a failure', phase);
          seen.note(`${state.phase.kind} after ${event.kind}`);
        }
        expect(faults).toEqual([]);
      }),
      { numRuns: casesOf(300, 5000) },
    );
    seen.expectAtLeast({
      'Obtain after Done': 100,
      'Obtain after Failed': 50,
      'Pause after Failed': 50,
      'Pause after Done': 50,
      'Write after Obtained': 50,
      'AwaitTrust after Done': 30,
      'Install after Done': 20,
      'presented after writing: true': 10,
      'presented after writing: false': 20,
    });
  });
});
