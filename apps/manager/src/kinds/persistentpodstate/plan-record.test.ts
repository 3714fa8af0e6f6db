import { describe, expect, it } from '@jest/globals';
import type { PodState } from '@kruise/api';
import { deepFreeze, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { nodesToDoubt, nodesToRead, planRecord, type RecordedWorkload, type RecordSnapshot } from '@kruise/kinds/persistentpodstate';
import { aState, host, zone } from './cluster.testing.ts';

const workload = (shape: Partial<RecordedWorkload> = {}): RecordedWorkload => ({
  replicas: 3,
  startOrdinal: 0,
  reserveOrdinals: [],
  ...shape,
});
const pod = (ordinal: number, shape: PodShape = {}): Pod => aPod({ name: `db-${ordinal}`, node: 'n', ...shape });
const entry = (nodeName = 'n', labels: Readonly<Record<string, string>> = { [zone]: 'z' }): PodState => ({
  nodeName,
  nodeTopologyLabels: labels,
});

interface Given {
  readonly spec?: Parameters<typeof aState>[0];
  readonly held?: Readonly<Record<string, PodState>>;
  readonly workload?: RecordedWorkload | undefined;
  readonly pods?: readonly Pod[];
  readonly nodeLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly lost?: readonly string[];
}

const seen = (given: Given): RecordSnapshot =>
  deepFreeze({
    state: { ...aState(given.spec), status: { observedGeneration: 1, ...(given.held === undefined ? {} : { podStates: given.held }) } },
    workload: 'workload' in given ? given.workload : workload(),
    pods: given.pods ?? [],
    nodeLabels: new Map(Object.entries(given.nodeLabels ?? { n: { [zone]: 'z', [host]: 'n' } })),
    lostNodes: new Set(given.lost ?? []),
  });
const entriesAfter = (given: Given): unknown => planRecord(seen(given)).podStates ?? {};

describe('what is remembered', () => {
  const three = { 'db-0': entry(), 'db-1': entry(), 'db-2': entry() };

  it.each<{ name: string; given: Given; then: unknown }>([
    { name: 'a ready Pod', given: { pods: [pod(0)] }, then: { 'db-0': entry() } },
    { name: 'no Pod that is not ready', given: { pods: [pod(0, { ready: false })] }, then: {} },
    { name: 'no Pod without a node', given: { pods: [pod(0, { node: '' })] }, then: {} },
    { name: 'no Pod whose node could not be read', given: { pods: [pod(0)], nodeLabels: {} }, then: {} },
    { name: 'only the labels that the node has', given: { pods: [pod(0)], nodeLabels: { n: {} } }, then: { 'db-0': { nodeName: 'n' } } },
    {
      name: 'only the annotations that the Pod has',
      given: { spec: { persistentPodAnnotations: [{ key: 'a' }, { key: 'b' }] }, pods: [pod(0, { annotations: { b: '1', c: '2' } })] },
      then: { 'db-0': { ...entry(), annotations: { b: '1' } } },
    },
    {
      name: 'another node in place of the former',
      given: { held: { 'db-0': entry('old') }, pods: [pod(0)] },
      then: { 'db-0': entry() },
    },
    {
      name: 'nothing new while the labels are those of the keys, whatever the node has by now',
      given: { held: { 'db-0': entry() }, pods: [pod(0)], nodeLabels: { n: { [zone]: 'other' } } },
      then: { 'db-0': entry() },
    },
    {
      name: 'other labels once the keys are others',
      given: { spec: { requiredPersistentTopology: { keys: [host] } }, held: { 'db-0': entry() }, pods: [pod(0)] },
      then: { 'db-0': entry('n', { [host]: 'n' }) },
    },
    {
      name: 'other labels once one of two keys is another',
      given: {
        spec: { requiredPersistentTopology: { keys: [zone, host] } },
        held: { 'db-0': entry('n', { [zone]: 'z', other: 'x' }) },
        pods: [pod(0)],
      },
      then: { 'db-0': entry('n', { [zone]: 'z', [host]: 'n' }) },
    },
    {
      name: 'the labels of what is preferred alone',
      given: {
        spec: { requiredPersistentTopology: undefined, preferredPersistentTopology: [{ weight: 1, preference: { keys: [host] } }] },
        pods: [pod(0)],
      },
      then: { 'db-0': entry('n', { [host]: 'n' }) },
    },
    {
      name: 'the former labels of a Pod that is not ready once the keys are others',
      given: { spec: { requiredPersistentTopology: { keys: [host] } }, held: { 'db-0': entry() }, pods: [pod(0, { ready: false })] },
      then: { 'db-0': entry() },
    },
    { name: 'a Pod that is away', given: { held: three }, then: three },
    {
      name: 'no Pod that is scaled away',
      given: { held: three, workload: workload({ replicas: 2 }) },
      then: { 'db-0': entry(), 'db-1': entry() },
    },
    {
      name: 'one that is scaled in, until it is deleted',
      given: { held: three, workload: workload({ replicas: 2 }), pods: [pod(2)] },
      then: three,
    },
    {
      name: 'all with retention WhenDeleted',
      given: { spec: { persistentPodStateRetentionPolicy: 'WhenDeleted' }, held: three, workload: workload({ replicas: 0 }) },
      then: three,
    },
    {
      name: 'the ordinals beside those that are reserved (15)',
      given: { held: three, workload: workload({ replicas: 2, reserveOrdinals: [{ first: 0, last: 0 }] }) },
      then: { 'db-1': entry(), 'db-2': entry() },
    },
    {
      name: 'no ordinal that is reserved by now (15)',
      given: { held: three, workload: workload({ reserveOrdinals: [{ first: 2, last: 2 }] }) },
      then: { 'db-0': entry(), 'db-1': entry() },
    },
    {
      name: 'ordinals from the start ordinal (14)',
      given: { held: three, workload: workload({ replicas: 2, startOrdinal: 1 }) },
      then: { 'db-1': entry(), 'db-2': entry() },
    },
    { name: 'names without an ordinal', given: { held: { odd: entry() }, workload: workload({ replicas: 0 }) }, then: { odd: entry() } },
    { name: 'nothing of a deleted workload', given: { held: three, workload: undefined, pods: [pod(0)] }, then: {} },
    { name: 'nothing of a deleted node', given: { held: three, lost: ['n'], pods: [pod(0)] }, then: {} },
  ])('$name', ({ given, then }) => {
    expect(entriesAfter(given)).toEqual(then);
  });

  it('contains the generation that it was computed from', () => {
    const { state, ...rest } = seen({ held: { 'db-0': entry() } });
    const newer = { ...state, metadata: { ...state.metadata, generation: 7 } };
    expect(planRecord({ ...rest, state: newer })).toEqual({ observedGeneration: 7, podStates: { 'db-0': entry() } });
  });

  it('is empty at first, and written', () => {
    const { state, ...rest } = seen({});
    const { status: _none, ...fresh } = state;
    expect(planRecord({ ...rest, state: fresh })).toEqual({ observedGeneration: 1 });
    const unknown = { ...fresh, metadata: { name: 'mine' } };
    expect(planRecord({ ...rest, state: unknown })).toEqual({ observedGeneration: 0 });
  });

  it('is the same object when nothing must be written', () => {
    const given = seen({ held: { 'db-0': entry() }, pods: [pod(0)] });
    expect(planRecord(given)).toBe(given.state.status);
  });
});

describe('nodes that are looked at', () => {
  it('are those of Pods of which something changed', () => {
    const given = seen({
      held: { 'db-0': entry('a'), 'db-1': entry('old') },
      pods: [pod(0, { node: 'a' }), pod(1, { node: 'b' }), pod(2, { node: 'c', ready: false }), pod(3, { node: '' })],
    });
    expect(nodesToRead(given)).toEqual(['b']);
    expect(nodesToRead({ ...given, workload: undefined })).toEqual([]);
  });

  it('are doubted only where topology is required', () => {
    const held = { 'db-0': entry('a'), 'db-1': entry('a'), 'db-2': entry('b') };
    expect(nodesToDoubt(seen({ held }).state)).toEqual(['a', 'b']);
    expect(nodesToDoubt(seen({ held, spec: { requiredPersistentTopology: { keys: [] } } }).state)).toEqual([]);
    expect(nodesToDoubt(seen({ held, spec: { requiredPersistentTopology: undefined } }).state)).toEqual([]);
  });
});

it('very many keys are read once for all Pods', () => {
  let reads = 0;
  const names = Array.from({ length: 1000 }, (_, at) => `example.com/k${at}`);
  const keys = new Proxy(names, { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
  const state = { ...aState({}), spec: { ...aState({}).spec, requiredPersistentTopology: { keys } } };
  const pods = Array.from({ length: 100 }, (_, ordinal) => pod(ordinal));
  const nodeLabels = new Map([['n', { 'example.com/k7': 'x', other: 'y' }]]);
  const { podStates } = planRecord({ state, workload: workload({ replicas: 100 }), pods, nodeLabels, lostNodes: new Set() });
  expect(Object.keys(podStates ?? {})).toHaveLength(100);
  expect(podStates?.['db-0']).toEqual({ nodeName: 'n', nodeTopologyLabels: { 'example.com/k7': 'x' } });
  expect(reads).toBeLessThan(10_000);
});
