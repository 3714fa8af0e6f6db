/** Checks at every write and every second of a generated run what a controller promises, and keeps the first promise that did not hold. */
import type { FakeWrite } from '@kruise/kube/testing';
import type { KubeObject } from '@kruise/objects';
import { carelessness } from '../module/controller-cluster.testing.ts';
import { OutageOracle, type Demand } from './outage-oracle.testing.ts';
import type { RefusedFixture } from './refused-run.testing.ts';
import type { Refusals } from './refusals.testing.ts';

/** Instances that are counted by themselves, such as those of one subset. */
export interface Part {
  readonly name: string;
  readonly demand: Demand;
  /** Instances that are available now. */
  readonly available: number;
}

/**
 * Refused calls in any minute. A refused kind of action on one object is tried after 1 s, 2 s and so on: 6 times in its first minute, and as often again
 * for a second kind of action, after a change of the specification and by another process. During an outage (5 s) the backoff of the owner applies.
 */
export interface RefusedCallsPerMinute {
  readonly total: number;
  /** Those that write one object, while users change the specification. */
  readonly whileChanged: number;
  /** Those that write one object, in a minute in which no user changes anything. */
  readonly afterChanges: number;
}
const usualBounds: RefusedCallsPerMinute = { total: 250, whileChanged: 60, afterChanges: 24 };
const minuteMs = 60_000;
/**
 * Creations of one object in a minute that find its name in use. While the news of a creation is late, for two seconds, each pass tries it again: with the
 * backoff of the owner (5 ms, 10 ms and so on) these are 8 passes, and a change by the user, the end of another Pod or a new process causes one more.
 */
const mostTaken = 12;

export class Observer<Change> {
  readonly #fixture: RefusedFixture<Change>;
  readonly #refusals: Refusals;
  readonly #oracles = new Map<string, OutageOracle>();
  /** Uids of what the manager has deleted; what others have deleted it may delete once more, as it may not have seen that yet. */
  readonly #deleted = new Set<string>();
  /** Names that were in use when the manager created an object, oldest first, with their times in milliseconds. */
  readonly #taken: { readonly at: number; readonly object: string }[] = [];
  #settledSince: number | undefined;
  #violation: string | undefined;

  constructor(fixture: RefusedFixture<Change>, refusals: Refusals) {
    this.#fixture = fixture;
    this.#refusals = refusals;
    fixture.cluster.api.onWrite((write) => {
      if (write.call.from === 'manager') this.look(write);
    });
  }

  /** Notes the first promise that does not hold; {@link check} throws it, as an error here would reach the controller as that of its call. */
  look(write?: FakeWrite): void {
    const { parts = [{ name: '', demand: this.#fixture.demand, available: this.#fixture.available }] } = this.#fixture;
    for (const part of parts) this.#count(part);
    if (write !== undefined) {
      this.#lookAtDeletion(write);
      this.#lookAtName(write);
    }
    const broken = this.#fixture.look?.(write) ?? [];
    if (broken.length > 0) this.#note(broken.join(', '));
  }

  /** @throws Error with the first promise that did not hold */
  check(): void {
    this.look();
    const bounds = { ...usualBounds, ...this.#fixture.refusedCallsPerMinute };
    const minuteAgo = this.#fixture.cluster.clock.now() - minuteMs;
    const { total } = this.#refusals.since(minuteAgo);
    if (total > bounds.total) this.#note(`${total} refused calls within a minute`);
    this.#checkObjects(minuteAgo, bounds.whileChanged);
    if (this.#settledSince !== undefined) this.#checkObjects(Math.max(minuteAgo, this.#settledSince), bounds.afterChanges);
    if (this.#violation !== undefined) throw new Error(this.#violation);
  }

  /** From now on users change nothing. */
  settle(): void {
    this.#settledSince = this.#fixture.cluster.clock.now();
  }

  fail(why: string): never {
    this.#note(why);
    throw new Error(this.#violation);
  }

  #checkObjects(since: number, most: number): void {
    for (const [object, count] of this.#refusals.since(since).byObject)
      if (count > most) this.#note(`${count} refused calls within a minute, not at most ${most}: ${object}`);
  }

  #count({ name, demand, available }: Part): void {
    const oracle = this.#oracles.get(name) ?? new OutageOracle();
    this.#oracles.set(name, oracle);
    const excess = oracle.look(demand, available);
    if (excess === 0) return;
    const of = name === '' ? '' : ` of ${name}`;
    this.#note(
      `${available} of ${demand.wanted} instances${of} are available with a budget of ${demand.budget}: ${excess} too many are out of service`,
    );
  }

  #lookAtDeletion({ call, before, refused }: FakeWrite): void {
    if (call.verb !== 'delete' || refused !== undefined) return;
    for (const careless of carelessness(call)) this.#note(careless);
    const uid = before?.metadata.uid ?? '';
    if (this.#deleted.has(uid)) this.#note(`${call.type?.kind} ${call.key.name} was deleted again`);
    this.#deleted.add(uid);
  }

  #lookAtName({ call, refused }: FakeWrite): void {
    if (refused?.failure.kind !== 'AlreadyExists') return;
    const { clock } = this.#fixture.cluster;
    const object = `${call.type?.kind} ${(call.body as KubeObject).metadata.name}`;
    this.#taken.push({ at: clock.now(), object });
    const count = this.#taken.filter((one) => one.object === object && one.at > clock.now() - minuteMs).length;
    if (count > mostTaken) this.#note(`${object} was created ${count} times within a minute while the name was in use`);
  }

  #note(why: string): void {
    const { cluster } = this.#fixture;
    this.#violation ??= [why, ...cluster.shown, ...cluster.conditions, ...cluster.timeline.text.split('\n').slice(-90)].join('\n');
  }
}
