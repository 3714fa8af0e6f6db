/** Which Pods are updated now: the rules of spec/sidecarset.md 5.6 as a table. */
import { describe, expect, it } from '@jest/globals';
import type { SidecarSetUpdateStrategy } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { noneRefused } from '@kruise/workloads';
import { kubeletStep } from './kubelet.testing.ts';
import { chooseUpdates, expandScatter } from './plan-update.ts';
import { memberOf, recordsOf } from './pods/pod-facts.ts';
import { viewOf } from './view/sidecar-set-view.ts';
import { Simulation } from './simulation.testing.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, changed, type InjectedShape } from './testing.ts';
import { updatedPod } from './pods/update-pod.ts';

const first = aSidecarSet();
const later = instant(epoch + 3_600_000);

interface Given {
  /** What each Pod is like, by name. */
  readonly pods: Readonly<
    Record<string, InjectedShape & { readonly version?: 'updated' | 'writing' | 'starting' | 'lost' | 'odd' | 'unborn' }>
  >;
  readonly strategy?: SidecarSetUpdateStrategy;
  /** Names of Pods, in the order of their refusals. */
  readonly refused?: readonly string[];
  /** Names of Pods to which nothing is written for a while. */
  readonly resting?: readonly string[];
  /** Names of Pods whose hot upgrade could end. */
  readonly ending?: readonly string[];
}

const second = (strategy: SidecarSetUpdateStrategy = {}) =>
  changed(first, {
    containers: [aSidecar('side', 'side:2')],
    updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0, ...strategy },
  });

/** Its kubelet is unreachable: another controller marks the Pod as not ready, and its container statuses stay as last reported. */
const onDeadNode = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False' }] } });

function podOf(name: string, { version, ...shape }: Given['pods'][string]): Pod {
  const odd = aSidecarSet({ containers: [aSidecar('side', 'side:1', { args: ['x'] })] });
  if (version === 'updated') return anInjectedPod(second(), { name, ...shape });
  const pod = anInjectedPod(version === 'odd' ? odd : first, { name, ...shape });
  const between = viewOf(changed(first, { containers: [aSidecar('side', 'side:1.5')] }));
  if (version === 'unborn') return { ...pod, status: { phase: 'Pending' } };
  if (version !== 'writing' && version !== 'starting' && version !== 'lost') return pod;
  const written = updatedPod(pod, { view: between, latestRevision: 'r', now: later });
  if (version === 'lost') return onDeadNode(written);
  return version === 'writing' ? written : kubeletStep(kubeletStep(written, later), later, { slow: true });
}

function choose({ pods, strategy, refused = [], resting = [], ending = [] }: Given) {
  const view = viewOf(second(strategy));
  const members = Object.entries(pods)
    .map(([name, shape]) => podOf(name, shape))
    .map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid: pod.metadata.name } }))
    .map((pod) => memberOf(pod, recordsOf(pod), view));
  const surroundings = {
    refused: new Map(refused.map((name, at) => [name, at + 1])),
    resting: new Set(resting),
    ending: members.filter(({ pod }) => ending.includes(pod.metadata.name)),
  };
  const { flips, updates, notUpgradable } = chooseUpdates(members, view, surroundings);
  return {
    chosen: [...flips.map(({ pod }) => `end of ${pod.metadata.name}`), ...updates.map(({ pod }) => pod.metadata.name)],
    notUpgradable: notUpgradable.map(({ pod }) => pod.metadata.name),
  };
}

describe('the Pods to update now', () => {
  it.each<{ name: string; given: Given; chosen: readonly string[]; notUpgradable?: readonly string[] }>([
    { name: 'is one by default', given: { pods: { a: {}, b: {} } }, chosen: ['a'] },
    {
      name: 'are as many as may be unavailable',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: 2 } },
      chosen: ['a', 'b'],
    },
    {
      name: 'are rounded up from a percentage',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: '34%' } },
      chosen: ['a', 'b'],
    },
    { name: 'is one for the smallest percentage', given: { pods: { a: {}, b: {} }, strategy: { maxUnavailable: '1%' } }, chosen: ['a'] },
    { name: 'are none while one is down already', given: { pods: { a: {}, b: { version: 'updated', ready: false } } }, chosen: [] },
    {
      name: 'are all that are not ready, and do not count',
      given: { pods: { a: { ready: false }, b: { ready: false }, c: {} } },
      chosen: ['a', 'b', 'c'],
    },
    {
      name: 'are those that are not ready where nothing may be unavailable',
      given: { pods: { a: {}, b: { ready: false } }, strategy: { maxUnavailable: 0 } },
      chosen: ['b'],
    },
    { name: 'are none where the limit cannot be read', given: { pods: { a: {} }, strategy: { maxUnavailable: 'many' } }, chosen: [] },
    {
      name: 'wait for an older update that still runs, which uses the limit up',
      given: { pods: { a: { version: 'writing' }, b: {} } },
      chosen: [],
    },
    {
      name: 'pass over one that an older update has not stopped yet, for others',
      given: { pods: { a: { version: 'writing' }, b: {} }, strategy: { maxUnavailable: 2 } },
      chosen: ['b'],
    },
    { name: 'are those that do not run yet, too', given: { pods: { a: { version: 'unborn' }, b: {} } }, chosen: ['a', 'b'] },
    {
      name: 'count one in which an older update is not over, although it is taken itself',
      given: { pods: { a: { version: 'starting' }, b: {} } },
      chosen: ['a'],
    },
    {
      name: 'do not count an older update that is not over where this version does not end it',
      given: {
        pods: { a: { version: 'starting' }, b: { labels: { canary: 'yes' } } },
        strategy: { selector: { matchLabels: { canary: 'yes' } } },
      },
      chosen: ['b'],
    },
    {
      name: 'do not count one that was never updated and does not run yet',
      given: {
        pods: { a: { version: 'unborn' }, b: { labels: { canary: 'yes' } } },
        strategy: { selector: { matchLabels: { canary: 'yes' } } },
      },
      chosen: ['b'],
    },
    {
      name: 'do not count an older update that went wrong in a Pod that the partition keeps',
      given: {
        pods: { a: { version: 'starting', labels: { tier: 'x' } }, b: {}, c: {}, d: {} },
        strategy: { partition: 1, priorityStrategy: { orderPriority: [{ orderedKey: 'tier' }] } },
      },
      chosen: ['b'],
    },
    {
      name: 'do not count an older update that has not begun in a Pod that the partition keeps',
      given: {
        pods: { a: { version: 'writing', labels: { tier: 'x' } }, b: {}, c: {}, d: {} },
        strategy: { partition: 1, priorityStrategy: { orderPriority: [{ orderedKey: 'tier' }] } },
      },
      chosen: ['b'],
    },
    {
      name: 'count an older update that has not begun in a Pod whose turn comes',
      given: {
        pods: { a: { version: 'writing' }, b: { labels: { tier: 'x' } }, c: { labels: { tier: 'x' } } },
        strategy: { partition: 2, maxUnavailable: 1, priorityStrategy: { orderPriority: [{ orderedKey: 'tier' }] } },
      },
      chosen: [],
    },
    {
      name: 'do not wait for an older update on a node that is dead',
      given: { pods: { a: { version: 'lost' }, b: {}, c: {}, d: {} } },
      chosen: ['b'],
    },
    {
      name: 'leave out those that only images cannot bring up to date',
      given: { pods: { a: { version: 'odd' }, b: {} } },
      chosen: ['b'],
      notUpgradable: ['a'],
    },
    {
      name: 'leave out those that are not selected',
      given: {
        pods: { a: {}, b: { labels: { canary: 'yes' } }, c: { version: 'odd' } },
        strategy: { selector: { matchLabels: { canary: 'yes' } } },
      },
      chosen: ['b'],
      notUpgradable: [],
    },
    {
      name: 'keep a partition back',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { partition: 2, maxUnavailable: '100%' } },
      chosen: ['a'],
    },
    {
      name: 'do not count updated Pods in the partition',
      given: { pods: { a: { version: 'updated' }, b: {}, c: {} }, strategy: { partition: 1, maxUnavailable: '100%' } },
      chosen: ['b'],
    },
    {
      name: 'do not count Pods that cannot be upgraded in the partition',
      given: { pods: { a: { version: 'odd' }, b: {} }, strategy: { partition: 1 } },
      chosen: [],
      notUpgradable: ['a'],
    },
    {
      name: 'keep all but one back at 99%',
      given: { pods: { a: {}, b: {} }, strategy: { partition: '99%', maxUnavailable: '100%' } },
      chosen: ['a'],
    },
    { name: 'keep all back at 100%', given: { pods: { a: {}, b: {} }, strategy: { partition: '100%' } }, chosen: [] },
    { name: 'keep the only one back at 1%', given: { pods: { a: {} }, strategy: { partition: '1%' } }, chosen: [] },
    { name: 'are none where the partition cannot be read', given: { pods: { a: {} }, strategy: { partition: 'some' } }, chosen: [] },
    {
      name: 'come in the order of priority',
      given: {
        pods: { a: {}, b: { labels: { tier: 'x' } } },
        strategy: { priorityStrategy: { weightPriority: [{ weight: 10, matchSelector: { matchLabels: { tier: 'x' } } }] } },
      },
      chosen: ['b'],
    },
    {
      name: 'are those that are not ready, also behind a ready one of higher priority for which there is no room',
      given: {
        pods: { a: { ready: false }, b: { labels: { tier: 'x' } }, c: { version: 'updated', ready: false } },
        strategy: { priorityStrategy: { weightPriority: [{ weight: 10, matchSelector: { matchLabels: { tier: 'x' } } }] } },
      },
      chosen: ['a'],
    },
    {
      name: 'are those that are not ready, also behind a ready one that scatter puts first',
      given: {
        pods: {
          a: { labels: { zone: 'x' } },
          b: { ready: false },
          c: { ready: false },
          d: { version: 'updated', ready: false },
        },
        strategy: { scatterStrategy: [{ key: 'zone', value: 'x' }] },
      },
      chosen: ['b', 'c'],
    },
    { name: 'are others before one that was refused', given: { pods: { a: {}, b: {} }, refused: ['a'] }, chosen: ['b'] },
    {
      name: 'are others in place of one that was refused, which the partition keeps',
      given: { pods: { a: {}, b: {} }, strategy: { partition: 1 }, refused: ['a'] },
      chosen: ['b'],
    },
    {
      name: 'are those that were refused, each once, behind the others in the order of their refusals',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: 9 }, refused: ['b', 'a'] },
      chosen: ['c', 'b', 'a'],
    },
    {
      name: 'are those that may be tried now, in place of one that was refused and waits',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: 1 }, refused: ['a', 'b', 'c'], resting: ['a', 'b'] },
      chosen: ['c'],
    },
    {
      name: 'are updated beside the end of a hot upgrade, which comes first',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: 2 }, ending: ['b'] },
      chosen: ['end of b', 'a'],
    },
    {
      name: 'are updated beside the end of a hot upgrade that was refused, which comes last',
      given: { pods: { a: {}, b: {}, c: {} }, strategy: { maxUnavailable: 2 }, ending: ['b'], refused: ['b'] },
      chosen: ['a', 'c'],
    },
    {
      name: 'are spread over the values of a label',
      given: {
        pods: {
          ...Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { labels: { zone: 'x' } }])),
          ...Object.fromEntries(['d', 'e', 'f'].map((name) => [name, { labels: { zone: 'y' } }])),
        },
        strategy: { scatterStrategy: [{ key: 'zone', value: '*' }], maxUnavailable: 3 },
      },
      chosen: ['d', 'a', 'b'],
    },
    {
      name: 'are not chosen by the state of their lifecycle',
      given: { pods: { a: {}, b: { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } } } },
      chosen: ['a'],
    },
    { name: 'come newest first', given: { pods: { a: {}, b: { createdAt: instant(epoch + 1000) } } }, chosen: ['b'] },
  ])('$name', ({ given, chosen, notUpgradable = [] }) => {
    expect(choose(given)).toEqual({ chosen, notUpgradable });
  });

  it('wait for a hot upgrade to an earlier version that has not begun on its node', () => {
    const hotSet = aSidecarSet({ containers: [aHotSidecar('mesh', 'mesh:1')] });
    const earlier = changed(hotSet, { containers: [aHotSidecar('mesh', 'mesh:2')] });
    const view = viewOf(changed(earlier, { containers: [aHotSidecar('mesh', 'mesh:3')] }));
    const begun = updatedPod(anInjectedPod(hotSet, { name: 'a' }), { view: viewOf(earlier), latestRevision: 'r', now: later });
    const chosenBeside = (pod: Pod): readonly string[] => {
      const members = [pod, anInjectedPod(hotSet, { name: 'b' })].map((one) => memberOf(one, recordsOf(one), view));
      const { updates } = chooseUpdates(members, view, { refused: noneRefused, resting: new Set(), ending: [] });
      return updates.map(({ pod: { metadata } }) => metadata.name);
    };
    expect(chosenBeside(begun)).toEqual([]);
    expect(chosenBeside(onDeadNode(begun))).toEqual(['b']);
  });

  it('wait for an update to an earlier version of which one container restarts and another has not stopped yet', () => {
    const two = aSidecarSet({ containers: [aSidecar('a', 'a:1'), aSidecar('b', 'b:1')] });
    const earlier = changed(two, { containers: [aSidecar('a', 'a:2'), aSidecar('b', 'b:2')] });
    const view = viewOf(changed(two, { containers: [aSidecar('a', 'a:3'), aSidecar('b', 'b:3')] }));
    const written = updatedPod(anInjectedPod(two, { name: 'p' }), { view: viewOf(earlier), latestRevision: 'r', now: later });
    const containerStatuses = written.status?.containerStatuses?.map((status) =>
      status.name === 'a' ? { ...status, ready: false } : status,
    );
    const half = onDeadNode(written);
    const chosenBeside = (pod: Pod): readonly string[] => {
      const members = [pod, anInjectedPod(two, { name: 'q' })].map((one) => memberOf(one, recordsOf(one), view));
      const { updates } = chooseUpdates(members, view, { refused: noneRefused, resting: new Set(), ending: [] });
      return updates.map(({ pod: { metadata } }) => metadata.name);
    };
    expect(
      chosenBeside({ ...half, status: { ...half.status, ...(containerStatuses === undefined ? {} : { containerStatuses }) } }),
    ).toEqual([]);
    expect(chosenBeside(onDeadNode(written))).toEqual(['q']);
  });

  it('say why', () => {
    const view = viewOf(second({ maxUnavailable: 2 }));
    const members = [podOf('a', { ready: false }), podOf('b', {})].map((pod) => memberOf(pod, recordsOf(pod), view));
    expect(
      chooseUpdates(members, view, { refused: noneRefused, resting: new Set(), ending: [] }).updates.map(({ because }) => because),
    ).toEqual(['it is not ready, so that its update takes nothing away', '0 of at most 2 Pods are unavailable']);
  });
});

describe('a Pod that this version does not touch', () => {
  const names = ['a', 'b', 'c', 'd'];

  /** Four Pods of which one got an earlier version, and what became of it. */
  function simulationWith(kubelet: ConstructorParameters<typeof Simulation>[2]): {
    readonly simulation: Simulation;
    readonly touched: string;
  } {
    const simulation = new Simulation(
      first,
      names.map((name) => anInjectedPod(first, { name, labels: { tier: 'x' } })),
      kubelet,
    );
    simulation.pass();
    simulation.change({ containers: [aSidecar('side', 'side:1.5')] });
    simulation.pass();
    simulation.pass();
    const [touched = ''] = simulation.done.flatMap((line) => (line.startsWith('UpdatePod ') ? line.slice('UpdatePod '.length) : []));
    return { simulation, touched };
  }
  const updatedIn = (simulation: Simulation): readonly string[] =>
    simulation.members.filter(({ updated, ready }) => updated && ready).map(({ pod }) => pod.metadata.name);

  it('as it waits for a dead node does not delay the others', () => {
    const { simulation, touched } = simulationWith({});
    const lost = simulation.pods.map((pod) => (pod.metadata.name === touched ? onDeadNode(pod) : pod));
    simulation.pods = lost;
    simulation.change({ containers: [aSidecar('side', 'side:2')] });
    for (let round = 0; round < 20; round++) {
      simulation.pass();
      const away = simulation.pods.find(({ metadata }) => metadata.name === touched);
      simulation.tick();
      simulation.pods = simulation.pods.map((pod) => (pod.metadata.name === touched ? (away ?? pod) : pod));
    }
    expect(updatedIn(simulation)).toEqual(names.filter((name) => name !== touched));
  });

  it('as the partition keeps it broken does not delay the others', () => {
    const { simulation, touched } = simulationWith({ broken: new Set(['side:1.5']) });
    for (let i = 0; i < 5; i++) simulation.tick();
    // Those with the label come last.
    simulation.pods = simulation.pods.map((pod) => {
      const { tier: _tier, ...labels } = pod.metadata.labels ?? {};
      return pod.metadata.name === touched ? pod : { ...pod, metadata: { ...pod.metadata, labels } };
    });
    simulation.change({
      containers: [aSidecar('side', 'side:2')],
      updateStrategy: {
        type: 'RollingUpdate',
        maxUnavailable: 1,
        partition: 1,
        priorityStrategy: { orderPriority: [{ orderedKey: 'tier' }] },
      },
    });
    for (let round = 0; round < 20; round++) {
      simulation.pass();
      simulation.tick();
    }
    expect(updatedIn(simulation)).toEqual(names.filter((name) => name !== touched));
  });
});

describe('a scatter term for every value', () => {
  it('means the values that occur, each once', () => {
    const pods = ['a', 'b', 'a'].map((zone) => anInjectedPod(first, { labels: { zone } }));
    const strategy = [
      { key: 'zone', value: '*' },
      { key: 'zone', value: 'b' },
      { key: 'tier', value: 'x' },
    ];
    expect(expandScatter(strategy, [...pods, anInjectedPod(first)])).toEqual([
      { key: 'zone', value: 'a' },
      { key: 'zone', value: 'b' },
      { key: 'tier', value: 'x' },
    ]);
    const { labels: _labels, ...metadata } = anInjectedPod(first).metadata;
    expect(expandScatter([{ key: 'zone', value: '*' }], [{ ...anInjectedPod(first), metadata }])).toEqual([]);
    expect(expandScatter(undefined, pods)).toEqual([]);
  });
});
