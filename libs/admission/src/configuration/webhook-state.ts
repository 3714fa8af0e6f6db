/**
 * What a replica knows about certificates, configurations and CRDs, and what it does next. Pure: the phase of the state says what to do, and an event
 * reports how that ended or what has changed.
 *
 *   Pause -> Obtain -> Install -> Write -> Pause                             the first authority, or the one that the server presents already
 *            Obtain -> Write (trust both) -> AwaitTrust -> Install -> Pause   a new authority
 *            Obtain -> Install -> Check -> Pause                              certificates from outside: nothing is written
 *
 * A failure leads from any phase to a pause with backoff. A change that is reported meanwhile ends the pause, or leaves it out.
 * @see spec/manager.md 4.6 to 4.8
 */
import type { KeyMaterial } from '../certificates/key-material.ts';
import { needIdentity, type NeedAhead } from '../narrowing/needs-ahead.ts';
import type { Narrowing } from '../narrowing/request-need.ts';
import { announced, installed, isReplacing, retiresAtMs, type BundleRotation } from './bundle-rotation.ts';
import type { BrakedWrite } from './pace/restore-brake.ts';
import { afterWrite } from './pace/write-pace.ts';

/** The needs that webhooks are narrowed to; `AsItIs` until they are known, undefined for the installer's rules. */
export type WantedNarrowing = Narrowing | 'AsItIs' | undefined;

/** The current activity of the replica. */
export type Phase =
  /** @property untilMs in milliseconds since the epoch */
  | { readonly kind: 'Pause'; readonly untilMs: number }
  | { readonly kind: 'Obtain' }
  /** Writes the files and passes the key pair to the server. */
  | { readonly kind: 'Install'; readonly material: KeyMaterial; readonly isLast: boolean }
  | { readonly kind: 'Check' }
  /** @property replacement is installed once it is trusted; @property narrowing the needs when the phase began */
  | { readonly kind: 'Write'; readonly replacement?: KeyMaterial; readonly narrowing: WantedNarrowing }
  /** Until every API server has noticed the written configurations. */
  | { readonly kind: 'AwaitTrust'; readonly replacement: KeyMaterial };

/** The conversion settings that CRDs were written for, and when. */
export interface WrittenConversions {
  readonly bundle: string;
  readonly atMs: number;
  readonly changes: number;
}

export interface WebhookState {
  readonly phase: Phase;
  /** Certificates come from outside: check, write nothing. */
  readonly external: boolean;
  /** Syncs in a row that failed. */
  readonly failures: number;
  /** Why the last sync failed; undefined after a success. */
  readonly lastError: Error | undefined;
  /** Whether one sync has succeeded since the start. */
  readonly initialised: boolean;
  /** Whether a change was reported since the last sync began. */
  readonly isWoken: boolean;
  /** When a sync is due, in milliseconds since the epoch; undefined when nothing but its regular time is known. */
  readonly requeueAtMs: number | undefined;
  /** Number of changes so far that CRDs may have to be written for. */
  readonly changes: number;
  readonly converted: WrittenConversions | undefined;
  readonly bundles: BundleRotation;
  readonly narrowing: WantedNarrowing;
  /** Needs that the API server did not accept. The installer's rules are used until they change. */
  readonly refused: Narrowing | undefined;
  /** The needs of the last sync that succeeded in writing. */
  readonly synced: WantedNarrowing;
  /** The last write of each configuration, by name. */
  readonly written: Readonly<Record<string, BrakedWrite>>;
  /** @see nextWriteAtMs */
  readonly widenedUntilMs: number;
}

/** The result of a phase. */
export type PhaseResult =
  | { readonly kind: 'Obtained'; readonly material: KeyMaterial; readonly nowMs: number }
  | { readonly kind: 'Done'; readonly nowMs: number }
  | { readonly kind: 'Failed'; readonly error: Error; readonly nowMs: number };

export type WebhookEvent =
  | PhaseResult
  | { readonly kind: 'NeedsChanged'; readonly narrowing: Narrowing }
  /** A configuration has changed, or something that CRDs depend on as well. */
  | { readonly kind: 'ObjectsChanged'; readonly definitions: boolean }
  | { readonly kind: 'RequeueWanted'; readonly atMs: number }
  /** @property isUrgent a caller waited for the write */
  | {
      readonly kind: 'ConfigurationWritten';
      readonly name: string;
      readonly write: BrakedWrite;
      readonly isUrgent: boolean;
      readonly nowMs: number;
    }
  | { readonly kind: 'NarrowingRefused'; readonly narrowing: Narrowing }
  | { readonly kind: 'DefinitionsWritten'; readonly conversions: WrittenConversions };

const betweenSyncsMs = 60_000;
const firstBackoffMs = 50;
const longestBackoffMs = 30_000;
const shortestPauseMs = 20;

/** Returns the state at the start; its pause is over. @param narrows whether webhooks are narrowed once their needs are known */
export const initialState = (external: boolean, narrows: boolean): WebhookState => ({
  phase: { kind: 'Pause', untilMs: 0 },
  external,
  failures: 0,
  lastError: undefined,
  initialised: false,
  isWoken: false,
  requeueAtMs: undefined,
  changes: 0,
  converted: undefined,
  bundles: {},
  narrowing: narrows && !external ? 'AsItIs' : undefined,
  refused: undefined,
  synced: undefined,
  written: {},
  widenedUntilMs: 0,
});

const begun = (state: WebhookState): WebhookState => ({ ...state, phase: { kind: 'Obtain' }, isWoken: false });

const paused = (state: WebhookState, untilMs: number): WebhookState =>
  state.isWoken ? begun(state) : { ...state, phase: { kind: 'Pause', untilMs } };

function failed(state: WebhookState, error: Error, nowMs: number): WebhookState {
  const failures = state.failures + 1;
  const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(failures, 12), longestBackoffMs);
  return paused({ ...state, failures, lastError: error }, nowMs + backoffMs);
}

function succeeded(state: WebhookState, nowMs: number): WebhookState {
  const soonest = Math.min(state.requeueAtMs ?? Infinity, retiresAtMs(state.bundles, nowMs) ?? Infinity);
  const untilMs = Math.min(Math.max(soonest, nowMs + shortestPauseMs), nowMs + betweenSyncsMs);
  return paused({ ...state, failures: 0, lastError: undefined, initialised: true }, untilMs);
}

/** Returns the state that checks or writes objects. Writes of this sync say when the next one is due. */
function synchronizing(state: WebhookState, replacement?: KeyMaterial): WebhookState {
  const { external, narrowing } = state;
  const write: Phase = replacement === undefined ? { kind: 'Write', narrowing } : { kind: 'Write', narrowing, replacement };
  return { ...state, requeueAtMs: undefined, phase: external ? { kind: 'Check' } : write };
}

/** A server that presents a certificate keeps presenting it until the new authority is trusted. */
function obtained(state: WebhookState, material: KeyMaterial, nowMs: number): WebhookState {
  const replaces = isReplacing(state.bundles, material.caCert) && !state.external;
  const next = { ...state, bundles: announced(state.bundles, material.caCert, nowMs) };
  return replaces ? synchronizing(next, material) : { ...next, phase: { kind: 'Install', material, isLast: false } };
}

function done(state: WebhookState, nowMs: number): WebhookState {
  const { phase } = state;
  switch (phase.kind) {
    case 'Pause':
      return begun(state);
    case 'Obtain':
      throw new Error('certificates were not obtained');
    case 'Install': {
      const next = { ...state, bundles: installed(state.bundles, phase.material.caCert) };
      return phase.isLast ? succeeded(next, nowMs) : synchronizing(next);
    }
    case 'Check':
      return succeeded(state, nowMs);
    case 'Write': {
      const { narrowing, replacement } = phase;
      const next = { ...state, synced: narrowing };
      return replacement === undefined ? succeeded(next, nowMs) : { ...next, phase: { kind: 'AwaitTrust', replacement } };
    }
    case 'AwaitTrust':
      return { ...state, phase: { kind: 'Install', material: phase.replacement, isLast: true } };
  }
}

/** Returns the state after the event. @throws Error for a `Done` of the phase `Obtain`, which ends with `Obtained` or `Failed` */
export function next(state: WebhookState, event: WebhookEvent): WebhookState {
  switch (event.kind) {
    case 'Obtained':
      return obtained(state, event.material, event.nowMs);
    case 'Done':
      return done(state, event.nowMs);
    case 'Failed':
      return failed(state, event.error, event.nowMs);
    case 'NeedsChanged':
      // Without effect where webhooks are not narrowed.
      return state.narrowing === undefined ? state : { ...state, narrowing: event.narrowing, refused: undefined, isWoken: true };
    case 'ObjectsChanged':
      return { ...state, isWoken: true, changes: state.changes + (event.definitions ? 1 : 0) };
    case 'RequeueWanted':
      return { ...state, requeueAtMs: Math.min(event.atMs, state.requeueAtMs ?? event.atMs) };
    case 'ConfigurationWritten': {
      const { name, write, isUrgent, nowMs } = event;
      const widenedUntilMs = isUrgent ? afterWrite(state.widenedUntilMs, nowMs) : state.widenedUntilMs;
      return { ...state, widenedUntilMs, written: { ...state.written, [name]: { ...write, atMs: nowMs } } };
    }
    case 'NarrowingRefused':
      return { ...state, refused: event.narrowing };
    case 'DefinitionsWritten':
      return { ...state, converted: event.conversions };
  }
}

/** Returns whether the need is among those that were written last. */
function isCovered({ lastError, narrowing, synced }: WebhookState, need: NeedAhead): boolean {
  const { webhook } = need;
  if (lastError !== undefined || narrowing === undefined || narrowing === 'AsItIs') return false;
  if (!Object.hasOwn(narrowing, webhook)) return true;
  return (
    narrowing === synced && (narrowing[webhook]?.needs ?? []).some((own) => needIdentity({ webhook, need: own }) === needIdentity(need))
  );
}

/** Returns whether a webhook must be widened for the need. Never before the server presents a certificate. */
export const isMissing = (state: WebhookState, need: NeedAhead): boolean =>
  state.narrowing !== undefined && state.bundles.serving !== undefined && !isCovered(state, need);

/**
 * Returns what CRDs have to be written for now; undefined when they were written for the same, less than a minute ago.
 *
 * @param bundle identifies the authorities that CRDs trust
 */
export function dueConversions({ changes, converted }: WebhookState, bundle: string, nowMs: number): WrittenConversions | undefined {
  const isSame = converted !== undefined && converted.bundle === bundle && converted.changes === changes;
  return isSame && converted.atMs > nowMs - betweenSyncsMs ? undefined : { bundle, atMs: nowMs, changes };
}
