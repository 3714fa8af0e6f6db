/** What Argo CD shows and does for single objects, for those that the original left on a real cluster, and the limits of its ConfigMap. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  allRecordedObjects,
  argoHealth,
  goldenText,
  recordedObjects,
  recordedStages,
  runArgoScript,
  skipUnless,
  whyNoLua,
  type ArgoObject,
  type RecordedStage,
} from '@kruise/testing';
import { actionsOf, argocdGenerator, helpersOf, parseHelpers } from './argocd.ts';

const missing = whyNoLua();
const describeRuns = skipUnless(missing === undefined, missing ?? '', describe);

type Part = Readonly<Record<string, unknown>>;
interface Shape {
  readonly version?: string;
  readonly kind?: string;
  readonly group?: string;
  readonly spec?: Part;
  readonly status?: Part;
  readonly metadata?: Part;
}

const anObject = ({ version = 'v1beta1', kind = 'CloneSet', group = 'apps.kruise.io', spec = {}, status, metadata = {} }: Shape) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name: 'web', namespace: 'default', generation: 2, ...metadata },
  spec,
  ...(status === undefined ? {} : { status }),
});

const shown = (shape: Shape): string => {
  const [{ status, message = '' } = { status: 'nothing' }] = argoHealth([anObject(shape)]);
  return `${status}: ${message}`;
};

const full = { observedGeneration: 2, replicas: 5, readyReplicas: 5, availableReplicas: 5, updatedReplicas: 5, expectedUpdatedReplicas: 5 };
const condition = (type: string, reason: string, message = 'details', status = 'True') => ({ type, status, reason, message });
const blocked = (reason: string) => ({ ...full, availableReplicas: 4, conditions: [condition('Blocked', reason)] });
const five = { replicas: 5 };
const daemons = {
  observedGeneration: 2,
  desiredNumberScheduled: 5,
  currentNumberScheduled: 5,
  numberAvailable: 5,
  updatedNumberScheduled: 5,
};

describeRuns('health of a workload', () => {
  it.each<[name: string, shape: Shape, says: string]>([
    ['not read yet', { spec: five }, 'Progressing: The controller has not read the object yet'],
    [
      'of an older generation',
      { spec: five, status: { ...full, observedGeneration: 1 } },
      'Progressing: The controller has not read the latest spec yet',
    ],
    ['complete', { spec: five, status: full }, 'Healthy: 5 of 5 Pods are available'],
    ['complete in v1alpha1', { version: 'v1alpha1', spec: five, status: full }, 'Healthy: 5 of 5 Pods are available'],
    [
      'without Pods',
      {
        spec: { replicas: 0 },
        status: { ...full, ...{ replicas: 0, availableReplicas: 0, updatedReplicas: 0, expectedUpdatedReplicas: 0 } },
      },
      'Healthy: 0 of 0 Pods are available',
    ],
    ['updating', { spec: five, status: { ...full, updatedReplicas: 2 } }, 'Progressing: 2 of 5 Pods are updated'],
    [
      'scaling out',
      { spec: five, status: { ...full, replicas: 3, availableReplicas: 3, updatedReplicas: 5 } },
      'Progressing: 3 of 5 Pods are available',
    ],
    [
      'scaling in',
      { spec: { replicas: 3 }, status: { ...full, expectedUpdatedReplicas: 3 } },
      'Progressing: 5 Pods exist, and 3 are wanted',
    ],
    [
      'at its partition in v1beta1',
      {
        spec: { ...five, updateStrategy: { rollingUpdate: { partition: 3 } } },
        status: { ...full, updatedReplicas: 2, expectedUpdatedReplicas: 2 },
      },
      'Suspended: The partition is reached: 3 of 5 Pods keep older revisions',
    ],
    [
      'at its partition in v1alpha1, counted by a manager that leaves out 0',
      {
        version: 'v1alpha1',
        spec: { ...five, updateStrategy: { partition: '100%' } },
        status: { ...full, updatedReplicas: 0, expectedUpdatedReplicas: undefined },
      },
      'Suspended: The partition is reached: 5 of 5 Pods keep older revisions',
    ],
    [
      'on its way to the partition',
      {
        spec: { ...five, updateStrategy: { rollingUpdate: { partition: '50%' } } },
        status: { ...full, updatedReplicas: 1, expectedUpdatedReplicas: 2 },
      },
      'Progressing: 1 of 2 Pods are updated',
    ],
    [
      'with a partition after the rollout',
      { spec: { ...five, updateStrategy: { rollingUpdate: { partition: 3 } } }, status: { ...full, expectedUpdatedReplicas: 2 } },
      'Healthy: 5 of 5 Pods are available',
    ],
    [
      'paused in v1beta1',
      { spec: { ...five, updateStrategy: { rollingUpdate: { paused: true } } }, status: full },
      'Suspended: The object is paused',
    ],
    [
      'paused in v1alpha1',
      { version: 'v1alpha1', spec: { ...five, updateStrategy: { paused: true } }, status: full },
      'Suspended: The object is paused',
    ],
    [
      'whose Pods a user deletes',
      { spec: { ...five, updateStrategy: { type: 'OnDelete' } }, status: { ...full, updatedReplicas: 1 } },
      'Suspended: 4 of 5 Pods keep older revisions until they are deleted',
    ],
    [
      'with an image that cannot be pulled',
      { spec: five, status: blocked('ImageCannotBePulled') },
      'Degraded: ImageCannotBePulled: details',
    ],
    [
      'paused and faulty',
      { spec: { ...five, updateStrategy: { rollingUpdate: { paused: true } } }, status: blocked('ContainerCrashes') },
      'Degraded: ContainerCrashes: details',
    ],
    ['with a reason of a later release', { spec: five, status: blocked('NewFault') }, 'Degraded: NewFault: details'],
    ['that waits for a budget', { spec: five, status: blocked('BudgetRefuses') }, 'Progressing: BudgetRefuses: details'],
    ['that waits for a node', { spec: five, status: blocked('Unschedulable') }, 'Progressing: Unschedulable: details'],
    ['that its limits do not allow to update', { spec: five, status: blocked('UpdateLimited') }, 'Suspended: UpdateLimited: details'],
    [
      'that was blocked',
      { spec: five, status: { ...full, conditions: [condition('Blocked', 'ContainerCrashes', '', 'False')] } },
      'Healthy: 5 of 5 Pods are available',
    ],
    [
      'that cannot scale',
      { spec: five, status: { ...full, replicas: 4, availableReplicas: 4, conditions: [condition('FailedScale', '', 'exceeded quota')] } },
      'Degraded: FailedScale: exceeded quota',
    ],
    [
      'whose calls failed once, as the original reports it',
      { spec: five, status: { ...full, conditions: [condition('FailedUpdate', '', 'the object has been modified')] } },
      'Healthy: 5 of 5 Pods are available',
    ],
    [
      'over its deadline',
      { spec: five, status: { ...full, conditions: [condition('Progressing', 'ProgressDeadlineExceeded', 'late', 'False')] } },
      'Degraded: ProgressDeadlineExceeded: late',
    ],
    [
      'being deleted',
      { spec: five, status: full, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'Progressing: The object is being deleted',
    ],
    [
      'that counts ordinals',
      {
        kind: 'StatefulSet',
        spec: { ...five, updateStrategy: { rollingUpdate: { partition: 4 } } },
        status: { ...full, updatedReplicas: 1 },
      },
      'Suspended: The partition is reached: 4 of 5 Pods keep older revisions',
    ],
    [
      'that cannot create a Pod',
      {
        kind: 'StatefulSet',
        spec: five,
        status: { ...full, replicas: 4, availableReplicas: 4, conditions: [condition('FailedCreatePod', '', 'quota')] },
      },
      'Degraded: FailedCreatePod: quota',
    ],
    ['on nodes', { kind: 'DaemonSet', status: daemons }, 'Healthy: 5 of 5 Pods are available'],
    [
      'on nodes, at half of them',
      {
        kind: 'DaemonSet',
        spec: { updateStrategy: { rollingUpdate: { partition: '50%' } } },
        status: { ...daemons, updatedNumberScheduled: 3 },
      },
      'Suspended: The partition is reached: 2 of 5 Pods keep older revisions',
    ],
    [
      'on nodes, one too few',
      {
        kind: 'DaemonSet',
        spec: { updateStrategy: { rollingUpdate: { partition: '50%' } } },
        status: { ...daemons, updatedNumberScheduled: 2 },
      },
      'Progressing: 2 of 3 Pods are updated',
    ],
    [
      'on nodes that a partition leaves without a Pod',
      {
        kind: 'DaemonSet',
        version: 'v1alpha1',
        metadata: { annotations: { 'daemonset.kruise.io/progressive-create-pod': 'true' } },
        spec: { updateStrategy: { rollingUpdate: { partition: 4 } } },
        status: { ...daemons, currentNumberScheduled: 1, numberAvailable: 1, updatedNumberScheduled: 1 },
      },
      'Suspended: The partition is reached: 4 of 5 Pods keep older revisions',
    ],
    [
      'on selected nodes',
      {
        kind: 'DaemonSet',
        spec: { updateStrategy: { rollingUpdate: { selector: { matchLabels: { canary: 'y' } } } } },
        status: { ...daemons, updatedNumberScheduled: 1, conditions: [condition('Blocked', 'PartitionReached')] },
      },
      'Suspended: The partition is reached: 4 of 5 Pods keep older revisions',
    ],
  ])('%s', (_name, shape, says) => expect(shown(shape)).toBe(says));
});

const subsets = (...sizes: readonly number[]) => sizes.map((replicas, at) => ({ name: `s${at}`, replicas }));
const united = (status: Part, partitions?: Part): Shape => ({
  kind: 'UnitedDeployment',
  spec: { ...five, ...(partitions === undefined ? {} : { updateStrategy: { manualUpdate: { partitions } } }) },
  status: { observedGeneration: 2, replicas: 5, readyReplicas: 5, updatedReplicas: 5, subsetStatuses: subsets(2, 3), ...status },
});
const job = (kind: string, spec: Part, status: Part): Shape => ({ kind, spec, status });

describeRuns('health of other kinds', () => {
  it.each<[name: string, shape: Shape, says: string]>([
    ['UnitedDeployment complete', united({}), 'Healthy: 5 of 5 Pods are available'],
    [
      'UnitedDeployment at its partitions',
      united({ updatedReplicas: 1 }, { s0: 1, s1: 9 }),
      'Suspended: The partition is reached: 4 of 5 Pods keep older revisions',
    ],
    ['UnitedDeployment before its partitions', united({ updatedReplicas: 0 }, { s0: 1, s1: 9 }), 'Progressing: 0 of 1 Pods are updated'],
    [
      'UnitedDeployment whose subset cannot be created',
      united({ conditions: [condition('SubsetProvisioned', 'Error', 'quota', 'False')] }),
      'Degraded: Error: quota',
    ],
    [
      'BroadcastJob running',
      job('BroadcastJob', {}, { phase: 'running', desired: 3, succeeded: 1 }),
      'Progressing: 1 of 3 Pods succeeded, 0 failed',
    ],
    [
      'BroadcastJob completed',
      job('BroadcastJob', {}, { phase: 'completed', desired: 3, succeeded: 3 }),
      'Healthy: 3 of 3 Pods succeeded, 0 failed',
    ],
    [
      'BroadcastJob failed',
      job('BroadcastJob', {}, { phase: 'failed', desired: 3, failed: 3 }),
      'Degraded: 0 of 3 Pods succeeded, 3 failed',
    ],
    [
      'BroadcastJob that waits after a failure',
      job('BroadcastJob', {}, { phase: 'paused', desired: 3, failed: 1 }),
      'Suspended: The job is paused: 0 of 3 Pods succeeded, 1 failed',
    ],
    [
      'BroadcastJob for all future nodes',
      job('BroadcastJob', { completionPolicy: { type: 'Never' } }, { phase: 'running', desired: 3, succeeded: 3 }),
      'Healthy: 3 of 3 Pods succeeded, 0 failed, the job waits for new nodes',
    ],
    ['AdvancedCronJob before its first time', job('AdvancedCronJob', {}, { type: 'Job' }), 'Healthy: No job has been scheduled yet'],
    ['AdvancedCronJob paused', job('AdvancedCronJob', { paused: true }, { type: 'Job' }), 'Suspended: The object is paused'],
    [
      'EphemeralJob in error',
      job('EphemeralJob', {}, { phase: 'Error', match: 1 }),
      'Degraded: The job cannot run: 0 of 1 Pods succeeded, 0 failed',
    ],
    [
      'ImagePullJob running',
      job('ImagePullJob', {}, { desired: 3, succeeded: 1, failed: 1, active: 1 }),
      'Progressing: The image is on 1 of 3 nodes, 1 failed',
    ],
    [
      'ImagePullJob failed',
      job('ImagePullJob', {}, { desired: 3, succeeded: 2, failed: 1, completionTime: 'x', message: 'm' }),
      'Degraded: The image is on 2 of 3 nodes, 1 failed. m',
    ],
    [
      'ImagePullJob for all future nodes',
      job('ImagePullJob', { completionPolicy: { type: 'Never' } }, { desired: 3, succeeded: 3 }),
      'Healthy: The image is on 3 of 3 nodes, 0 failed',
    ],
    [
      'ImageListPullJob failed',
      job(
        'ImageListPullJob',
        {},
        { desired: 2, succeeded: 1, completed: 2, completionTime: 'x', failedImageStatuses: [{ name: 'a:1', message: 'm' }] },
      ),
      'Degraded: 1 of 2 images are pulled. a:1: m',
    ],
    [
      'ContainerRecreateRequest failed',
      job('ContainerRecreateRequest', {}, { phase: 'Completed', containerRecreateStates: [{ name: 'c', phase: 'Failed', message: 'm' }] }),
      'Degraded: Container c failed: m',
    ],
    [
      'ContainerRecreateRequest complete',
      job('ContainerRecreateRequest', {}, { phase: 'Completed', containerRecreateStates: [{ name: 'c', phase: 'Succeeded' }] }),
      'Healthy: The containers are recreated',
    ],
    [
      'SidecarSet at its partition',
      job(
        'SidecarSet',
        { updateStrategy: { partition: '50%' } },
        { observedGeneration: 2, matchedPods: 4, updatedPods: 2, updatedReadyPods: 2 },
      ),
      'Suspended: The partition is reached: 2 of 4 Pods have the latest version',
    ],
    [
      'SidecarSet that updates no Pod',
      job('SidecarSet', { updateStrategy: { type: 'NotUpdate' } }, { observedGeneration: 2, matchedPods: 4, updatedPods: 0 }),
      'Healthy: 0 of 4 Pods have the latest version, new Pods get it',
    ],
    [
      'ResourceDistribution with a conflict',
      job(
        'ResourceDistribution',
        {},
        { observedGeneration: 2, desired: 3, succeeded: 2, failed: 1, conditions: [condition('ConflictOccurred', 'exists', '')] },
      ),
      'Degraded: The resource is in 2 of 3 namespaces. exists',
    ],
    [
      'PodUnavailableBudget that never allows',
      {
        ...job('PodUnavailableBudget', {}, { observedGeneration: 2, conditions: [condition('Blocked', 'NeverAllows')] }),
        group: 'policy.kruise.io',
      },
      'Degraded: NeverAllows: details',
    ],
    [
      'WorkloadSpread without a zone',
      job(
        'WorkloadSpread',
        {},
        { observedGeneration: 2, subsetStatuses: [{ name: 'a', conditions: [{ type: 'Schedulable', status: 'False' }] }] },
      ),
      'Healthy: Other subsets take the Pods of subset a',
    ],
  ])('%s', (_name, shape, says) => expect(shown(shape)).toBe(says));
});

/** The object after an action, as Argo CD writes it: an empty table is an empty list in Lua. */
const acted = (name: string, shape: Shape) => runArgoScript(`actions/${name}/action.lua`, [anObject(shape)])[0] as { readonly spec: Part };
const rolling = (members: Part): Part => ({ ...five, updateStrategy: { rollingUpdate: members } });

describeRuns('actions', () => {
  it.each<[action: string, shape: Shape, spec: Part]>([
    ['pause', { spec: five }, rolling({ paused: true })],
    ['pause', { version: 'v1alpha1', spec: five }, { ...five, updateStrategy: { paused: true } }],
    ['resume', { kind: 'StatefulSet', spec: rolling({ paused: true }) }, rolling({ paused: false })],
    ['resume', { kind: 'BroadcastJob', spec: { paused: true } }, { paused: false }],
    ['partition-step', { spec: rolling({ partition: 3 }) }, rolling({ partition: 2 })],
    ['partition-step', { spec: { ...rolling({ partition: 30 }), replicas: 30 } }, { ...rolling({ partition: 27 }), replicas: 30 }],
    ['partition-step', { spec: rolling({ partition: '35%' }) }, rolling({ partition: '25%' })],
    ['partition-step', { spec: rolling({ partition: '5%' }) }, rolling({ partition: '0%' })],
    ['partition-full', { spec: rolling({ partition: '35%' }) }, rolling({ partition: '0%' })],
    ['partition-full', { version: 'v1alpha1', spec: { updateStrategy: { partition: 4 } } }, { updateStrategy: { partition: 0 } }],
    [
      'partition-step',
      { ...united({}), spec: { updateStrategy: { manualUpdate: { partitions: { s0: 2, s1: 0 } } } } },
      { updateStrategy: { manualUpdate: { partitions: { s0: 1, s1: 0 } } } },
    ],
  ])('%s %j', (name, shape, spec) => expect(acted(name, shape).spec).toEqual(spec));

  const containers = (env?: unknown) => ({ spec: { containers: [{ name: 'a', ...(env === undefined ? {} : { env }) }] } });

  it.each<[name: string, spec: Part]>([
    ['CloneSet', { template: containers() }],
    ['StatefulSet', { template: containers([{ name: 'RESTARTED_AT', value: 'earlier' }]) }],
    ['UnitedDeployment', { template: { cloneSetTemplate: { spec: { template: containers() } } } }],
  ])('restart sets an environment variable of every container of a %s', (kind, spec) => {
    const text = JSON.stringify(acted('restart', { kind, spec }).spec);
    expect(text).toMatch(/"env":\[\{[^[\]]*"RESTARTED_AT"[^[\]]*\}\]/);
    expect(text).toMatch(/"value":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/);
    expect(text).not.toContain('earlier');
  });

  it('retry creates a copy of a job that ended, without what Argo CD tracks by', () => {
    const metadata = { labels: { 'app.kubernetes.io/instance': 'app' }, uid: 'u' };
    const spec = { image: 'a:1', completionPolicy: {}, podSelector: {} };
    expect(acted('retry', { kind: 'ImagePullJob', spec, metadata })).toEqual([
      {
        operation: 'create',
        resource: {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'ImagePullJob',
          metadata: { generateName: 'web-', namespace: 'default' },
          spec: { image: 'a:1', completionPolicy: { type: 'Always' } },
        },
      },
    ]);
  });

  it.each<[name: string, shape: Shape, enabled: readonly string[]]>([
    ['a CloneSet', { spec: five }, ['pause', 'restart']],
    [
      'a paused CloneSet with a partition',
      { spec: rolling({ paused: true, partition: 1 }) },
      ['partition-full', 'partition-step', 'restart', 'resume'],
    ],
    ['a CloneSet with OnDelete', { spec: { updateStrategy: { type: 'OnDelete' } } }, ['restart']],
    ['a UnitedDeployment with partitions', { ...united({}, { s0: 1 }) }, ['partition-full', 'partition-step', 'restart']],
    ['a job that runs', job('BroadcastJob', {}, { phase: 'running' }), ['pause']],
    ['a job that failed', job('BroadcastJob', {}, { phase: 'failed', completionTime: 'x' }), ['retry']],
  ])('%s offers what has an effect', (_name, shape, enabled) => {
    const [offered] = runArgoScript('actions/discovery.lua', [anObject(shape)]) as readonly Readonly<
      Record<string, { readonly disabled: boolean }>
    >[];
    const names = Object.entries(offered ?? {}).filter(([, { disabled }]) => !disabled);
    expect(names.map(([name]) => name).toSorted()).toEqual(enabled);
  });
});

describeRuns('recorded objects', () => {
  const files = [
    'advancedcronjobs.v1beta1',
    'broadcastjobs.v1beta1',
    'clonesets.v1alpha1',
    'clonesets.v1beta1',
    'daemonsets.v1beta1',
    'imagepulljobs.v1beta1',
    'podprobemarkers.v1alpha1',
    'pub',
    'sidecarsets.v1alpha1',
    'sidecarsets.v1beta1',
    'statefulsets.v1beta1',
    'uniteddeployments.v1beta1',
    'workloadspreads.v1beta1',
  ];
  type Recorded = ArgoObject & { readonly metadata: { readonly name: string } };

  const linesOf = (stage: RecordedStage): readonly string[] =>
    files.flatMap((file) => {
      const objects = recordedObjects<Recorded>(stage, file);
      return argoHealth(objects).map(({ status, message }, at) => `${file} ${objects[at]?.metadata.name}: ${status}: ${message}`);
    });

  it('of an installation at rest are all Healthy or Suspended', () => {
    expect(linesOf('1-created').filter((line) => !/: (Healthy|Suspended): /.test(line))).toEqual([]);
  });

  it('have the verdicts in testdata', () => {
    const text = recordedStages.flatMap((stage) => [stage, ...linesOf(stage).map((line) => `  ${line}`)]).join('\n');
    expect(`${text}\n`).toBe(goldenText(new URL('../testdata/argocd-recorded.txt', import.meta.url), `${text}\n`));
  });

  it('have one verdict in both versions', () => {
    for (const kind of ['clonesets', 'sidecarsets'])
      expect(argoHealth(allRecordedObjects<ArgoObject>(`${kind}.v1alpha1`))).toEqual(
        argoHealth(allRecordedObjects<ArgoObject>(`${kind}.v1beta1`)),
      );
  });
});

describe('generated scripts', () => {
  const files = argocdGenerator.files();

  it('contain each function once and only those that they call', () => {
    const helpers = parseHelpers(readFileSync(join(import.meta.dirname, '../../../integrations/argocd/source/helpers.lua'), 'utf8'));
    const names = helpersOf('return failure("A")', helpers).map(({ name }) => name);
    expect(names).toEqual(['verdict', 'member', 'list', 'trueCondition', 'explained', 'failure']);
    const used = new Set(files.flatMap(({ content }) => [...content.matchAll(/^local function (\w+)/gm)].map(([, name]) => name)));
    expect(helpers.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it('use no library that Argo CD does not load', () => {
    const scripts = files
      .filter(({ path }) => path.endsWith('.lua'))
      .map(({ path, content }) => ({ path, code: content.replaceAll(/--.*$/gm, '') }));
    expect(scripts.filter(({ code }) => /\b(string|math|io|debug|coroutine)\./.test(code))).toEqual([]);
    expect(scripts.filter(({ path, code }) => /\bos\./.test(code) && !path.includes('/restart/'))).toEqual([]);
  });

  it('fit in an annotation of 256 KiB, in which kubectl apply stores the ConfigMap', () => {
    const [patch] = files.filter(({ path }) => path.endsWith('argocd-cm-patch.yaml'));
    expect(JSON.stringify(patch?.content).length).toBeLessThan(256 * 1024);
  });

  it('have the actions that the page lists for each kind', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/gitops.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (`[^|]*`) +\| ([A-Z][^|]*|the same) *\|/gm)].map(([, actions = '', kinds = '']) => ({
      actions: actions.replaceAll('`', '').trim().split(', '),
      kinds: kinds.trim(),
    }));
    const listed = rows.flatMap(({ actions, kinds }, at) =>
      (kinds === 'the same' ? (rows[at - 1]?.kinds ?? '') : kinds)
        .split(', ')
        .flatMap((kind) => actions.map((action) => `${kind} ${action}`)),
    );
    const known = Object.entries(actionsOf).flatMap(([kind, names]) => names.map((name) => `${kind} ${name}`));
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});
