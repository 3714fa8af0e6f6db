import { describe, expect, it } from '@jest/globals';
import type { BroadcastJob, BroadcastJobSpec, BroadcastJobStatus } from '@kruise/api';
import { deepFreeze, instant, type Node, type Pod } from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';
import { refusedFor } from '../../workloads/refusals/refused-objects.testing.ts';
import { plan, waitsForRemovals, type Plan, type Snapshot } from '@kruise/kinds/broadcastjob';
import { aJob, aNode } from './cluster.testing.ts';

const start = '2026-01-01T00:00:00Z';
const at = (seconds: number) => instant(Date.parse(start) + seconds * 1000);
const closed = { unschedulable: true };

/** `n1 Running`, `n2 Succeeded`, `n3 going`, `n4 waiting` (for the scheduler), `* Running` (for any node). */
function podOf(text: string, index: number): Pod {
  const [node = '', state = ''] = text.split(' ');
  const spec = { containers: [], restartPolicy: 'Never' };
  const bound = node === '*' ? spec : boundByScheduler(spec, node);
  return {
    metadata: {
      name: `job-${index}`,
      namespace: 'default',
      uid: `pod-${index}`,
      ...(state === 'going' ? { deletionTimestamp: start } : {}),
    },
    spec: state === 'waiting' || node === '*' ? bound : { ...bound, nodeName: node },
    status: { phase: state === 'waiting' || state === 'going' ? 'Pending' : state },
  };
}

interface Given {
  readonly spec?: Partial<BroadcastJobSpec>;
  readonly status?: BroadcastJobStatus;
  readonly pods?: readonly string[];
  readonly nodes?: readonly Node[];
  readonly taken?: readonly string[];
  /** Nodes that were refused lately. */
  readonly refused?: readonly string[];
  readonly after?: number;
}

const threeNodes = ['n1', 'n2', 'n3'].map((name) => aNode(name));

function planned({ spec, status, pods = [], nodes = threeNodes, taken = [], refused = [], after = 0 }: Given): Plan {
  const job: BroadcastJob = { ...aJob(spec), ...(status === undefined ? {} : { status }) };
  const seen: Snapshot = { job, pods: pods.map(podOf), nodes, takenNames: new Set(taken), refused: refusedFor(...refused) };
  return plan(deepFreeze({ ...seen, takenNames: undefined }) && seen, { now: at(after), placedByScheduler: true });
}

const nodesOf = (actions: Plan['create']): readonly string[] =>
  actions.map(
    (action) =>
      (action.kind === 'CreatePod'
        ? /^node (\S+)/.exec(action.because)?.[1]
        : action.kind === 'DeletePod'
          ? action.pod.metadata.name
          : action.kind) ?? '',
  );
const numbers = ({ status }: Plan) => [status.desired, status.active, status.succeeded, status.failed];

describe('a job for more nodes than one burst', () => {
  const nodes = Array.from({ length: 1200 }, (_, index) => aNode(`n${String(index).padStart(4, '0')}`));

  it('gets one burst of Pods in a pass, and the others in the next ones', () => {
    const names = nodes.map(({ metadata }) => metadata.name);
    const begun = (count: number): number => {
      const { create } = planned({ nodes, pods: names.slice(0, count).map((name) => `${name} Running`) });
      expect(nodesOf(create)[0]).toBe(names[count]);
      return create.length;
    };
    expect([0, 500, 1000].map(begun)).toEqual([500, 500, 200]);
  });
});

describe('the nodes of a job', () => {
  it.each<{ name: string; given: Given; create: readonly string[]; remove?: readonly string[]; desired: number }>([
    {
      name: 'get a Pod each, by name',
      given: { nodes: threeNodes.toReversed().toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)) },
      create: ['n1', 'n2', 'n3'],
      desired: 3,
    },
    {
      name: 'get none where one is, whatever became of it',
      given: { pods: ['n1 Running', 'n2 Succeeded', 'n3 going'] },
      create: [],
      desired: 3,
    },
    { name: 'are served while one waits for the scheduler', given: { pods: ['n1 waiting'] }, create: ['n2', 'n3'], desired: 3 },
    {
      name: 'are left out when they are closed',
      given: { nodes: [aNode('n1'), aNode('n2', { spec: closed })] },
      create: ['n1'],
      desired: 1,
    },
    {
      name: 'lose a Pod that runs when they are closed',
      given: { pods: ['n1 Running'], nodes: [aNode('n1', { spec: closed })] },
      create: [],
      remove: ['job-0'],
      desired: 0,
    },
    {
      name: 'keep one that has ended',
      given: { pods: ['n1 Succeeded'], nodes: [aNode('n1', { spec: closed }), aNode('n2')] },
      create: ['n2'],
      desired: 2,
    },
    {
      name: 'keep one that is being deleted, closed or not',
      given: { pods: ['n1 going'], nodes: [aNode('n1', { spec: closed }), aNode('n2')] },
      create: ['n2'],
      desired: 2,
    },
    {
      name: 'that are deleted lose the Pods that wait for them',
      given: { pods: ['old waiting', 'older Running'], nodes: [aNode('n1')] },
      create: ['n1'],
      remove: ['job-0'],
      desired: 1,
    },
    {
      name: 'have nothing to do with a Pod that is for none of them',
      given: { pods: ['* Running'] },
      create: ['n1', 'n2', 'n3'],
      desired: 3,
    },
    {
      name: 'that were refused come after the others',
      given: { spec: { parallelism: 2 }, refused: ['n1'] },
      create: ['n2', 'n3'],
      desired: 3,
    },
    { name: 'are those of a template without a spec as well', given: { spec: { template: {} } }, create: ['n1', 'n2', 'n3'], desired: 3 },
  ])('$name', ({ given, create, remove = [], desired }) => {
    const next = planned(given);
    expect([nodesOf(next.create), nodesOf(next.remove), next.status.desired]).toEqual([create, remove, desired]);
  });

  it('with two Pods are reported, and the later counts', () => {
    const next = planned({ pods: ['n1 Succeeded', 'n1 Running', 'n2 Succeeded', 'n3 Succeeded'] });
    expect(next.notes).toEqual([{ kind: 'DuplicatePod', pod: 'job-1', node: 'n1' }]);
    expect([numbers(next), next.status.phase]).toEqual([[3, 1, 3, 0], 'running']);
  });
});

describe('names of Pods', () => {
  const namesOf = (given: Given): readonly string[] =>
    planned(given).create.flatMap((action) => (action.kind === 'CreatePod' ? action.pod.metadata.name : []));
  it('are the same again for the same node, and no name is used twice', () => {
    const names = namesOf({});
    expect(namesOf({})).toEqual(names);
    expect(namesOf({ pods: ['n1 Running'] })).toEqual(names.slice(1));
    const [first = '', ...others] = names;
    const evading = namesOf({ taken: [first] });
    expect(evading.slice(1)).toEqual(others);
    expect(new Set([...names, ...evading]).size).toBe(4);
  });

  it('go with all that the template says of Pods, and with what makes them those of the job', () => {
    const marks = { annotations: { a: 'b' }, finalizers: ['example.com/keep'] };
    const template = { metadata: { labels: { app: 'job', 'broadcastjob-name': 'other' }, ...marks }, spec: { containers: [] } };
    const [first] = planned({ spec: { template } }).create;
    expect(first?.kind === 'CreatePod' ? first.pod : undefined).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...marks, labels: { app: 'job', 'broadcastjob-name': 'job', 'broadcastjob-controller-uid': 'job-uid' } },
    });
  });

  it('of a long job are cut as the API server cuts generated ones', () => {
    const job = { ...aJob(), metadata: { ...aJob().metadata, name: 'x'.repeat(63) } };
    const { create } = plan(
      { job, pods: [], nodes: threeNodes, takenNames: new Set(), refused: refusedFor() },
      { now: at(0), placedByScheduler: true },
    );
    expect(create[0]?.kind === 'CreatePod' ? create[0].pod.metadata.name : '').toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  it('go with a node from the start when the scheduler has no say', () => {
    const { create } = plan(
      { job: aJob(), pods: [], nodes: threeNodes, takenNames: new Set(), refused: refusedFor() },
      { now: at(0), placedByScheduler: false },
    );
    expect(create.map((action) => (action.kind === 'CreatePod' ? [action.pod.spec.nodeName, action.pod.spec.affinity] : []))).toEqual([
      ['n1', undefined],
      ['n2', undefined],
      ['n3', undefined],
    ]);
  });
});

describe('how many Pods start', () => {
  it.each<[number | string | undefined, readonly string[], number]>([
    [undefined, [], 3],
    [0, [], 0],
    [-1, [], 0],
    [2, [], 2],
    [2, ['n1 Running'], 1],
    [2, ['n1 Succeeded'], 2],
    [2, ['n1 going'], 2],
    [1, ['n1 Running', 'n2 Running'], 0],
    ['34%', [], 2],
    ['33', [], 1],
    ['100%', [], 3],
  ])('with parallelism %p beside %p: %d', (parallelism, pods, count) => {
    expect(planned({ spec: parallelism === undefined ? {} : { parallelism }, pods }).create).toHaveLength(count);
  });

  it.each<{ name: string; pods: readonly string[]; then: readonly string[] }>([
    { name: 'says so when more are active than may be', pods: ['n1 Running', 'n2 Running'], then: ['TooManyActivePods'] },
    { name: 'but not when as many are', pods: ['n1 Running'], then: [] },
    { name: 'nor when every node has one', pods: ['n1 Running', 'n2 Running', 'n3 Running'], then: [] },
  ])('$name', ({ pods, then }) => {
    expect(planned({ spec: { parallelism: 1 }, pods }).notes.map(({ kind }) => kind)).toEqual(then);
  });

  it('counts the place of a Pod that is taken away', () => {
    const nodes = [aNode('n1', { spec: closed }), aNode('n2')];
    const next = planned({ spec: { parallelism: 1 }, pods: ['n1 Running'], nodes });
    expect([nodesOf(next.create), nodesOf(next.remove), numbers(next)]).toEqual([['n2'], ['job-0'], [1, 1, 0, 0]]);
  });

  it('counts only places of Pods that one pass takes away', () => {
    const nodes = Array.from({ length: 1200 }, (_, index) =>
      aNode(`n${String(index).padStart(4, '0')}`, index < 600 ? { spec: closed } : {}),
    );
    const pods = nodes.slice(0, 600).map(({ metadata }) => `${metadata.name} Running`);
    expect(planned({ spec: { parallelism: 600 }, nodes, pods }).create).toHaveLength(500);
    expect(planned({ spec: { parallelism: 300 }, nodes, pods }).create).toHaveLength(200);
  });
});

describe('new Pods', () => {
  const nodes = [aNode('n1', { spec: closed }), aNode('n2', { spec: closed }), aNode('n3')];
  it.each<[string, Given, readonly string[], boolean]>([
    ['do not wait where nothing is deleted', {}, [], false],
    ['wait for Pods that are deleted', { nodes, pods: ['n1 Running'] }, [], true],
    ['do not wait for Pods whose deletion was refused before', { nodes, pods: ['n1 Running', 'n2 Running'] }, ['n1', 'n2'], false],
    ['wait for the other Pods beside one whose deletion was refused', { nodes, pods: ['n1 Running', 'n2 Running'] }, ['n1'], true],
  ])('%s', (_name, given, refused, waits) => {
    expect(waitsForRemovals(planned(given), { refused: refusedFor(...refused) })).toBe(waits);
  });
});

describe('the end of a job', () => {
  const running: BroadcastJobStatus = { phase: 'running', startTime: start };
  const deadline = { completionPolicy: { type: 'Always' as const, activeDeadlineSeconds: 10 } };
  const ended = ['n1 Succeeded', 'n2 Failed', 'n3 going'];

  it.each<{ name: string; given: Given; phase: string | undefined; numbers: readonly number[] }>([
    {
      name: 'comes when every node has a Pod that is over',
      given: { spec: { failurePolicy: { type: 'Continue' } }, pods: ended },
      phase: 'completed',
      numbers: [3, 0, 1, 1],
    },
    {
      name: 'does not come while a Pod runs',
      given: { pods: ['n1 Succeeded', 'n2 Running', 'n3 Succeeded'] },
      phase: 'running',
      numbers: [3, 1, 2, 0],
    },
    { name: 'does not come without a node', given: { nodes: [] }, phase: 'running', numbers: [0, 0, 0, 0] },
    {
      name: 'does not come while a node has none',
      given: { spec: { parallelism: 0 }, pods: ['n1 Succeeded'] },
      phase: 'running',
      numbers: [3, 0, 1, 0],
    },
    {
      name: 'comes with a failure, which counts what is stopped',
      given: { pods: ['n1 Failed', 'n2 Running', 'n3 Succeeded'] },
      phase: 'failed',
      numbers: [3, 0, 1, 2],
    },
    {
      name: 'comes with the failure before it comes with the deadline',
      given: { spec: deadline, status: running, pods: ['n1 Failed'], after: 60 },
      phase: 'failed',
      numbers: [3, 0, 0, 1],
    },
    {
      name: 'comes with the deadline',
      given: { spec: deadline, status: running, pods: ['n1 Running'], after: 10 },
      phase: 'failed',
      numbers: [3, 0, 0, 1],
    },
    {
      name: 'is not decided while it is paused',
      given: { spec: { ...deadline, paused: true }, status: running, pods: ['n1 Failed'], after: 60 },
      phase: 'paused',
      numbers: [3, 0, 0, 1],
    },
    {
      name: 'comes immediately when it continues after its deadline',
      given: { spec: deadline, status: { ...running, phase: 'paused' }, pods: ['n1 Running'], after: 60 },
      phase: 'failed',
      numbers: [3, 0, 0, 1],
    },
    {
      name: 'is not undone where it is that of a job that never completes',
      given: { spec: { completionPolicy: { type: 'Never' } }, status: { phase: 'failed' }, pods: ['n1 Succeeded', 'n2 Running'] },
      phase: 'failed',
      numbers: [3, 1, 1, 0],
    },
    {
      name: 'comes without a deadline that is no number',
      given: {
        spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 'soon' as never } },
        status: running,
        pods: ['n1 Running'],
        after: 60,
      },
      phase: 'running',
      numbers: [3, 1, 0, 0],
    },
    {
      name: 'never comes where it must not',
      given: { spec: { completionPolicy: { type: 'Never' } }, pods: ['n1 Succeeded', 'n2 Succeeded', 'n3 Succeeded'] },
      phase: 'running',
      numbers: [3, 0, 3, 0],
    },
    {
      name: 'applies to an unknown type',
      given: { spec: { completionPolicy: { type: 'Sometimes' as never } }, pods: ['n1 Succeeded', 'n2 Succeeded', 'n3 Succeeded'] },
      phase: 'completed',
      numbers: [3, 0, 3, 0],
    },
    {
      name: 'is not that of an unknown failure policy',
      given: { spec: { failurePolicy: { type: 'Shrug' as never } }, pods: ['n1 Failed'] },
      phase: 'running',
      numbers: [3, 0, 0, 1],
    },
  ])('$name', ({ given, phase, numbers: wanted }) => {
    const next = planned(given);
    expect([next.status.phase, numbers(next)]).toEqual([phase, wanted]);
  });

  it('takes Pods away that have no place any more, also when a kill has left them', () => {
    const nodes = [aNode('n1'), aNode('n2', { spec: closed })];
    const next = planned({ nodes, pods: ['n1 Succeeded', 'n2 Running', 'old waiting'] });
    expect([next.status.phase, numbers(next), next.verdict]).toEqual(['completed', [1, 0, 1, 0], next.status]);
    const left = planned({ nodes, pods: ['n1 Running', 'n2 Running', 'old waiting'], status: next.status });
    expect([nodesOf(next.remove), nodesOf(left.remove)]).toEqual([
      ['job-1', 'job-2'],
      ['job-1', 'job-2'],
    ]);
  });

  it('stops what runs, after it is written', () => {
    const next = planned({ pods: ['n1 Failed', 'n2 Running', 'n3 waiting'] });
    expect([next.verdict, nodesOf(next.remove)]).toEqual([next.status, ['job-1', 'job-2']]);
  });

  it('of a job that never completes starts nothing, and stops what a kill has left running', () => {
    const spec = { completionPolicy: { type: 'Never' as const } };
    const next = planned({ spec, status: { phase: 'failed' }, pods: ['n1 Failed', 'n2 Running'] });
    expect([next.create, next.notes, next.remove]).toEqual([
      [],
      [],
      [expect.objectContaining({ kind: 'DeletePod', because: 'the job has failed' })],
    ]);
  });

  it('is reported in one condition, beside those of others', () => {
    const conditions = [
      { type: 'Complete', status: 'False' },
      { type: 'Reviewed', status: 'True' },
    ] as never;
    const next = planned({ status: { ...running, conditions }, pods: ['n1 Succeeded', 'n2 Succeeded', 'n3 Succeeded'], after: 5 });
    expect(next.status.conditions).toEqual([
      { type: 'Reviewed', status: 'True' },
      {
        type: 'Complete',
        status: 'True',
        reason: 'Complete',
        message: 'Job completed, 3 pods succeeded, 0 pods failed',
        lastProbeTime: '2026-01-01T00:00:05Z',
        lastTransitionTime: '2026-01-01T00:00:05Z',
      },
    ]);
    expect(next.status.completionTime).toBe('2026-01-01T00:00:05Z');
  });

  it('stops what a kill has left running', () => {
    const status: BroadcastJobStatus = { phase: 'failed', completionTime: start, conditions: [{ type: 'Failed', status: 'True' }] };
    const { remove } = planned({ status, pods: ['n1 Failed', 'n2 Running'] });
    expect([nodesOf(remove), remove.map(({ because }) => because)]).toEqual([['job-1'], ['the job has failed']]);
    const complete: BroadcastJobStatus = { phase: 'completed', completionTime: start, conditions: [{ type: 'Complete', status: 'True' }] };
    expect(planned({ status: complete, pods: ['n1 Running'], nodes: [...threeNodes, aNode('n4')] })).toMatchObject({
      remove: [],
      create: [],
    });
  });

  it('is looked for when the deadline is over, however often the manager starts', () => {
    expect(planned({ spec: deadline }).requeueAfter).toBe(10_000);
    expect(planned({ spec: deadline, status: running, pods: ['n1 Running'], after: 4 }).requeueAfter).toBe(6_000);
    expect(planned({ spec: {}, status: running, after: 4 })).not.toHaveProperty('requeueAfter');
  });

  it.each([
    [0, 'DeleteJob', undefined],
    [5, undefined, 5_000],
    [3_000_000, undefined, 3_000_000_000],
  ])('with a time to live of %d s', (ttlSecondsAfterFinished, action, wait) => {
    const spec = { completionPolicy: { type: 'Always' as const, ttlSecondsAfterFinished } };
    const status: BroadcastJobStatus = { phase: 'completed', completionTime: start, conditions: [{ type: 'Complete', status: 'True' }] };
    const next = planned({ spec, status });
    expect([next.remove[0]?.kind, next.requeueAfter, next.status]).toEqual([action, wait, status]);
    expect('requeueAfter' in next).toBe(wait !== undefined);
  });

  it('without its time is never followed by its deletion', () => {
    const spec = { completionPolicy: { type: 'Always' as const, ttlSecondsAfterFinished: 0 } };
    const status: BroadcastJobStatus = { phase: 'completed', conditions: [{ type: 'Complete', status: 'True' }] };
    const next = planned({ spec, status, after: 60 });
    expect(next).toEqual({ status, remove: [], create: [], notes: [], notesAfter: [] });
  });
});

it('a job that is paused says nothing of that', () => {
  expect(planned({ spec: { paused: true } })).toMatchObject({ notes: [], create: [], remove: [], status: { phase: 'paused' } });
});

describe('a job that pauses at a failure', () => {
  const spec = { failurePolicy: { type: 'Pause' as const } };
  it('reports it once, and stays so while the failed Pod exists', () => {
    expect(planned({ spec, pods: ['n1 Failed'] })).toMatchObject({ notes: [{ kind: 'Paused' }], create: [], status: { phase: 'paused' } });
    const paused: BroadcastJobStatus = { phase: 'paused', startTime: start };
    expect(planned({ spec, status: paused, pods: ['n1 Failed'] }).notes).toEqual([]);
    const resumed = planned({ spec, status: paused, pods: [] });
    expect([resumed.notes, resumed.status.phase, resumed.create.length]).toEqual([[{ kind: 'Continued' }], 'running', 3]);
  });
});
