/** What the commands of `rollout` print and write, as a transcript. */
import { describe, expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import { FakeClock, type FakeApi } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { fakeApi, kruiseRun, seed, typeOf } from '../../testing.ts';
import { Transcript } from '../../transcript.testing.ts';

const selector = { matchLabels: { app: 'x' } };
const template = (image: string, more: object = {}): object => ({
  metadata: { labels: { app: 'x' }, ...more },
  spec: { containers: [{ name: 'main', image }] },
});

const workload = (
  apiVersion: string,
  kind: string,
  more: { readonly spec?: object; readonly status?: object; readonly name?: string } = {},
): object => ({
  apiVersion,
  kind,
  metadata: { name: more.name ?? 'x', namespace: 'default' },
  spec: { replicas: 3, selector, template: template('nginx:3', { annotations: { added: 'later' } }), ...more.spec },
  status: more.status ?? {},
});

function revisions(
  api: FakeApi,
  owner: { readonly apiVersion?: string; readonly kind?: string; readonly metadata: { readonly uid?: string; readonly name: string } },
): void {
  for (const number of [1, 2, 3]) {
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `x-${number}`,
        namespace: 'default',
        labels: { app: 'x' },
        annotations: number === 2 ? { 'kubernetes.io/change-cause': 'a newer nginx' } : {},
        ownerReferences: [
          { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, controller: true },
        ],
      },
      revision: number,
      data: {
        spec: { template: { ...template(`nginx:${number}`, number === 3 ? { annotations: { added: 'later' } } : {}), $patch: 'replace' } },
      },
    });
  }
}

function replicaSets(api: FakeApi, uid: string): void {
  for (const number of [1, 2]) {
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `d-${number}`,
        namespace: 'default',
        labels: { app: 'x', 'pod-template-hash': `h${number}` },
        annotations: { 'deployment.kubernetes.io/revision': `${number}`, from: `revision ${number}` },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid, controller: true }],
      },
      spec: { template: { ...template(`nginx:${number}`), metadata: { labels: { app: 'x', 'pod-template-hash': `h${number}` } } } },
    });
  }
}

const allKinds = (api: FakeApi): void => {
  const clone = seed(api, workload('apps.kruise.io/v1beta1', 'CloneSet', { spec: { updateStrategy: { rollingUpdate: {} } } }));
  seed(api, workload('apps.kruise.io/v1beta1', 'StatefulSet', { name: 'asts' }));
  seed(api, workload('apps.kruise.io/v1beta1', 'DaemonSet', { name: 'ads' }));
  seed(api, workload('apps/v1', 'StatefulSet', { name: 'sts' }));
  const deployment = seed(api, workload('apps/v1', 'Deployment', { name: 'd', spec: { template: template('nginx:2') } }));
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { name: 'ud', namespace: 'default' },
    spec: { template: { cloneSetTemplate: { spec: { template: template('nginx:3') } } } },
  });
  revisions(api, clone);
  replicaSets(api, deployment.metadata.uid ?? '');
};

it('history, pause, resume and restart', async () => {
  const api = fakeApi();
  allKinds(api);
  const transcript = new Transcript(api);
  await transcript.run('rollout history clone/x');
  await transcript.run('rollout history cloneset x --revision=2');
  await transcript.run('rollout history clone/x --revision=9');
  await transcript.run('rollout history clone/x --revision=-1');
  await transcript.run('rollout history deploy/d');
  await transcript.run('rollout history ads/ads');
  await transcript.run('rollout pause clone/x');
  await transcript.run('rollout pause clone/x asts/asts sts/sts');
  await transcript.run('rollout resume clone/x -o name');
  await transcript.run('rollout resume clone/x');
  await transcript.run('rollout restart clone/x ads/ads ud/ud sts/sts deploy/d');
  await transcript.run('rollout restart pods/none');
  await transcript.run('rollout history');
  await transcript.run('rollout history clone x/y');
  await transcript.run('rollout history nosuch/x');
  expect(transcript.text).toBe(goldenText(new URL('./testdata/rollout.txt', import.meta.url), transcript.text));
});

it('undo restores exactly the recorded template', async () => {
  const api = fakeApi();
  allKinds(api);
  const transcript = new Transcript(api);
  await transcript.run('rollout undo clone/x --dry-run=client');
  await transcript.run('rollout undo clone/x --dry-run=server');
  await transcript.run('rollout undo clone/x --to-revision=3');
  await transcript.run('rollout undo clone/x --to-revision=99');
  await transcript.run('rollout undo clone/x');
  await transcript.run('rollout undo asts/asts');
  await transcript.run('rollout undo deploy/d');
  await transcript.run('rollout undo ud/ud');
  expect(transcript.text).toBe(goldenText(new URL('./testdata/undo.txt', import.meta.url), transcript.text));
  expect(api.peek(typeOf('CloneSet'), { namespace: 'default', name: 'x' })).toMatchObject({ spec: { template: template('nginx:2') } });
});

it('approve and fast undo move a Rollout of rollouts.kruise.io', async () => {
  const api = fakeApi();
  const steps = [{ replicas: '10%' }, { replicas: '50%', traffic: '0%' }, { replicas: '50%', traffic: '20%' }, { replicas: '100%' }];
  const rollout = (name: string, version: string, status: object, spec: object = {}): object => ({
    apiVersion: `rollouts.kruise.io/${version}`,
    kind: 'Rollout',
    metadata: { name, namespace: 'default' },
    spec: {
      workloadRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'x' },
      strategy: { blueGreen: { steps } },
      ...spec,
    },
    status,
  });
  allKinds(api);
  seed(api, rollout('canary', 'v1beta1', { canaryStatus: { currentStepState: 'StepPaused', currentStepIndex: 1 } }));
  seed(api, rollout('green', 'v1beta1', { blueGreenStatus: { currentStepState: 'StepUpgrade', currentStepIndex: 4 } }));
  seed(api, rollout('idle', 'v1beta1', {}));
  const transcript = new Transcript(api);
  await transcript.run('rollout approve canary');
  await transcript.run('rollout approve rollout/green rollout/idle clone/x');
  await transcript.run('rollout undo rollout/green --fast');
  await transcript.run('rollout undo rollout/canary --fast');
  await transcript.run('rollout undo rollout/canary clone/x rollout/green');
  await transcript.run('rollout pause rollout/green');
  expect(transcript.text).toBe(goldenText(new URL('./testdata/rollouts.txt', import.meta.url), transcript.text));
});

describe('rollout status', () => {
  const clone = (status: object, generation = 1): object => ({
    ...workload('apps.kruise.io/v1alpha1', 'CloneSet', { status, spec: { updateStrategy: { type: 'InPlaceIfPossible' } } }),
    metadata: { name: 'x', namespace: 'default', generation },
  });
  const key = { namespace: 'default', name: 'x' };
  const type = typeOf('CloneSet', 'apps.kruise.io', 'v1alpha1');
  const types = [type];

  it('prints each state until the rollout is complete', async () => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1, updatedReplicas: 1 }));
    const states = [
      { updatedReplicas: 3, updatedReadyReplicas: 1 },
      { updatedReplicas: 3, updatedReadyReplicas: 3 },
    ];
    const onOut = (): void => {
      const next = states.shift();
      if (next !== undefined) api.seed(type, { ...api.peek(type, key), status: { observedGeneration: 1, ...next } } as never);
    };
    expect(await kruiseRun(api, 'rollout status clone/x', { types, onOut })).toMatchObject({
      code: 0,
      out: [
        'Waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated...',
        'Waiting for 2 pods to be ready...',
        'partitioned roll out complete: 3 new pods have been updated...',
        '',
      ].join('\n'),
    });
  });

  it('ends with 1 when the object is deleted', async () => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1 }));
    const onOut = (): void => void api.delete(type, key);
    expect(await kruiseRun(api, 'rollout status clone/x', { types, onOut })).toMatchObject({
      code: 1,
      err: 'error: object has been deleted\n',
    });
  });

  it('continues with a new list when the watch ends', async () => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1 }));
    const clock = new FakeClock();
    const run = kruiseRun(api, 'rollout status clone/x', { types, clock });
    await clock.settle();
    api.compact();
    api.endWatches();
    await clock.settle();
    api.seed(type, clone({ observedGeneration: 1, updatedReplicas: 3, updatedReadyReplicas: 3 }) as never);
    await clock.step(milliseconds(1000));
    expect(await run).toMatchObject({ code: 0, out: expect.stringContaining('partitioned roll out complete') as unknown });
  });

  it('ends with 1 at the time limit', async () => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1 }));
    const clock = new FakeClock();
    const run = kruiseRun(api, 'rollout status clone/x --timeout=5s', { types, clock });
    await clock.settle();
    await clock.step(milliseconds(5000));
    expect(await run).toMatchObject({ code: 1, err: 'error: timed out waiting for the condition\n' });
  });

  it.each<[line: string, result: object]>([
    [
      'rollout status clone/x --watch=false',
      { code: 0, out: 'Waiting for partitioned roll out to finish: 0 out of 3 new pods have been updated...\n' },
    ],
    ['rollout status clone/other', { code: 1, err: 'Error from server (NotFound): clonesets "other" not found\n' }],
    [
      'rollout status clone/x clone/y',
      {
        code: 1,
        err: 'error: rollout status is only supported on individual resources and resource collections - 2 resources were found\n',
      },
    ],
    ['rollout status', { code: 1, err: 'error: required resource not specified\n' }],
    [
      'rollout status clone/x --nope',
      { code: 1, err: "error: unknown flag: --nope\nSee 'kubectl-kruise rollout status --help' for usage.\n" },
    ],
    [
      'rollout statuz clone/x',
      { code: 1, err: expect.stringContaining('unknown command "statuz" for "kubectl-kruise rollout"') as unknown },
    ],
  ])('%s', async (line, result) => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1 }));
    expect(await kruiseRun(api, line, { types })).toMatchObject(result);
  });

  it('lists the Pods of the update revision with --detail', async () => {
    const api = fakeApi();
    seed(api, clone({ observedGeneration: 1, updateRevision: 'x-7d9' }));
    const pod = (name: string, hash: string, status: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: 'x', 'controller-revision-hash': hash } },
      status: { conditions: [{ type: 'Ready', status }] },
    });
    for (const one of [pod('a', 'x-7d9', 'True'), pod('b', '7d9', 'False'), pod('c', 'x-old', 'True')]) seed(api, one);
    expect(await kruiseRun(api, 'rollout status clone/x --watch=false -d', { types })).toMatchObject({
      out: expect.stringMatching(/^CloneSet x: Waiting .*\nUpdated ready pods: \[a\]\nUpdated not ready pods: \[b\]\n$/) as unknown,
    });
  });
});
