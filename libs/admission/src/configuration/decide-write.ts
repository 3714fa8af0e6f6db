/** Whether a webhook configuration is written now: as planned, more widely while another writer undoes it repeatedly, or not at all. Pure. */
import type { KubeObject } from '@kruise/objects';
import type { NeedAhead } from '../narrowing/needs-ahead.ts';
import type { Narrowing } from '../narrowing/request-need.ts';
import { bundlesOf } from './bundle-rotation.ts';
import { planRelease } from './field-ownership.ts';
import { isNarrowedAsIn, planWebhookConfiguration, type ConfigurationPlan, type Wiring } from './plan-webhook-configuration.ts';
import { brakeWrite, type BrakedWrite } from './pace/restore-brake.ts';
import type { WebhookConfiguration } from '../webhook-configuration.ts';
import type { WantedNarrowing, WebhookState } from './webhook-state.ts';

/** Nothing is narrowed; needs that others have noted ahead stay noted. */
const installersRules: Narrowing = {};

export interface WriteContext extends Pick<Wiring, 'target' | 'paths'> {
  /** Needs of objects that are about to be written, whose callers wait. */
  readonly ahead: readonly NeedAhead[];
  /** Under which the API server notes what this program writes. */
  readonly fieldManager: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface DecidedWrite {
  /** The object to write; undefined when nothing is written now. */
  readonly update?: WebhookConfiguration;
  /** Names of webhooks that are omitted because no handler serves their path. */
  readonly ignored: readonly string[];
  /** To remember once the update was written. */
  readonly write?: BrakedWrite;
  /** That the API server has found fault with when it refuses the update as invalid. */
  readonly narrowing: WantedNarrowing;
  /** When the configuration has to be checked again, in milliseconds since the epoch, in any order. */
  readonly requeuesAtMs: readonly number[];
}

/** Returns how a configuration, as it is now, has to be written. */
export function decideWrite(
  state: WebhookState,
  configuration: KubeObject,
  { ahead, nowMs, fieldManager, ...served }: WriteContext,
): DecidedWrite {
  const narrowing = state.narrowing === state.refused ? undefined : state.narrowing;
  const bundles = bundlesOf(state.bundles, nowMs);
  const planFor = (wanted: WantedNarrowing): ConfigurationPlan =>
    planWebhookConfiguration(configuration, {
      ...served,
      ...bundles,
      ahead,
      nowMs,
      ...(wanted === undefined ? {} : { narrowing: wanted }),
    });
  const { update: exact, ignored, requeueAtMs } = planFor(narrowing);
  const requeuesAtMs = requeueAtMs === undefined ? [] : [requeueAtMs];
  const last = state.written[configuration.metadata.name];
  const { allowedAtMs, write } = brakeWrite(last, { basis: [bundles, narrowing, ahead], isUrgent: ahead.length > 0 }, nowMs);
  if (exact === undefined) {
    const release = ahead.length > 0 ? undefined : planRelease(configuration, fieldManager);
    if (release === undefined) return { ignored, narrowing, requeuesAtMs };
    if (release.dueAtMs > nowMs) return { ignored, narrowing, requeuesAtMs: [...requeuesAtMs, release.dueAtMs] };
    // It is no restore: `last` stays what is remembered.
    return { update: release.released, ignored, write: last ?? write, narrowing, requeuesAtMs };
  }
  if (allowedAtMs <= nowMs) return { update: exact, ignored, write, narrowing, requeuesAtMs };
  const braked = { ignored, narrowing, requeuesAtMs: [...requeuesAtMs, allowedAtMs] };
  if (isNarrowedAsIn(configuration, exact)) return braked;
  const { update: wider } = planFor(narrowing === undefined ? undefined : installersRules);
  return wider === undefined ? braked : { ...braked, update: wider, write };
}
