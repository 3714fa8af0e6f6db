import { describe, expect, it } from '@jest/globals';
import type { NodePodProbe } from '@kruise/api';
import { deepFreeze, instant } from '@kruise/objects';
import { planStatus, type ProbeResult } from './plan-status.ts';
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
const statesOf = (...given: Parameters<typeof planStatus>) => planStatus(...given).statuses.flatMap(({ probeStates }) => probeStates);

describe('planStatus', () => {
  it('adds a result with the time of its transition', () => {
    expect(planStatus(list(['m#p']), [result()], now)).toEqual({
      statuses: [{ namespace: 'shop', name: 'x', uid: 'u', probeStates: [state({ lastTransitionTime: '2026-01-01T00:00:10Z' })] }],
      changed: [result()],
    });
  });

  it.each<[string, Partial<ProbeResult>, object, number]>([
    ['keeps the transition of an equal state', { message: 'new' }, { message: 'new' }, 1],
    ['renews it for another state', { state: 'Failed' }, { state: 'Failed', lastTransitionTime: '2026-01-01T00:00:10Z' }, 1],
    ['renews the time alone without an event', { at: now }, { lastProbeTime: '2026-01-01T00:00:10Z' }, 0],
  ])('%s', (_name, over, expected, events) => {
    const plan = planStatus(list(['m#p'], [state()]), [result(over)], now);
    expect(plan.statuses[0]?.probeStates).toEqual([state(expected)]);
    expect(plan.changed).toHaveLength(events);
  });

  it('knows a Pod that is listed twice by both', () => {
    const held = list(['m#p']);
    const twice = {
      ...held,
      spec: { podProbes: [...(held.spec.podProbes ?? []), { namespace: 'shop', name: 'y', uid: 'u', IP: '', probes: [] }] },
    };
    expect(planStatus(twice, [result()], now).changed).toEqual([result()]);
  });

  it('gives back the very list when nothing is new', () => {
    const held = list(['m#p'], [state()]);
    expect(planStatus(held, [result()], now).statuses).toBe(held.status?.podProbeStatuses);
  });

  it('keeps two probes of one container apart', () => {
    expect(statesOf(list(['m#p', 'm#q']), [result(), result({ probe: 'm#q' })], now).map((one) => one?.name)).toEqual(['m#p', 'm#q']);
  });

  it('drops what the spec does not name any more', () => {
    expect(planStatus(list([], [state()]), [result()], now)).toEqual({ statuses: [], changed: [] });
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
