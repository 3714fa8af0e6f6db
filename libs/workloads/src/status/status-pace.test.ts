import { describe, expect, it } from '@jest/globals';
import { instant, type Instant } from '@kruise/objects';
import { StatusPace } from './status-pace.ts';

interface Status {
  readonly observedGeneration: number;
  readonly ready: number;
  readonly replicas: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

const status = (ready: number, over: Partial<Status> = {}): Status => ({ observedGeneration: 1, replicas: 3, ready, ...over });
const blocked = (message: string, type = 'Blocked'): Partial<Status> => ({ conditions: [{ type, status: 'True', message }] });
const at = (ms: number): Instant => instant(Date.UTC(2026, 0, 1) + ms);
const held = (one: Status | undefined) => ({ metadata: { name: 'web', uid: 'a' }, ...(one === undefined ? {} : { status: one }) });

const newPace = (readsCounters = false): StatusPace<Status> =>
  new StatusPace<Status>({
    withoutNumbers: ({ ready: _ready, replicas: _replicas, ...rest }) => rest,
    isSettled: ({ ready, replicas }) => ready === replicas,
    readsCounters: () => readsCounters,
  });

type Write = readonly [ms: number, held: Status | undefined, next: Status, isFailed?: boolean];
const waits = (writes: readonly Write[], pace = newPace()): readonly number[] =>
  writes.map(([ms, before, next, isFailed = false]) => pace.wait(held(before), next, { now: at(ms), isFailed }));

describe('a status in which only counters have changed', () => {
  it('is written when they have been gathered for half a second, with what they are then', () => {
    const writes: Write[] = [0, 200, 499, 500, 600].map((ms) => [ms, status(0), status(1)]);
    expect(waits(writes)).toEqual([500, 300, 1, 0, 500]);
  });

  it('is written at once when every Pod is there, updated and available', () => {
    expect(waits([[0, status(2), status(3)]])).toEqual([0]);
  });

  it('is written at once in a pass that was refused something', () => {
    expect(waits([[0, status(0), status(1), true]])).toEqual([0]);
  });

  it('is written at once where the next pass reads them', () => {
    expect(waits([[0, status(0), status(1)]], newPace(true))).toEqual([0]);
  });

  it('begins to gather again after it was the same as the one that is written', () => {
    const pace = newPace();
    expect(waits([[0, status(0), status(1)]], pace)).toEqual([500]);
    pace.rest('a');
    expect(waits([[400, status(0), status(2)]], pace)).toEqual([500]);
  });

  it('is left to the backoff after its write was refused, until it needs no write any more', () => {
    const pace = newPace();
    expect(
      waits(
        [
          [0, status(0), status(1)],
          [500, status(0), status(1)],
        ],
        pace,
      ),
    ).toEqual([500, 0]);
    pace.refused('a');
    expect(waits([[510, status(0), status(1)]], pace)).toEqual([0]);
    pace.refused('a');
    pace.rest('a');
    expect(waits([[600, status(0), status(1)]], pace)).toEqual([500]);
  });

  it('does not wait longer when the clock is set back', () => {
    expect(
      waits([
        [60_000, status(0), status(1)],
        [0, status(0), status(1)],
      ]),
    ).toEqual([500, 0]);
  });

  it('is forgotten with the object', () => {
    const pace = newPace();
    waits([[0, status(0), status(1)]], pace);
    pace.forget('a');
    expect(waits([[400, status(0), status(1)]], pace)).toEqual([500]);
  });

  it('takes a counter that is absent for 0', () => {
    const { ready: _none, ...absent } = status(0);
    expect(
      waits([
        [0, { ...absent, ...blocked('one') } as Status, status(0, blocked('two'))],
        [1, { ...absent, ...blocked('two') } as Status, status(0, blocked('one'))],
      ]),
    ).toEqual([0, 9999]);
  });
});

describe('a status in which the words of a condition have changed', () => {
  it('is written at once the first time, and then every ten seconds', () => {
    expect(
      waits([
        [0, status(0, blocked('one')), status(0, blocked('two'))],
        [4000, status(0, blocked('two')), status(0, blocked('one'))],
        [10_000, status(0, blocked('two')), status(0, blocked('one'))],
        [11_000, status(0, blocked('one')), status(0, blocked('two'))],
      ]),
    ).toEqual([0, 6000, 0, 9000]);
  });

  it('waits for its counters only, when they have changed as well', () => {
    expect(
      waits([
        [0, status(0, blocked('one')), status(0, blocked('two'))],
        [1000, status(0, blocked('two')), status(1, blocked('one'))],
      ]),
    ).toEqual([0, 500]);
  });
});

describe('a status is written at once', () => {
  it.each<[string, Status | undefined, Status]>([
    ['the first time', undefined, status(1)],
    ['when the spec was observed', status(0), status(1, { observedGeneration: 2 })],
    ['when a condition is set', status(0), status(1, blocked('one'))],
    ['when a condition is removed', status(0, blocked('one')), status(1)],
    ['when Progressing says another thing', status(0, blocked('one', 'Progressing')), status(0, blocked('two', 'Progressing'))],
  ])('%s', (_name, before, next) => {
    const pace = newPace();
    const words = [status(0, blocked('one')), status(0, blocked('two'))] as const;
    expect(
      waits(
        [
          [0, ...words],
          [1, before, next],
        ],
        pace,
      ),
    ).toEqual([0, 0]);
  });
});
