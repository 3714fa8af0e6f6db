/** What the tree of each kind consists of. */
import { describe, expect, it } from '@jest/globals';
import type { AnyObject } from '../seen.ts';
import { cloneSet, object, pod, revision, snapshot, waiting, type PodShape } from '../snapshots.testing.ts';
import type { TreeNode } from './node.ts';
import { summaryOf } from './tree-changes.ts';
import { treeOf } from './tree.ts';

const outline = (node: TreeNode, depth = 0): string =>
  [
    `${'  '.repeat(depth)}${node.kind} ${node.name} (${node.health}) ${summaryOf(node)}`.trimEnd(),
    ...node.children.map((child) => outline(child, depth + 1)),
  ].join('\n');

const drawn = (root: AnyObject, ...objects: readonly AnyObject[]): readonly string[] =>
  outline(treeOf(snapshot(root, ...objects))).split('\n');

it.each([
  [1, '1 restart'],
  [2, '2 restarts'],
])('a container with %i restarts has the fact %p', (restartCount, then) => {
  const main = { restartCount, state: { running: {} } };
  expect(drawn(pod('web-1', undefined, { main }))[1]).toBe(`  Container main (Good) Running, nginx:2, ${then}`);
});

describe('the tree of a CloneSet', () => {
  const web = cloneSet();
  const [old, update] = [revision(web, 'web-a', 1), revision(web, 'web-b', 2)];

  it('has its revisions, newest first, with Pods and containers', () => {
    expect(drawn(web, pod('web-1', web), pod('web-2', web, { revision: 'a' }), old, update)).toEqual([
      'CloneSet web (Good) Complete, 2/2 ready, 2 updated',
      '  Revision web-b (Good) current, 1 Pod',
      '    Pod web-1 (Good) Ready, 1/1 ready, node-1',
      '      Container main (Good) Running, nginx:2',
      '  Revision web-a (Good) 1 Pod',
      '    Pod web-2 (Good) Ready, 1/1 ready, node-1',
      '      Container main (Good) Running, nginx:2',
    ]);
  });

  it('is the same for any order of the objects', () => {
    const objects = [pod('web-1', web), pod('web-2', web), old, update];
    expect(treeOf(snapshot(web, ...objects.toReversed()))).toEqual(treeOf(snapshot(web, ...objects)));
  });

  it('omits revisions without Pods, and Pods of others', () => {
    expect(
      drawn(web, old, update, pod('web-1', web), pod('foreign', cloneSet({}, {}), { metadata: { ownerReferences: [] } })).join('\n'),
    ).not.toMatch(/web-a|foreign/);
  });

  it('names what blocks it', () => {
    const conditions = [{ type: 'Blocked', status: 'True', reason: 'Paused', message: 'the update is paused; 1 Pod waits for it' }];
    expect(
      drawn(cloneSet({ updateStrategy: { rollingUpdate: { paused: true, partition: '50%' } } }, { conditions, updatedReplicas: 1 })),
    ).toEqual([
      'CloneSet web (Faulty) Blocked: Paused, 2/2 ready, 1 updated, paused, partition 50%, the update is paused; 1 Pod waits for it',
    ]);
  });

  it('has the budget, the spread, the pulls and the probes of its Pods', () => {
    const budget = object('policy.kruise.io/v1beta1/PodUnavailableBudget', 'pub', {
      spec: { selector: { matchLabels: { app: 'web' } } },
      status: { currentAvailable: 2, desiredAvailable: 1, totalReplicas: 2, unavailableAllowed: 1 },
    });
    const other = object('policy.kruise.io/v1beta1/PodUnavailableBudget', 'other', { spec: { selector: { matchLabels: { app: 'db' } } } });
    const spread = object('apps.kruise.io/v1beta1/WorkloadSpread', 'zones', {
      spec: { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } },
      status: {
        subsetStatuses: [
          { name: 'a', replicas: 1 },
          { name: 'b', replicas: 1, conditions: [{ type: 'Schedulable', status: 'False' }] },
        ],
      },
    });
    const pull = object('apps.kruise.io/v1beta1/ImagePullJob', 'pull', {
      spec: { image: 'nginx:3' },
      status: { desired: 4, active: 2, succeeded: 2 },
    });
    const marker = object('apps.kruise.io/v1alpha1/PodProbeMarker', 'idle', {
      spec: { selector: { matchLabels: { app: 'web' } }, probes: [{ podConditionType: 'shop/idle' }] },
      status: { matchedPods: 1 },
    });
    const one = pod('web-1', web, {
      annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"zones","subset":"a"}', 'kruise.io/related-pub': 'pub' },
    });
    expect(drawn(web, budget, other, spread, pull, marker, one).filter((line) => !line.includes('Container'))).toEqual([
      'CloneSet web (Good) Complete, 2/2 ready, 2 updated',
      '  PodUnavailableBudget pub (Good) 1 more may be unavailable, 2/2 available, 1 required',
      '  WorkloadSpread zones (Faulty) unschedulable: b, a 1, b 1',
      '  PodProbeMarker idle (Good) 1 Pod',
      '  ImagePullJob pull (Busy) Running, 2/4 nodes, nginx:3, 2 pulling',
      '  Pod web-1 (Good) Ready, 1/1 ready, node-1, subset a, budget pub, probes shop/idle=unknown',
    ]);
  });
});

describe('a Pod', () => {
  const stateOf = (given: Parameters<typeof pod>[2]): string => {
    const { health, state } = treeOf(snapshot(pod('web-1', undefined, given)));
    return `${health} ${state}`;
  };

  it.each<{ name: string; given: Parameters<typeof pod>[2]; then: string }>([
    { name: 'is ready', given: {}, then: 'Good Ready' },
    { name: 'is being deleted', given: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, then: 'Busy Terminating' },
    { name: 'has succeeded', given: { status: { phase: 'Succeeded' } }, then: 'Done Completed' },
    { name: 'was evicted', given: { status: { phase: 'Failed', reason: 'Evicted' } }, then: 'Faulty Evicted' },
    { name: 'has failed without a reason', given: { status: { phase: 'Failed' } }, then: 'Faulty Failed' },
    {
      name: 'cannot be scheduled',
      given: { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } },
      then: 'Faulty Unschedulable',
    },
    {
      name: 'waits for the scheduler',
      given: { status: { phase: 'Pending', conditions: [], containerStatuses: undefined } },
      then: 'Busy Pending',
    },
    { name: 'starts', given: { main: waiting('ContainerCreating'), status: { phase: 'Pending' } }, then: 'Busy ContainerCreating' },
    { name: 'cannot pull', given: { main: waiting('ImagePullBackOff'), status: { phase: 'Pending' } }, then: 'Faulty ImagePullBackOff' },
    { name: 'is not ready', given: { main: { ready: false } }, then: 'Busy Running, not ready' },
    {
      name: 'crashes in an init container',
      given: {
        status: {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'i', restartCount: 1, state: { terminated: { exitCode: 2, reason: 'Error' } } }],
        },
      },
      then: 'Faulty Init: Error (exit code 2)',
    },
  ])('that $name has the state $then', ({ given, then }) => {
    expect(stateOf(given)).toBe(then);
  });

  it('says how far its in-place update is, and which image runs', () => {
    const state = {
      revision: 'web-b',
      updateTimestamp: '2026-01-01T00:00:00Z',
      lastContainerStatuses: { main: { imageID: 'sha256:1' } },
      nextContainerImages: { log: 'log:2' },
      preCheckBeforeNext: { containersRequiredReady: ['main'] },
      containerBatchesRecord: [{ timestamp: '2026-01-01T00:00:00Z', containers: ['main'] }],
    };
    const updating = pod('web-1', undefined, {
      annotations: { 'apps.kruise.io/inplace-update-state': JSON.stringify(state) },
      labels: { 'lifecycle.apps.kruise.io/state': 'Updating' },
      main: { image: 'nginx:1', imageID: 'sha256:1' },
    });
    const [first, second] = drawn(updating);
    expect(first).toMatch(/in place: batch 1, the next batch waits for main: .*, lifecycle Updating$/);
    expect(second).toBe('  Container main (Good) Running, nginx:2, runs nginx:1');
  });

  it('names the containers that another one starts after', () => {
    const env = (priority: number): object => ({
      env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'web-1-barrier', key: `p_${priority}` } } }],
    });
    const containers = [
      { name: 'main', image: 'nginx:2', ...env(0) },
      { name: 'mesh', image: 'mesh:1', ...env(5) },
    ];
    expect(drawn(pod('web-1', undefined, { spec: { containers }, main: waiting('CreateContainerConfigError') })).slice(1)).toEqual([
      '  Container main (Faulty) CreateContainerConfigError, nginx:2, starts after mesh',
      '  Container mesh (Busy) Waiting, mesh:1',
    ]);
  });

  it('shows the pull of its image on its node', () => {
    const node = object('apps.kruise.io/v1beta1/NodeImage', 'node-1', {
      status: { imageStatuses: { nginx: { tags: [{ tag: '2', phase: 'Pulling', progress: 40 }] } } },
    });
    expect(drawn(pod('web-1', undefined, { main: waiting('ContainerCreating') }), node)[1]).toBe(
      '  Container main (Busy) ContainerCreating, nginx:2, pull pulling 40 %',
    );
  });
});

describe('other kinds', () => {
  it('a Deployment has the ReplicaSets that have Pods', () => {
    const deployment = object('apps/v1/Deployment', 'web', {
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    });
    const set = object('apps/v1/ReplicaSet', 'web-1', {
      owner: deployment,
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1 },
    });
    const empty = object('apps/v1/ReplicaSet', 'web-0', { owner: deployment, spec: { replicas: 0 } });
    expect(drawn(deployment, set, empty, pod('web-1-x', set)).slice(0, 3)).toEqual([
      'Deployment web (Good) Complete, 1/1 ready, 1 updated',
      '  ReplicaSet web-1 (Good) Complete, 1/1 ready',
      '    Pod web-1-x (Good) Ready, 1/1 ready, node-1',
    ]);
  });

  it('a UnitedDeployment has its subsets', () => {
    const united = object('apps.kruise.io/v1beta1/UnitedDeployment', 'web', {
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, updatedReplicas: 0 },
    });
    const child = object('apps.kruise.io/v1beta1/CloneSet', 'web-a-x', {
      owner: united,
      labels: { 'apps.kruise.io/subset-name': 'a' },
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
    });
    expect(drawn(united, child, pod('p', child)).slice(0, 3)).toEqual([
      'UnitedDeployment web (Busy) Progressing, 1/1 ready, 0 updated',
      '  CloneSet web-a-x (Good) Complete, subset a, 1/1 ready, 1 updated',
      '    Pod p (Good) Ready, 1/1 ready, node-1',
    ]);
  });

  it('a SidecarSet has the Pods by the version that they were injected with', () => {
    const set = object('apps.kruise.io/v1beta1/SidecarSet', 'mesh', { status: { matchedPods: 2, updatedPods: 1, readyPods: 2 } });
    const at = (hash: string): PodShape => ({ annotations: { 'kruise.io/sidecarset-hash': JSON.stringify({ mesh: { hash } }) } });
    expect(
      drawn(set, pod('a', undefined, at('one')), pod('b', undefined, at('two')), pod('c', undefined)).filter(
        (line) => !line.includes('Container'),
      ),
    ).toEqual([
      'SidecarSet mesh (Busy) Progressing, 1/2 updated, 2 ready',
      '  Version one (Good) 1 Pod',
      '    Pod a (Good) Ready, 1/1 ready, node-1',
      '  Version two (Good) 1 Pod',
      '    Pod b (Good) Ready, 1/1 ready, node-1',
    ]);
  });

  it('a WorkloadSpread has the Pods by subset', () => {
    const spread = object('apps.kruise.io/v1beta1/WorkloadSpread', 'zones', {});
    const matched = pod('a', undefined, { annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"zones","subset":"b"}' } });
    expect(drawn(spread, matched).slice(0, 3)).toEqual([
      'WorkloadSpread zones (Good) Spread',
      '  Subset b (Good) 1 Pod',
      '    Pod a (Good) Ready, 1/1 ready, node-1, subset b',
    ]);
  });

  it.each<{ name: string; root: AnyObject; then: readonly string[] }>([
    {
      name: 'a NodeImage has its pulls',
      root: object('apps.kruise.io/v1beta1/NodeImage', 'node-1', {
        status: {
          desired: 2,
          failed: 1,
          succeeded: 1,
          imageStatuses: {
            nginx: {
              tags: [
                { tag: '1', phase: 'Failed', message: 'not found' },
                { tag: 'sha256:2', phase: 'Succeeded' },
              ],
            },
          },
        },
      }),
      then: [
        'NodeImage node-1 (Faulty) 1 failed, 1/2 images',
        '  Image nginx:1 (Faulty) Failed, not found',
        '  Image nginx@sha256:2 (Done) Succeeded',
      ],
    },
    {
      name: 'a ContainerRecreateRequest has its containers',
      root: object('apps.kruise.io/v1beta1/ContainerRecreateRequest', 'r', {
        spec: { podName: 'web-1' },
        status: { phase: 'Recreating', containerRecreateStates: [{ name: 'main', phase: 'Pending', message: 'waits' }] },
      }),
      then: ['ContainerRecreateRequest r (Busy) Recreating, Pod web-1', '  Container main (Busy) Pending, waits'],
    },
    {
      name: 'a ResourceDistribution has its failures',
      root: object('apps.kruise.io/v1beta1/ResourceDistribution', 'd', {
        status: {
          desired: 3,
          succeeded: 2,
          failed: 1,
          conditions: [
            { type: 'ConflictOccurred', status: 'True', reason: 'exists', failedNamespaces: ['a'] },
            { type: 'GetResourceFailed', status: 'False' },
          ],
        },
      }),
      then: ['ResourceDistribution d (Faulty) 1 failed, 2/3 namespaces', '  Condition ConflictOccurred (Faulty) Failed, a, exists'],
    },
    {
      name: 'a BroadcastJob',
      root: object('apps.kruise.io/v1beta1/BroadcastJob', 'b', { status: { desired: 3, succeeded: 1 } }),
      then: ['BroadcastJob b (Busy) Running, 1/3 nodes succeeded'],
    },
    {
      name: 'a finished Job',
      root: object('batch/v1/Job', 'j', { status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] } }),
      then: ['Job j (Done) Completed, 1/1 succeeded'],
    },
    {
      name: 'an AdvancedCronJob',
      root: object('apps.kruise.io/v1beta1/AdvancedCronJob', 'c', { spec: { schedule: '@daily', paused: true } }),
      then: ['AdvancedCronJob c (Busy) Paused, @daily, 0 active'],
    },
    {
      name: 'a Rollout',
      root: object('rollouts.kruise.io/v1beta1/Rollout', 'r', {
        status: { phase: 'Progressing', canaryStatus: { currentStepIndex: 1, currentStepState: 'StepPaused' } },
      }),
      then: ['Rollout r (Busy) Progressing, step 1 StepPaused'],
    },
    { name: 'an unknown kind', root: object('example.com/v1/Thing', 't'), then: ['Thing t (Good)'] },
    {
      name: 'what is being deleted',
      root: object('apps.kruise.io/v1beta1/CloneSet', 't', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      then: ['CloneSet t (Busy) Terminating'],
    },
  ])('$name', ({ root, then }) => {
    expect(drawn(root)).toEqual(then);
  });
});
