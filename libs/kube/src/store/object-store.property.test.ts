/**
 * A server with one namespace, a watch that is late, repeats events and breaks, and own calls with late answers. In any order of these, no object
 * returns to an older state, listeners receive a possible sequence, and in the end the store equals the server.
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { configMaps, keyOf, type ConfigMap } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { FakeClock } from '../clock/fake-clock.ts';
import type { StoreEvent } from '../store.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { ObjectSharing } from './object-sharing.ts';
import { ObjectStore } from './object-store.ts';

const numRuns = casesOf(700, 20_000);

interface Change {
  readonly kind: 'put' | 'deleted';
  readonly version: number;
  readonly object: ConfigMap;
}

const names = ['a', 'b', 'c'];
const versionOf = (object: ConfigMap | undefined): number => Number(object?.metadata.resourceVersion ?? 0);

/** The true state of the server, as a list of changes. */
class SimulatedServer {
  version = 1;
  readonly history: Change[] = [];
  readonly objects = new Map<string, ConfigMap>();
  #uids = 0;

  put(name: string): ConfigMap {
    const uid = this.objects.get(name)?.metadata.uid ?? `uid-${name}-${++this.#uids}`;
    const object: ConfigMap = {
      metadata: { name, namespace: 'ns', uid, resourceVersion: String(++this.version) },
      data: { at: String(this.version) },
    };
    this.objects.set(name, object);
    this.history.push({ kind: 'put', version: this.version, object });
    return object;
  }

  remove(name: string): ConfigMap | undefined {
    const before = this.objects.get(name);
    if (before === undefined) return undefined;
    this.objects.delete(name);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(++this.version) } };
    this.history.push({ kind: 'deleted', version: this.version, object });
    return object;
  }
}

type Step =
  | { readonly kind: 'OtherPut' | 'OtherDelete' | 'OwnPut'; readonly name: string }
  | { readonly kind: 'OwnDelete'; readonly name: string; readonly answer: 'object' | 'status' }
  | { readonly kind: 'Answer'; readonly which: number }
  | { readonly kind: 'Watch'; readonly count: number }
  | { readonly kind: 'Repeat'; readonly count: number }
  | { readonly kind: 'EndList'; readonly pauses: readonly (readonly Step[])[] }
  | { readonly kind: 'BeginList' | 'GiveUpList' | 'Bookmark' };

const aName = fc.constantFrom(...names);
/** Steps of other clients and own calls, also while a list is being compared. */
const calls: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('OtherPut' as const, 'OtherDelete' as const, 'OwnPut' as const), name: aName }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('OwnDelete' as const),
      name: aName,
      answer: fc.constantFrom('object' as const, 'status' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Answer' as const), which: fc.nat(5) }) },
];
const aCall = fc.oneof(...calls);
const anEnd: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('EndList' as const),
  pauses: fc.array(fc.array(aCall, { maxLength: 4, size: 'max' }), { maxLength: 3, size: 'max' }),
});
const aStep: fc.Arbitrary<Step> = fc.oneof(
  ...calls,
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('Watch' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('Repeat' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: anEnd },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('BeginList' as const, 'BeginList' as const, 'GiveUpList' as const, 'Bookmark' as const) }),
  },
);

/** Changes that no watch shows, then a list that is compared with the held objects while answers arrive. */
const aRelist: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(aCall, { maxLength: 8, size: 'max' }), fc.array(aCall, { minLength: 2, maxLength: 8, size: 'max' }), anEnd)
  .map(([before, unseen, end]) => [...before, { kind: 'Watch', count: 9 }, ...unseen, { kind: 'BeginList' }, end]);

/** What the steps of all runs covered. */
const seen = new Occurrences();

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

class Run {
  readonly server = new SimulatedServer();
  readonly store: ObjectStore<ConfigMap>;
  /** How far the watch has been read. The list in progress holds the state at its beginning. */
  #watched = 0;
  #list:
    | {
        readonly version: number;
        readonly items: readonly ConfigMap[];
        readonly replacement: ReturnType<ObjectStore<ConfigMap>['beginReplacement']>;
      }
    | undefined;
  #answers: (() => void)[] = [];
  readonly #failures: unknown[] = [];
  /** What listeners know. */
  readonly #heard = new Map<string, ConfigMap>();
  readonly #newest = new Map<string, number>();
  /** Own writes and deletions that were answered: nothing older may be seen afterwards. */
  readonly #ownDeleted = new Set<string>();

  constructor() {
    this.store = new ObjectStore<ConfigMap>({
      type: configMaps,
      clock: new FakeClock(),
      logger: silentLogger(),
      sharing: new ObjectSharing(16),
    });
    // The store catches what listeners throw, so it is kept for the end.
    this.store.subscribe((event) => {
      try {
        this.#hear(event);
      } catch (error) {
        this.#failures.push(error);
      }
    });
  }

  async do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'OtherPut':
        this.server.put(step.name);
        return;
      case 'OtherDelete':
        this.server.remove(step.name);
        return;
      case 'OwnPut': {
        const answer = copy(this.server.put(step.name));
        this.#answers.push(() => this.#ownPut(answer));
        return;
      }
      case 'OwnDelete':
        return this.#ownDelete(step.name, step.answer);
      case 'Answer':
        this.#answers.splice(step.which % Math.max(1, this.#answers.length), 1).forEach((take) => take());
        return;
      case 'Watch':
        return this.watch(step.count);
      case 'Repeat':
        if (this.#list === undefined) this.#show(this.server.history.filter(({ version }) => version <= this.#watched).slice(-step.count));
        return;
      case 'Bookmark':
        if (this.#list === undefined && this.#isCaughtUp()) this.store.advance(String(this.server.version));
        return;
      case 'EndList':
        return this.endList(step.pauses);
      case 'GiveUpList':
        this.#list = undefined;
        return;
      default:
        this.beginList();
    }
  }

  /** Returns the store after all pending events and answers have arrived. */
  async comeToRest(): Promise<void> {
    for (const take of this.#answers.splice(0)) take();
    if (this.#list !== undefined) await this.endList();
    this.watch(this.server.history.length);
    expect(this.#failures).toEqual([]);
    const held = this.store.list({ sorted: true });
    const truth = [...this.server.objects.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(held).toEqual(truth);
    expect([...this.#heard.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))).toEqual(truth);
  }

  watch(count: number): void {
    if (this.#list !== undefined) return;
    const next = this.server.history.filter(({ version }) => version > this.#watched).slice(0, count);
    this.#watched = next.at(-1)?.version ?? this.#watched;
    this.#show(next);
  }

  beginList(): void {
    const { version, objects } = this.server;
    this.#list = { version, items: copy([...objects.values()]), replacement: this.store.beginReplacement() };
    // The first item arrives immediately, the rest when the list ends.
    for (const item of this.#list.items.slice(0, 1)) this.#list.replacement.add(item);
  }

  /**
   * Ends the list.
   *
   * @param pauses the steps of each pause that the comparison makes, in order
   */
  async endList(pauses: readonly (readonly Step[])[] = []): Promise<void> {
    if (this.#list === undefined) return;
    const { version, items, replacement } = this.#list;
    seen.note('a list is older than the last change', version < this.server.version);
    this.#list = undefined;
    for (const item of items.slice(1)) replacement.add(item);
    const waiting = [...pauses];
    await replacement.finish(String(version), () => {
      const steps = waiting.shift();
      return steps === undefined ? undefined : this.#during(steps);
    });
    this.#watched = version;
  }

  async #during(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      seen.note('an answer comes while a list is compared', step.kind === 'Answer' && this.#answers.length > 0);
      await this.do(step);
    }
  }

  #isCaughtUp(): boolean {
    return this.#watched === (this.server.history.at(-1)?.version ?? 0);
  }

  #show(changes: readonly Change[]): void {
    for (const { kind, object } of changes) {
      if (kind === 'put') this.store.observeWatched(copy(object));
      else this.store.observeDeleted(copy(object));
    }
  }

  #ownPut(answer: ConfigMap): void {
    seen.note('an answer comes that is older than what is held', versionOf(this.store.get(keyOf(answer))) > versionOf(answer));
    this.store.observe(answer);
    const held = this.store.get(keyOf(answer));
    if (held !== undefined) expect(versionOf(held)).toBeGreaterThanOrEqual(versionOf(answer));
  }

  #ownDelete(name: string, answer: 'object' | 'status'): void {
    const target = { namespace: 'ns', name };
    const heldUid = this.store.get(target)?.metadata.uid;
    const last = this.server.remove(name);
    if (last === undefined) {
      if (heldUid !== undefined) this.#answers.push(() => this.#notFound(target, heldUid));
      return;
    }
    const uid = answer === 'object' ? last.metadata.uid : heldUid;
    this.#answers.push(() => {
      if (uid === undefined) return;
      seen.note('an object of the same name is there when a deletion is answered', this.server.objects.has(name));
      this.store.observeDeletion(target, uid, answer === 'object' ? (last.metadata.resourceVersion ?? '') : '');
      expect(this.store.get(target)?.metadata.uid).not.toBe(uid);
      this.#ownDeleted.add(uid);
    });
  }

  #notFound(target: ReturnType<typeof keyOf>, uid: string): void {
    seen.note('what is held is not found', this.store.get(target)?.metadata.uid === uid);
    this.store.observeAbsence(target, uid);
    expect(this.store.get(target)?.metadata.uid).not.toBe(uid);
  }

  #hear(event: StoreEvent<ConfigMap>): void {
    const { name, uid = '' } = event.object.metadata;
    seen.note(event.kind);
    const before = this.#heard.get(name);
    if (event.kind === 'Deleted') {
      expect(before).toBe(event.object);
      this.#heard.delete(name);
      return;
    }
    if (event.kind === 'Updated') {
      expect(before).toBe(event.previous);
      expect(event.previous.metadata.uid).toBe(uid);
    } else expect(before).toBeUndefined();
    expect(versionOf(event.object)).toBeGreaterThan(this.#newest.get(uid) ?? 0);
    this.#newest.set(uid, versionOf(event.object));
    expect(this.#ownDeleted.has(uid)).toBe(false);
    this.#heard.set(name, event.object);
  }
}

describe('the store', () => {
  afterAll(() => {
    seen.expectAtLeast({
      Added: numRuns,
      Updated: numRuns / 2,
      Deleted: numRuns / 2,
      'an answer comes that is older than what is held': numRuns / 10,
      'an object of the same name is there when a deletion is answered': numRuns / 10,
      'a list is older than the last change': numRuns / 7,
      'an answer comes while a list is compared': numRuns / 14,
      'what is held is not found': numRuns / 40,
    });
  });

  it('never returns to an older state and equals the server in the end, whatever is late, repeated or missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const run = new Run();
        for (const step of steps) await run.do(step);
        await run.comeToRest();
      }),
      { numRuns },
    );
  });

  it('equals the server in the end when answers arrive while a list is compared with the held objects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aRelist, { minLength: 1, maxLength: 4, size: 'max' }), async (relists) => {
        const run = new Run();
        for (const step of relists.flat()) await run.do(step);
        await run.comeToRest();
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });
});
