/**
 * Runs in which users evict, delete and update Pods at the same time through two replicas of the webhook, while calls are slow, caches lag,
 * controllers are killed or run in parallel, and Pods return under their old names. Voluntary operations never leave fewer available Pods than the
 * budget requires.
 */
import { describe, expect, it } from '@jest/globals';
import { milliseconds, pods, type Pod } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { ControllerProcess } from '../../../module/controller-process.testing.ts';
import { availability } from '@kruise/kinds/podunavailablebudget';
import { BudgetCluster, relatedPub, toImage, type Answer, type WebhookReplica } from '../cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates minutes. */
const numRuns = casesOf(40);

const count = 6;
const isAvailable = availability({ InPlaceWorkloadVerticalScaling: false });

type Act = { readonly pod: number; readonly replica: number; readonly how: 'Evict' | 'Delete' | 'Update' | 'Resize' };
type Step =
  | { readonly kind: 'Acts'; readonly acts: readonly Act[] }
  /** All Pods that are missing come back under their names, not ready yet. */
  | { readonly kind: 'ComeBack' }
  /** All Pods become ready. */
  | { readonly kind: 'Heal' }
  | { readonly kind: 'Blind' | 'See' | 'Kill' | 'Rival' };

interface Run {
  readonly limit: number;
  /** How long each call of a replica takes, in turn. */
  readonly delays: readonly number[];
  readonly steps: readonly { readonly step: Step; readonly ms: number }[];
}

const act: fc.Arbitrary<Act> = fc.record({
  pod: fc.nat({ max: count - 1 }),
  replica: fc.nat({ max: 1 }),
  how: fc.constantFrom('Evict', 'Delete', 'Update', 'Resize'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('Acts' as const), acts: fc.array(act, { minLength: 1, maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'ComeBack' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'Heal' }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'Blind' }, { kind: 'See' }, { kind: 'Kill' }, { kind: 'Rival' }) },
);
const run: fc.Arbitrary<Run> = fc.record({
  limit: fc.integer({ min: 0, max: 3 }),
  delays: fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 7 }),
  steps: fc.array(fc.record({ step, ms: fc.constantFrom(0, 10, 300, 2000, 9000, 30_000) }), { minLength: 1, maxLength: 12, size: 'max' }),
});

/** Records the answers to users, and the state of the Pods. */
class RecordedRun {
  readonly cluster = new BudgetCluster();
  readonly broken: string[] = [];
  readonly seen = new Map<string, number>();
  readonly #replicas: WebhookReplica[] = [];
  readonly #managers: ControllerProcess[] = [];
  readonly #pending: Promise<void>[] = [];
  readonly #desired: number;
  #isBlind = false;

  constructor(limit: number) {
    this.#desired = count - limit;
    this.cluster.deployment('web', count);
    this.cluster.pods('web', count);
    this.cluster.budget({ maxUnavailable: limit, ignoredPodSelector: { matchLabels: { ignored: 'yes' } } });
    this.#managers.push(this.cluster.begin());
  }

  async begin(delays: readonly number[]): Promise<void> {
    let calls = 0;
    const slow = (): Promise<void> => this.cluster.clock.sleep(milliseconds(delays[calls++ % delays.length] ?? 0));
    await this.cluster.clock.step(2000);
    for (let i = 0; i < 2; i++) {
      const faults = { before: ({ verb }: { verb: string }) => (verb === 'watch' || verb === 'list' ? undefined : slow()), after: slow };
      this.#replicas.push(await this.cluster.replica({ faults }));
    }
    await this.cluster.clock.step(2000);
  }

  note(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  /** Whether there are as many available Pods as there must be. */
  look(after: string): void {
    const available = this.cluster.podList.filter(isAvailable).length;
    if (available < this.#desired) this.broken.push(`${available} of ${this.#desired} after ${after}`);
  }

  async #act({ pod, replica: which, how }: Act): Promise<void> {
    const name = `web-${pod}`;
    const replica = this.#replicas[which];
    const before = this.cluster.getPod(name);
    if (replica === undefined || before === undefined) return;
    const answer = await this.#ask(name, how, replica);
    this.note(`${how} ${isAvailable(before) ? 'available' : 'other'} ${answer.code}`);
    if (answer.code === 200) this.look(`${how} ${name}`);
  }

  async #ask(name: string, how: Act['how'], replica: WebhookReplica): Promise<Answer> {
    if (how === 'Evict') return this.cluster.evict(name, replica);
    if (how === 'Delete') return this.cluster.delete(name, replica);
    const change =
      how === 'Update'
        ? toImage(`app:${this.cluster.clock.now()}`)
        : (pod: Pod): Pod => ({
            ...pod,
            spec: {
              ...pod.spec,
              containers: [
                {
                  name: 'main',
                  image: pod.spec.containers[0]?.image ?? '',
                  resources: { requests: { cpu: `${this.cluster.clock.now()}` } },
                },
              ],
            },
          });
    const answer = await this.cluster.update(name, change, replica);
    const held = this.cluster.getPod(name);
    if (answer.code === 200 && held !== undefined) this.#setReady(held, false);
    return answer;
  }

  #setReady(pod: Pod, ready: boolean): void {
    const conditions = (pod.status?.conditions ?? []).map((one) =>
      one.type === 'Ready' ? { ...one, status: ready ? 'True' : 'False' } : one,
    );
    this.cluster.api.seed(pods, { ...pod, status: { ...pod.status, conditions } });
  }

  #comeBack(): void {
    for (let i = 0; i < count; i++)
      if (this.cluster.getPod(`web-${i}`) === undefined)
        this.cluster.pod(`web-${i}`, 'web', { ready: false, annotations: { [relatedPub]: 'b' } });
  }

  async take({ kind, ...more }: Step): Promise<void> {
    switch (kind) {
      case 'Acts':
        for (const one of 'acts' in more ? more.acts : []) this.#pending.push(this.#act(one));
        return;
      case 'ComeBack':
        return this.#comeBack();
      case 'Heal':
        for (const pod of this.cluster.podList) this.#setReady(pod, true);
        return;
      case 'Blind':
        this.#isBlind = true;
        return this.cluster.api.holdWatches();
      case 'See':
        this.#isBlind = false;
        return this.cluster.api.releaseWatches();
      case 'Kill':
        await this.#managers.pop()?.stop();
        this.#managers.push(this.cluster.begin());
        return;
      case 'Rival':
        if (this.#managers.length < 3) this.#managers.push(this.cluster.begin());
    }
  }

  /** Waits until every request is answered and all faults have ended. */
  async end(): Promise<readonly (number | undefined)[]> {
    if (this.#isBlind) this.cluster.api.releaseWatches();
    await this.cluster.clock.step(60_000);
    await Promise.all(this.#pending);
    this.#comeBack();
    for (const pod of this.cluster.podList) this.#setReady(pod, true);
    for (let i = 0; i < 4; i++) await this.cluster.clock.step(20_000);
    const numbers = this.cluster.numbers();
    for (const one of this.#managers) await one.stop();
    await this.cluster.stop();
    return numbers;
  }
}

async function carryOut({ limit, delays, steps }: Run): Promise<RecordedRun & { readonly numbers: readonly (number | undefined)[] }> {
  const run = new RecordedRun(limit);
  await run.begin(delays);
  for (const { step: next, ms } of steps) {
    await run.take(next);
    await run.cluster.clock.step(ms);
    run.look(next.kind);
  }
  return Object.assign(run, { numbers: await run.end() });
}

describe('a budget, whatever happens at the same time', () => {
  it('is never overdrawn, and whole in the end', async () => {
    const occurrences = new Occurrences();
    await fc.assert(
      fc.asyncProperty(run, async (one) => {
        const { broken, numbers, seen } = await carryOut(one);
        for (const what of seen.keys()) occurrences.note(what);
        expect(broken).toEqual([]);
        expect(numbers).toEqual([count, count - one.limit, count, one.limit]);
      }),
      { numRuns },
    );
    const least = Math.ceil(numRuns / 20);
    occurrences.expectAtLeast({
      ...Object.fromEntries(['Evict', 'Delete', 'Update', 'Resize'].map((how) => [`${how} available 200`, least])),
      'Evict available 429': least,
      'Delete available 403': least,
    });
  });

  const acts = (pod: number, replica: number, how: Act['how'] = 'Evict'): Step => ({ kind: 'Acts', acts: [{ pod, replica, how }] });
  const after = (ms: number, ...steps: readonly Step[]): Run['steps'] => steps.map((one) => ({ step: one, ms }));
  const kinds = (...all: readonly ('ComeBack' | 'Heal' | 'Blind' | 'Kill')[]): readonly Step[] => all.map((kind) => ({ kind }));

  it('the record of a Pod lets its successor of the same name go in no cache', async () => {
    const whileBlind = kinds('Blind', 'Kill', 'ComeBack', 'Heal', 'Kill');
    const steps = [...after(40, acts(0, 0)), ...after(700, ...whileBlind, acts(1, 1), acts(0, 0))];
    const { broken, seen } = await carryOut({ limit: 1, delays: [5], steps });
    expect([broken, seen.get('Evict available 200'), seen.get('Evict available 429')]).toEqual([[], 2, 1]);
  });

  it('a deleted Pod is not counted again when a cache still contains it', async () => {
    const run = new RecordedRun(1);
    await run.begin([5]);
    const { cluster } = run;
    const [first, second] = [await cluster.replica(), await cluster.replica()];
    expect(await first.ask({ operation: 'DELETE', name: 'web-0', oldObject: cluster.getPod('web-0')! })).toMatchObject({ code: 200 });
    await cluster.clock.step(1000);
    cluster.api.holdWatches();
    await cluster.remove('web-0');
    await cluster.clock.step(40_000);
    const late = cluster.evict('web-1', second);
    await cluster.clock.step(5000);
    expect(await late).toMatchObject({ code: 429 });
    run.look('the eviction');
    expect(run.broken).toEqual([]);
    cluster.api.releaseWatches();
    await run.end();
  });
});
