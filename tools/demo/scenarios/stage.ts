/** What a scenario plays on, and how it waits: it shows what it sees and fails when the expected state does not come. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@kruise/kube';
import type { Progress } from '@kruise/testing';
import type { Picture, View } from '../view.ts';

const stepTimeoutMs = 180_000;
const pauseMs = 250;

/** The cluster did something else than the demo says. */
export class Unverified extends Error {
  override readonly name = 'Unverified';
}

/** The cluster and the terminal that the scenarios of one run share. */
export interface Stage {
  readonly client: Client;
  readonly progress: Progress;
  readonly view: View;
  readonly signal: AbortSignal;
}

/** How the state of one scenario is read, shown and explained. */
export interface Scene<T> {
  readonly observe: (stage: Stage) => Promise<T>;
  readonly picture: (seen: T) => Picture;
  /** The conditions that say why nothing happens. */
  readonly conditions: (seen: T) => readonly { readonly type: string; readonly message?: string }[];
}

/** @throws {Unverified} with `what` unless it holds */
export function verify(holds: boolean, what: string): void {
  if (!holds) throw new Unverified(`not as expected: ${what}`);
}

/** Observes and shows the state until `isReached`. @throws {Unverified} with the conditions when that takes longer than three minutes */
export async function waitFor<T>(stage: Stage, scene: Scene<T>, what: string, isReached: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + stepTimeoutMs;
  for (;;) {
    const seen = await scene.observe(stage);
    stage.view.show(scene.picture(seen));
    if (isReached(seen)) {
      stage.view.finish();
      return seen;
    }
    if (performance.now() > deadline) {
      const why = scene.conditions(seen).map(({ type, message }) => `${type}: ${message ?? ''}`);
      throw new Unverified(`${what}: not reached after ${stepTimeoutMs / 1000} s${why.length === 0 ? '' : ` (${why.join('; ')})`}`);
    }
    await sleep(pauseMs, undefined, { signal: stage.signal });
  }
}

/** Repeats `holds` until it does, without showing anything. @throws {Unverified} after three minutes */
export async function untilHolds({ signal }: Pick<Stage, 'signal'>, what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + stepTimeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Unverified(`${what}: not so after ${stepTimeoutMs / 1000} s`);
    await sleep(pauseMs, undefined, { signal });
  }
}
