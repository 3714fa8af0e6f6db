import { describe, expect, it } from '@jest/globals';
import type { ContainerProbeState, NodePodProbe } from '@kruise/api';
import { deepFreeze, instant, milliseconds } from '@kruise/objects';
import { isNews, planStatus, planTakeover, probeKey, type ProbeResult } from './plan-status.ts';
import { cutMessage, failed, succeeded } from './probe-outcome.ts';
import { countRun, isDecided, noRuns } from './run-counter.ts';

const now = instant(Date.UTC(2026, 0, 1, 0, 0, 10));
const at = instant(Date.UTC(2026, 0, 1, 0, 0, 9));
const result = (over: Partial<ProbeResult> = {}): ProbeResult => ({
  namespace: 'shop',
  pod: 'x',
  uid: 'u',
  probe: 'm#p',
  state: 'Succeeded',
  message: 'ok',
  at,
  ...over,
});
const list = (probes: readonly string[], states: readonly object[] = []): NodePodProbe =>
  deepFreeze({
    metadata: { name: 'n' },
    spec: {
      podProbes: [
        { namespace: 'shop', name: 'x', uid: 'u', IP: '', probes: probes.map((name) => ({ name, containerName: 'main', probe: {} })) },
      ],
    },
    ...(states.length === 0 ? {} : { status: { podProbeStatuses: [{ namespace: 'shop', name: 'x', uid: 'u', probeStates: states }] } }),
  }) as unknown as NodePodProbe;
const state = (over: object = {}) => ({
  name: 'm#p',
  state: 'Succeeded',
  lastProbeTime: '2026-01-01T00:00:09Z',
  lastTransitionTime: '2026-01-01T00:00:01Z',
  message: 'ok',
  ...over,
});
const planned = (given: NodePodProbe, results: readonly ProbeResult[], when: typeof now, unshown: readonly string[] = []) =>
  planStatus(given, { results, unshown: new Set(unshown.map((probe) => probeKey('u', probe))) }, when);
const statesOf = (...given: Parameters<typeof planned>) => planned(...given).statuses.flatMap(({ probeStates }) => probeStates);

describe('planStatus', () => {
  it('adds a result with the time of its transition', () => {
    expect(planned(list(['m#p']), [result()], now)).toEqual({
      statuses: [{ namespace: 'shop', name: 'x', uid: 'u', probeStates: [state({ lastTransitionTime: '2026-01-01T00:00:10Z' })] }],
      changed: [result()],
    });
  });

  it.each<[string, Partial<ProbeResult>, object, number]>([
    ['keeps the transition of an equal state', { message: 'new' }, { message: 'new' }, 1],
    ['renews it for another state', { state: 'Failed' }, { state: 'Failed', lastTransitionTime: '2026-01-01T00:00:10Z' }, 1],
    ['renews it for an equal state after another that was never written', { since: at }, { lastTransitionTime: '2026-01-01T00:00:10Z' }, 0],
    ['keeps it for a change in the second that the status shows', { since: instant(Date.UTC(2026, 0, 1, 0, 0, 1, 900)) }, {}, 0],
    ['renews the time alone without an event', { at: now }, { lastProbeTime: '2026-01-01T00:00:10Z' }, 0],
  ])('%s', (_name, over, expected, events) => {
    const plan = planned(list(['m#p'], [state()]), [result(over)], now);
    expect(plan.statuses[0]?.probeStates).toEqual([state(expected)]);
    expect(plan.changed).toHaveLength(events);
  });

  it('writes one change once, also after the clock was set back', () => {
    const since = instant(Date.UTC(2026, 0, 1, 0, 1));
    const first = planned(list(['m#p'], [state()]), [result({ since })], now);
    const states = first.statuses.flatMap(({ probeStates = [] }) => probeStates);
    expect(states).toEqual([state({ lastTransitionTime: '2026-01-01T00:01:00Z' })]);
    expect(planned(list(['m#p'], states), [result({ since })], now).statuses[0]?.probeStates).toEqual(states);
  });

  it('identifies a Pod that is listed twice by both', () => {
    const held = list(['m#p']);
    const twice = {
      ...held,
      spec: { podProbes: [...(held.spec.podProbes ?? []), { namespace: 'shop', name: 'y', uid: 'u', IP: '', probes: [] }] },
    };
    expect(planned(twice, [result()], now).changed).toEqual([result()]);
  });

  it('returns the same list when nothing is new', () => {
    const held = list(['m#p'], [state()]);
    expect(planned(held, [result()], now).statuses).toBe(held.status?.podProbeStatuses);
  });

  it('distinguishes two probes of one container', () => {
    expect(statesOf(list(['m#p', 'm#q']), [result(), result({ probe: 'm#q' })], now).map((one) => one?.name)).toEqual(['m#p', 'm#q']);
  });

  it('drops what the spec no longer names', () => {
    expect(planned(list([], [state()]), [result()], now)).toEqual({ statuses: [], changed: [] });
  });

  it('removes the result of a probe that is no longer run and whose refusal exceeds the maximum', () => {
    const held = list(['m#p', 'm#q'], [state(), state({ name: 'm#q' })]);
    expect(statesOf(held, [], now, ['m#q']).map((one) => one?.name)).toEqual(['m#p']);
  });

  it('has no empty message', () => {
    expect(statesOf(list(['m#p']), [result({ message: '' })], now)).toStrictEqual([
      { name: 'm#p', state: 'Succeeded', lastProbeTime: '2026-01-01T00:00:09Z', lastTransitionTime: '2026-01-01T00:00:10Z' },
    ]);
    expect(planned(list(['m#p'], [state({ message: undefined })]), [result({ message: '' })], now).changed).toEqual([]);
  });

  it('has no unknown time of a transition', () => {
    expect(statesOf(list(['m#p'], [state({ lastTransitionTime: undefined })]), [result({ message: 'new' })], now)).toStrictEqual([
      { name: 'm#p', state: 'Succeeded', lastProbeTime: '2026-01-01T00:00:09Z', message: 'new' },
    ]);
  });

  it('reports each new result, by state or by message', () => {
    const changed = (over: Partial<ProbeResult>): number => planned(list(['m#p'], [state()]), [result(over)], now).changed.length;
    expect([changed({}), changed({ state: 'Failed' }), changed({ message: 'x' }), changed({ message: '' })]).toEqual([0, 1, 1, 1]);
  });

  it('keeps the results of a Pod that the daemon did not probe again beside new ones', () => {
    const plan = planned(list(['m#p', 'm#q'], [state(), state({ name: 'm#old' })]), [result({ probe: 'm#q' })], now);
    expect(plan.statuses.map(({ name, namespace, uid }) => [namespace, name, uid])).toEqual([['shop', 'x', 'u']]);
    expect(plan.statuses[0]?.probeStates?.map(({ name }) => name)).toEqual(['m#p', 'm#q']);
  });

  it('has nothing for an empty list', () => {
    const bare = { metadata: { name: 'n' } } as unknown as NodePodProbe;
    for (const empty of [
      bare,
      { ...bare, spec: {} },
      { ...bare, spec: { podProbes: [{ namespace: 'shop', name: 'x', uid: 'u', IP: '' }] } },
    ])
      expect(planned(empty, [result()], now)).toEqual({ statuses: [], changed: [] });
  });

  it('drops a Pod without results', () => {
    const held = {
      ...list(['m#p']),
      status: { podProbeStatuses: [{ namespace: 'shop', name: 'x', uid: 'u' }] },
    } as unknown as NodePodProbe;
    expect(planned(held, [], now)).toEqual({ statuses: [], changed: [] });
  });

  it('keeps what was found before a restart of the daemon', () => {
    expect(statesOf(list(['m#p'], [state()]), [], now)).toEqual([state()]);
  });
});

describe('thresholds', () => {
  const after = (outcomes: string): boolean[] => {
    let runs = noRuns;
    return [...outcomes].map((one) => {
      runs = countRun(runs, { state: one === '+' ? 'Succeeded' : 'Failed', message: '' });
      return isDecided(runs, { failureThreshold: 3, successThreshold: 2 });
    });
  };
  it.each<[string, string]>([
    ['---', '..!'],
    ['--+---', '.....!'],
    ['+-++', '...!'],
    ['++--+', '.!...'],
  ])('%s is decided at %s', (outcomes, decided) => {
    expect(
      after(outcomes)
        .map((one) => (one ? '!' : '.'))
        .join(''),
    ).toBe(decided);
  });

  it('are 1 for anything below', () => {
    for (const threshold of [undefined, 0, -5])
      expect(
        isDecided(countRun(noRuns, { state: 'Failed', message: '' }), threshold === undefined ? {} : { failureThreshold: threshold }),
      ).toBe(true);
  });
});

describe('a message', () => {
  it('has at most 1024 bytes, and no part of a character', () => {
    expect(cutMessage('x'.repeat(1024))).toBe('x'.repeat(1024));
    expect(cutMessage('x'.repeat(1025))).toBe('x'.repeat(1024));
    expect(cutMessage(`${'x'.repeat(1022)}€`)).toBe('x'.repeat(1022));
    expect(cutMessage(`${'x'.repeat(1021)}€y`)).toBe(`${'x'.repeat(1021)}€`);
    expect(cutMessage('é'.repeat(600))).toBe('é'.repeat(512));
  });

  it('of invalid bytes is readable', () => {
    expect(cutMessage(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb');
    expect(cutMessage(Buffer.alloc(2000, 0x80))).toBe('');
  });

  it('is truncated in both outcomes', () => {
    expect(succeeded('x'.repeat(2000))).toEqual({ state: 'Succeeded', message: 'x'.repeat(1024) });
    expect(failed(Buffer.from('no'))).toEqual({ state: 'Failed', message: 'no' });
  });
});

describe('what an earlier process of the agent wrote', () => {
  const shown = { name: 'm#a', state: 'Succeeded', message: 'fine', lastProbeTime: '2026-01-01T00:00:10Z' } as const;
  const at = Date.parse(shown.lastProbeTime);
  const nanos = (later: number): bigint => BigInt(at + later) * 1_000_000n;

  it.each<{ name: string; given: ContainerProbeState | undefined; createdAt: bigint; now?: number; counts: boolean }>([
    { name: 'of an instance made before', given: shown, createdAt: nanos(-1), counts: true },
    { name: 'within the same second as the instance was created', given: shown, createdAt: nanos(0), counts: false },
    { name: 'of an instance that was replaced since', given: shown, createdAt: nanos(500), counts: false },
    { name: 'of an instance whose time the runtime does not report', given: shown, createdAt: 0n, counts: false },
    { name: 'without a time', given: { name: 'm#a', state: 'Succeeded' }, createdAt: nanos(-1), counts: false },
    { name: 'with an unknown state', given: { ...shown, state: '' as 'Unknown' }, createdAt: nanos(-1), counts: false },
    { name: 'before the clock was set back', given: shown, createdAt: nanos(-1), now: at - 1, counts: false },
    { name: 'of nothing', given: undefined, createdAt: nanos(-1), counts: false },
  ])('$name counts: $counts', ({ given, createdAt, now: later = at, counts }) => {
    expect(planTakeover(given, createdAt, instant(later))).toEqual(counts ? { state: 'Succeeded', message: 'fine', at } : undefined);
  });
});

describe('a result', () => {
  const held = { state: 'Succeeded', message: 'fine', at: now } as const;
  it.each<{ name: string; found: { state: 'Succeeded' | 'Failed'; message: string }; age: number; isWritten: boolean }>([
    { name: 'of another state', found: { state: 'Failed', message: 'fine' }, age: 0, isWritten: true },
    { name: 'with another message within a minute', found: { state: 'Succeeded', message: 'other' }, age: 59_999, isWritten: false },
    { name: 'with another message after a minute', found: { state: 'Succeeded', message: 'other' }, age: 60_000, isWritten: true },
    { name: 'that is the same within ten minutes', found: held, age: 599_999, isWritten: false },
    { name: 'that is the same after ten minutes', found: held, age: 600_000, isWritten: true },
  ])('$name is written: $isWritten', ({ found, age, isWritten }) => {
    expect(isNews(held, found, milliseconds(age))).toBe(isWritten);
  });

  it('is written when there was none', () => {
    expect(isNews(undefined, held, milliseconds(0))).toBe(true);
  });
});
