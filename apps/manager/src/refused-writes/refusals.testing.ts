/**
 * Writes of a controller that the API server refuses or whose answer is lost: a policy or webhook that rejects them, a quota, an outage. A refusal
 * applies to one verb on one resource of one slot (a node, an ordinal, an instance) or of all slots; once, for five seconds or until the recovery.
 */
import { ApiError } from '@kruise/kube';
import type { ConnectionFaults, FakeCall, FakeClock } from '@kruise/kube/testing';
import { milliseconds, type KubeObject, type ResourceType } from '@kruise/objects';
import fc from 'fast-check';

/** How many slots a fixture distinguishes. */
export const slotCount = 3;

const answers = {
  Forbidden: () => new ApiError('denied by policy', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' }),
  Invalid: () => new ApiError('refused by webhook', { kind: 'Invalid', causes: [] }, { code: 422, reason: 'Invalid' }),
  TooManyRequests: () =>
    new ApiError('slow down', { kind: 'TooManyRequests', retryAfter: milliseconds(1000) }, { code: 429, reason: 'TooManyRequests' }),
  ServerError: () => new ApiError('failed calling webhook', { kind: 'ServerError', status: 500 }, { code: 500, reason: 'InternalError' }),
  Unreachable: () => new ApiError('connection reset', { kind: 'Unreachable', cause: undefined }),
};

export interface Refusal {
  /** `change` is a patch or an update. */
  readonly verb: 'create' | 'change' | 'delete';
  /** Plural name of the resource. */
  readonly resource: string;
  readonly subresource: '' | 'status';
  /** 0 to {@link slotCount} - 1, or all of them. */
  readonly slot: number | 'all';
  /** `LostAnswer`: the server carries the write out, and the controller sees a broken connection. */
  readonly answer: keyof typeof answers | 'LostAnswer';
  readonly duration: 'once' | 'brief' | 'lasting';
}

/** What is done with a connection on which the answer to a creation is lost. */
export interface LostConnection {
  /** The news of the kind that is created come late from now on. */
  hold(type: ResourceType): void;
  /** All news are there again. */
  release(): void;
}

const briefMs = 5000;
/** How long the news of a kind are late after the answer to a creation was lost. */
const lateMs = 2000;
const verbs: Partial<Record<FakeCall['verb'], Refusal['verb']>> = { create: 'create', update: 'change', patch: 'change', delete: 'delete' };

/** Outages, which end: no API server answers some objects and leaves the others without an answer permanently. */
const noAnswers: readonly Refusal['answer'][] = ['Unreachable', 'LostAnswer'];

type RefusedWrite = Pick<Refusal, 'verb' | 'subresource'>;

const allWrites: readonly RefusedWrite[] = [
  { verb: 'create', subresource: '' },
  { verb: 'change', subresource: '' },
  { verb: 'change', subresource: 'status' },
  { verb: 'delete', subresource: '' },
];

/** What of a controller's writes is refused. */
export interface Refusable {
  /** Plurals of what most writes are refused of; Pods by default. */
  readonly mostly?: readonly string[];
  /** Writes that are refused as often as all those of `mostly` together. */
  readonly often?: readonly (RefusedWrite & Pick<Refusal, 'resource'>)[];
  readonly writes?: readonly RefusedWrite[];
  /** Plurals of what else it writes. */
  readonly resources: readonly string[];
}

export function refusalOf({ mostly = ['pods'], writes = allWrites, often = [], resources }: Refusable): fc.Arbitrary<Refusal> {
  const usual = fc
    .record({
      write: fc.constantFrom(...writes),
      resource: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...mostly) },
        { weight: 1, arbitrary: fc.constantFrom(...mostly, ...resources) },
      ),
    })
    .map(({ write, resource }) => ({ ...write, resource }));
  return fc
    .record({
      write: often.length === 0 ? usual : fc.oneof(usual, fc.constantFrom(...often)),
      slot: fc.oneof({ weight: 2, arbitrary: fc.nat({ max: slotCount - 1 }) }, { weight: 1, arbitrary: fc.constant('all' as const) }),
      answer: fc.constantFrom<Refusal['answer']>('Forbidden', 'Invalid', 'TooManyRequests', 'ServerError', 'Unreachable', 'LostAnswer'),
      duration: fc.constantFrom<Refusal['duration']>('once', 'brief', 'lasting', 'lasting'),
    })
    .map(({ write, slot, answer, duration }) => ({
      ...write,
      slot,
      answer,
      duration: duration === 'lasting' && noAnswers.includes(answer) ? 'brief' : duration,
    }));
}

const objectOf = ({ verb, type, subresource, key, body }: FakeCall): string =>
  `${verb} ${type?.plural}/${subresource} ${key.name === '' ? (body as KubeObject).metadata.name : key.name}`;

/** A policy that refuses a write of one slot until the recovery. */
export const lastingRefusalOf = (kind: Refusable): fc.Arbitrary<Refusal> =>
  fc
    .record({ refusal: refusalOf(kind), slot: fc.nat({ max: slotCount - 1 }) })
    .map(({ refusal, slot }) => ({ ...refusal, slot, answer: 'Forbidden', duration: 'lasting' }));

/** The refusals that are in force, as faults of a controller's connection. */
export class Refusals implements Required<ConnectionFaults> {
  /** The slot of the object that a call writes; undefined for an object that belongs to no slot. */
  readonly slotOf: (call: FakeCall) => number | undefined;
  readonly #clock: Pick<FakeClock, 'now'>;
  #inForce: { readonly refusal: Refusal; readonly until: number }[] = [];
  readonly #connection: LostConnection | undefined;
  /** Until when news come late. */
  #lateUntil: number | undefined;
  /** Every refused call, oldest first, with its time in milliseconds. */
  readonly #refused: { readonly at: number; readonly object: string }[] = [];

  /** @param connection absent: news are never late */
  constructor(clock: Pick<FakeClock, 'now'>, slotOf: (call: FakeCall) => number | undefined, connection?: LostConnection) {
    this.#connection = connection;
    this.#clock = clock;
    this.slotOf = slotOf;
  }

  add(refusal: Refusal): void {
    this.#inForce.push({ refusal, until: refusal.duration === 'brief' ? this.#clock.now() + briefMs : Infinity });
  }

  clear(): void {
    this.#inForce = [];
  }

  /** Slots with a refusal that lasts; all of them when one applies to all. */
  get lasting(): ReadonlySet<number> {
    const slots = this.#inForce.filter(({ refusal }) => refusal.duration === 'lasting').map(({ refusal }) => refusal.slot);
    return new Set(slots.flatMap((slot) => (slot === 'all' ? Array.from({ length: slotCount }, (_, index) => index) : [slot])));
  }

  /** How many calls were refused so far. */
  get count(): number {
    return this.#refused.length;
  }

  /** Whether such writes are refused until the recovery, of at least one object. */
  isLasting({ verb, resource, subresource }: Pick<Refusal, 'verb' | 'resource' | 'subresource'>): boolean {
    return this.#inForce.some(
      ({ refusal: held }) =>
        held.duration === 'lasting' && held.verb === verb && held.resource === resource && held.subresource === subresource,
    );
  }

  /** Whether creations are refused until the recovery, of at least one object of any kind. */
  get isCreationRefused(): boolean {
    return this.#inForce.some(({ refusal }) => refusal.duration === 'lasting' && refusal.verb === 'create');
  }

  /** Whether any call that writes the object was refused so far. */
  hasRefused(resource: string, name: string): boolean {
    return this.#refused.some(({ object }) => object.includes(` ${resource}/`) && object.endsWith(` ${name}`));
  }

  /** Calls that were refused after `time`, by what they write. */
  since(time: number): { readonly total: number; readonly byObject: ReadonlyMap<string, number> } {
    const byObject = new Map<string, number>();
    let total = 0;
    for (let index = this.#refused.length - 1; index >= 0; index--) {
      const { at, object } = this.#refused[index] ?? { at: 0, object: '' };
      if (at <= time) break;
      byObject.set(object, (byObject.get(object) ?? 0) + 1);
      total++;
    }
    return { total, byObject };
  }

  readonly before = (call: FakeCall): void => {
    this.#refuse(call, (answer) => (answer === 'LostAnswer' ? undefined : answers[answer]()));
    if (call.type === undefined || this.#connection === undefined) return;
    if (
      !this.#inForce.some(
        ({ refusal, until }) => refusal.answer === 'LostAnswer' && until >= this.#clock.now() && this.#applies(refusal, call),
      )
    )
      return;
    this.#connection.hold(call.type);
    this.#lateUntil ??= this.#clock.now() + lateMs;
  };

  /** Called every second: late news arrive once their time has come. */
  passOnNews(): void {
    if (this.#lateUntil === undefined || this.#lateUntil > this.#clock.now()) return;
    this.#lateUntil = undefined;
    this.#connection?.release();
  }

  /** Only the loss of an answer makes news late for longer: a call that the server refused changed nothing. */
  readonly after = (call: FakeCall): void =>
    this.#refuse(call, (answer) => {
      if (answer !== 'LostAnswer') return undefined;
      if (this.#lateUntil !== undefined) this.#lateUntil = this.#clock.now() + lateMs;
      return answers.Unreachable();
    });

  #refuse(call: FakeCall, errorOf: (answer: Refusal['answer']) => Error | undefined): void {
    for (const entry of this.#inForce) {
      const { refusal, until } = entry;
      if (until < this.#clock.now() || !this.#applies(refusal, call)) continue;
      const error = errorOf(refusal.answer);
      if (error === undefined) continue;
      if (refusal.duration === 'once') this.#inForce = this.#inForce.filter((other) => other !== entry);
      this.#refused.push({ at: this.#clock.now(), object: objectOf(call) });
      throw error;
    }
  }

  #applies({ verb, resource, subresource, slot }: Refusal, call: FakeCall): boolean {
    if (verbs[call.verb] !== verb || call.type?.plural !== resource || call.subresource !== subresource) return false;
    return slot === 'all' || this.slotOf(call) === slot;
  }
}
