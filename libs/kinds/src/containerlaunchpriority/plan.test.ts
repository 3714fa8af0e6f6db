import { describe, expect, it } from '@jest/globals';
import type { ConfigMap, Pod } from '@kruise/objects';
import fc from 'fast-check';
import { newBarrier } from './barrier.ts';
import { plan, type Action } from './plan.ts';
import { aHeldPod, type Held } from './testing.ts';
import { isNews } from './triggers.ts';

const completed = { annotations: { 'apps.kruise.io/container-launch-priority-completed': 'true' } };

const barrierWith = (pod: Pod, keys: readonly string[], metadata: object = {}): ConfigMap => {
  const barrier = newBarrier(pod, Object.fromEntries(keys.map((key) => [key, 'true'])));
  return { ...barrier, metadata: { ...barrier.metadata, uid: 'barrier-uid', ...metadata } };
};

/** `create p_1`, `release p_0`, `delete`, `complete`: the actions in short. */
const short = (action: Action): string => {
  switch (action.kind) {
    case 'CreateBarrier':
      return `create ${Object.keys(action.data).join(' ')}`;
    case 'ReleaseLevels':
      return `release ${Object.keys(action.data).join(' ')}`;
    case 'DeleteForeignBarrier':
      return `delete ${action.uid}`;
    case 'MarkCompleted':
      return 'complete';
  }
};
const scenario = (pod: Pod, barrier?: ConfigMap): readonly string[] => plan(pod, barrier).map(short);

it('a release names the barrier that was seen, as another may have its name by then', () => {
  const pod = aHeldPod([
    { name: 'main', level: 0 },
    { name: 'c2', level: 10 },
  ]);
  expect(plan(pod, barrierWith(pod, []))).toMatchObject([{ kind: 'ReleaseLevels', uid: 'barrier-uid' }]);
});

describe('the levels of a Pod', () => {
  const main: Held = { name: 'main', level: 0 };
  const c2: Held = { name: 'c2', level: 10 };

  it.each<{ name: string; containers: readonly Held[]; held?: readonly string[]; shape?: object; then: readonly string[] }>([
    { name: 'the highest comes out with the barrier, before anything has a status', containers: [main, c2], then: ['create p_10'] },
    { name: 'an empty barrier gets the highest', containers: [main, c2], held: [], then: ['release p_10'] },
    { name: 'the next one waits for all above', containers: [main, { ...c2, ready: false }], held: ['p_10'], then: [] },
    {
      name: 'the next one comes out when all above are ready; it is the last',
      containers: [main, { ...c2, ready: true }],
      held: ['p_10'],
      then: ['release p_0', 'complete'],
    },
    {
      name: 'completion that was lost is made up for while the last is waiting',
      containers: [main, { ...c2, ready: true }],
      held: ['p_10', 'p_0'],
      then: ['complete'],
    },
    {
      name: 'completion that was lost is made up for when all are ready',
      containers: [
        { ...main, ready: true },
        { ...c2, ready: true },
      ],
      held: ['p_10', 'p_0'],
      then: ['complete'],
    },
    {
      name: 'a container that is no longer ready stops nothing whose key is out',
      containers: [
        { ...main, ready: false },
        { ...c2, ready: false },
      ],
      held: ['p_10', 'p_0'],
      then: ['complete'],
    },
    {
      name: 'a key that got lost comes back',
      containers: [
        { ...main, ready: false },
        { ...c2, ready: true },
      ],
      held: ['p_0'],
      then: ['release p_10', 'complete'],
    },
    {
      name: 'levels come out one by one',
      containers: [main, { name: 'mid', level: 5 }, { ...c2, ready: true }],
      held: ['p_10'],
      then: ['release p_5'],
    },
    {
      name: 'of a level shared by two both must be ready',
      containers: [main, { ...c2, ready: true }, { name: 'c3', level: 10, ready: false }],
      held: ['p_10'],
      then: [],
    },
    {
      name: 'containers without a barrier do not count',
      containers: [main, { name: 'free', ready: false }],
      then: ['create p_0', 'complete'],
    },
    {
      name: 'containers without a barrier do not count among those that wait',
      containers: [{ name: 'free' }, main, c2],
      then: ['create p_10'],
    },
    {
      name: 'all levels come back when none waits any more',
      containers: [
        { ...main, ready: true },
        { ...c2, ready: true },
      ],
      held: [],
      then: ['release p_10 p_0', 'complete'],
    },
    {
      name: 'negative levels come last',
      containers: [
        { name: 'a', level: 0, ready: true },
        { name: 'b', level: -1 },
      ],
      held: ['p_0'],
      then: ['release p_-1', 'complete'],
    },
    {
      name: 'a completed Pod gets a lost barrier back whole',
      containers: [
        { ...main, ready: false },
        { ...c2, ready: true },
      ],
      shape: completed,
      then: ['create p_10 p_0'],
    },
    {
      name: 'a completed Pod needs nothing else',
      containers: [
        { ...main, ready: false },
        { ...c2, ready: false },
      ],
      held: ['p_10', 'p_0'],
      shape: completed,
      then: [],
    },
    { name: 'a Pod without levels has no barrier', containers: [{ name: 'a' }, { name: 'b' }], then: [] },
    { name: 'a terminating Pod gets nothing', containers: [main, c2], shape: { terminating: true }, then: [] },
    { name: 'a Pod that is done gets nothing', containers: [main, c2], shape: { phase: 'Succeeded' }, then: [] },
  ])('$name', ({ containers, held, shape = {}, then }) => {
    const pod = aHeldPod(containers, shape);
    expect(scenario(pod, held === undefined ? undefined : barrierWith(pod, held))).toEqual(then);
  });

  it.each<{ name: string; metadata: object; keys: readonly string[]; then: readonly string[] }>([
    {
      name: 'the barrier of an earlier Pod is deleted',
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'earlier' }] },
      keys: ['p_10', 'p_0'],
      then: ['delete barrier-uid', 'create p_10'],
    },
    {
      name: 'so does one that lost its owner on the way',
      metadata: { ownerReferences: undefined },
      keys: ['p_10', 'p_0'],
      then: ['delete barrier-uid', 'create p_10'],
    },
    {
      name: "a user's own ConfigMap is used and never deleted",
      metadata: { ownerReferences: undefined },
      keys: ['settings', 'p_5'],
      then: ['release p_10'],
    },
    {
      name: 'owners of other kinds do not make it a barrier of another Pod',
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'other' }] },
      keys: ['settings'],
      then: ['release p_10'],
    },
  ])('$name', ({ metadata, keys, then }) => {
    const pod = aHeldPod([main, c2]);
    expect(scenario(pod, barrierWith(pod, keys, metadata))).toEqual(then);
  });

  it('a barrier without data is filled, and does not show the last level', () => {
    const pod = aHeldPod([main, c2]);
    const { data: _data, ...empty } = barrierWith(pod, []);
    expect(scenario(pod, empty)).toEqual(['release p_10']);
  });

  it('the levels that are due are reported, highest first', () => {
    const pod = aHeldPod([
      { ...main, ready: true },
      { ...c2, ready: true },
    ]);
    expect(plan(pod, undefined)[0]?.because).toBe('there is no barrier; levels to release: p_10, p_0');
  });

  it('an environment that refers to the barrier of another Pod, or to nothing, is none of ours', () => {
    const other = aHeldPod([main, c2], { name: 'other' });
    const copied = { ...other, metadata: { ...other.metadata, name: 'copy' } };
    expect(plan(copied, undefined)).toEqual([]);
    const { containers } = other.spec;
    const made = containers.map((container) => ({ ...container, env: [{ name: 'KRUISE_CONTAINER_BARRIER', value: 'x' }] }));
    expect(plan({ ...other, spec: { ...other.spec, containers: made } }, undefined)).toEqual([]);
  });
});

describe('whatever the order of readiness', () => {
  const shapes = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 6 });

  it('a container is released only after all of higher levels were ready, and all are in the end', () => {
    fc.assert(
      fc.property(shapes, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.boolean()), (levels, picks, flaps) => {
        const ready = levels.map(() => false);
        const wasReady = levels.map(() => false);
        let barrier: ConfigMap | undefined;
        let isCompleted = false;
        const podNow = (): Pod =>
          aHeldPod(
            levels.map((level, index) => ({ name: `c${index}`, level, ready: ready[index] ?? false })),
            isCompleted ? completed : {},
          );
        for (let round = 0; round < 60; round++) {
          for (const action of plan(podNow(), barrier)) {
            if (action.kind === 'CreateBarrier') barrier = newBarrier(podNow(), action.data);
            if (action.kind === 'ReleaseLevels') barrier = { ...newBarrier(podNow(), { ...barrier?.data, ...action.data }) };
            if (action.kind === 'MarkCompleted') isCompleted = true;
          }
          expect(plan(podNow(), barrier)).toEqual([]);
          const isOut = (level: number): boolean => barrier?.data?.[`p_${level}`] !== undefined;
          const early = levels.filter((level) => isOut(level) && levels.some((other, at) => other > level && wasReady[at] !== true));
          expect(early).toEqual([]);
          // The kubelet starts what is released; a container that runs may lose its readiness for a while.
          const started = levels.flatMap((level, index) => (barrier?.data?.[`p_${level}`] === undefined ? [] : [index]));
          const chosen = started[(picks.next().value as number) % started.length] ?? 0;
          ready[chosen] = round > 40 || flaps.next().value === true || !ready[chosen];
          wasReady[chosen] ||= ready[chosen];
          if (round > 40) for (const index of started) wasReady[index] = ready[index] = true;
        }
        expect(isCompleted).toBe(true);
        expect(Object.keys(barrier?.data ?? {}).toSorted()).toEqual([...new Set(levels.map((level) => `p_${level}`))].toSorted());
      }),
      { numRuns: 100 },
    );
  });
});

describe('news about a Pod', () => {
  const waiting = aHeldPod([
    { name: 'main', level: 0 },
    { name: 'c2', level: 10, ready: false },
  ]);
  const next = aHeldPod([
    { name: 'main', level: 0 },
    { name: 'c2', level: 10, ready: true },
  ]);
  const missed = aHeldPod([
    { name: 'main', level: 0, ready: false, missing: 'configmap "web-barrier" not found' },
    { name: 'c2', level: 10, ready: false },
  ]);
  const done = aHeldPod(
    [
      { name: 'main', level: 0, ready: false },
      { name: 'c2', level: 10, ready: true },
    ],
    completed,
  );
  const doneMissed = aHeldPod(
    [
      { name: 'main', level: 0, ready: false, missing: 'configmap "web-barrier" not found' },
      { name: 'c2', level: 10, ready: true },
    ],
    completed,
  );

  const missing = (what: string, where = 'main'): Pod =>
    aHeldPod([
      { name: 'main', level: 0, ready: false, ...(where === 'main' ? { missing: what } : {}) },
      { name: 'c2', level: 10, ready: false, ...(where === 'c2' ? { missing: what } : {}) },
    ]);
  /** As `waiting`, with this state of the container that has a status. */
  const saying = (state: object | undefined): Pod => ({
    ...waiting,
    status: {
      ...waiting.status,
      containerStatuses: (waiting.status?.containerStatuses ?? []).map((one) => ({ ...one, ...(state === undefined ? {} : { state }) })),
    },
  });
  const { status: _status, ...bare } = waiting;

  it.each<{ name: string; pod: Pod; previous?: Pod; news: boolean }>([
    { name: 'it is there', pod: waiting, news: true },
    { name: 'nothing that matters changed', pod: waiting, previous: waiting, news: false },
    { name: 'a level is ready', pod: next, previous: waiting, news: true },
    { name: 'the kubelet misses something', pod: missed, previous: waiting, news: true },
    { name: 'it was completed', pod: done, previous: next, news: false },
    { name: 'a completed one is there', pod: done, news: false },
    { name: 'the kubelet misses the barrier of a completed one', pod: doneMissed, previous: done, news: true },
    { name: 'it still does', pod: doneMissed, previous: doneMissed, news: false },
    { name: 'it did when we came', pod: doneMissed, news: true },
    { name: 'it has no levels', pod: aHeldPod([{ name: 'a' }, { name: 'b' }]), news: false },
    { name: 'one of its containers has a level', pod: aHeldPod([{ name: 'a' }, { name: 'b', level: 1 }]), news: true },
    { name: 'it had no levels before', pod: waiting, previous: aHeldPod([{ name: 'a' }]), news: true },
    { name: 'the kubelet misses something else', pod: missed, previous: missing('configmap "other" not found'), news: true },
    {
      name: 'the kubelet misses it in another container',
      pod: missed,
      previous: missing('configmap "web-barrier" not found', 'c2'),
      news: true,
    },
    { name: 'the kubelet misses nothing any more', pod: waiting, previous: missed, news: true },
    { name: 'the kubelet misses nothing any more in a completed one', pod: done, previous: doneMissed, news: false },
    {
      name: 'a container that waits for something else',
      pod: saying({ waiting: { reason: 'ContainerCreating' } }),
      previous: saying({}),
      news: false,
    },
    { name: 'a container that runs', pod: saying({ running: {} }), previous: saying(undefined), news: false },
    { name: 'a status where there was none', pod: waiting, previous: bare, news: false },
    {
      name: 'the kubelet misses something and does not say what',
      pod: saying({ waiting: { reason: 'CreateContainerConfigError' } }),
      previous: waiting,
      news: true,
    },
    { name: 'it is being deleted', pod: aHeldPod([{ name: 'a', level: 1 }], { terminating: true }), news: false },
  ])('$name', ({ pod, previous, news }) => {
    expect(isNews(pod, previous)).toBe(news);
  });
});
