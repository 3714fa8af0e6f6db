/** What the other commands print and write, as transcripts. */
import { describe, expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import { FakeClock, type FakeApi } from '@kruise/kube/testing';
import { fakeApi, kruiseRun, seed, servedTypes, typeOf } from '../testing.ts';
import { pipeClosed } from '../run-program.ts';
import { Transcript } from '../transcript.testing.ts';

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));

function cloneSet(api: FakeApi, more: object = {}): { readonly uid: string } {
  const held = seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'x', namespace: 'default', labels: { app: 'x' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'x' } },
      template: {
        spec: { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }] }] },
      },
      ...more,
    },
  });
  return { uid: held.metadata.uid ?? '' };
}

const pod = (
  name: string,
  owner: string,
  more: { readonly annotations?: object; readonly status?: object; readonly containers?: readonly string[]; readonly labels?: object } = {},
): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    labels: { app: 'x', ...more.labels },
    annotations: more.annotations ?? {},
    ownerReferences:
      owner === '' ? [] : [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'x', uid: owner, controller: true }],
  },
  spec: {
    containers: (more.containers ?? ['main']).map((container) => ({
      name: container,
      image: 'nginx',
      lifecycle: { preStop: { exec: { command: ['true'] } } },
    })),
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...more.status },
});

it('scaledown', async () => {
  const api = fakeApi();
  const { uid } = cloneSet(api);
  for (const name of ['p1', 'p2', 'p3']) seed(api, pod(name, uid));
  seed(api, pod('foreign', 'another'));
  const transcript = new Transcript(api);
  await transcript.run("scaledown x --pods 'p1, p2,p1'");
  await transcript.run('scaledown clone/x --pods p1,p3');
  await transcript.run('scaledown clone/x --pods p1');
  await transcript.run('scaledown x');
  await transcript.run('scaledown x --pods gone,foreign');
  await transcript.run('scaledown x --pods foreign');
  await transcript.run('scaledown deploy/x --pods p1');
  await transcript.run('scaledown other --pods p1');
  golden('scaledown', transcript.text);
});

it('expose', async () => {
  const api = fakeApi();
  cloneSet(api);
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'odd', namespace: 'default' },
    spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
  });
  seed(api, { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'none', namespace: 'default' }, spec: {} });
  const transcript = new Transcript(api);
  await transcript.run('expose clone/x');
  await transcript.run('expose clone/x --port=8080 --target-port=http --name=other --type=NodePort -l tier=web');
  await transcript.run('expose clone/x --port=80 --name=dry --dry-run=client -o yaml');
  await transcript.run('expose clone/x --name=mixed --port=1 --overrides={"spec":{"type":"LoadBalancer"}}');
  await transcript.run('expose clone/odd --port=80');
  await transcript.run('expose clone/none --port=80');
  await transcript.run('expose clone/odd --port=80 --selector=a=b --container-port=9');
  await transcript.run('expose asts/x --port=80');
  await transcript.run('expose clone/x --port=http');
  golden('expose', transcript.text);
});

it('create', async () => {
  const api = fakeApi();
  seed(api, pod('web-1', '', { containers: ['a', 'b'] }));
  const cron = (name: string, template: object): object => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: { name, namespace: 'default' },
    spec: { schedule: '@daily', template },
  });
  const jobSpec = {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
    spec: { template: { spec: { containers: [{ name: 'x', image: 'y' }] } } },
  };
  seed(api, cron('jobs', { jobTemplate: jobSpec }));
  seed(api, cron('broadcasts', { broadcastJobTemplate: jobSpec }));
  const transcript = new Transcript(api);
  await transcript.run('create job one --image=busybox -- date -u');
  await transcript.run('create job two --from=acj/jobs');
  await transcript.run('create job three --from=acj/broadcasts');
  await transcript.run('create broadcastJob one --image=busybox');
  await transcript.run('create bcj two --from=acj/broadcasts');
  await transcript.run('create bcj three --from=acj/broadcasts -- date');
  await transcript.run('create bcj four');
  await transcript.run('create bcj five --from=pod/web-1');
  await transcript.run('create ContainerRecreateRequest r -p web-1 --containers a -u 5');
  await transcript.run(
    'create crr all --pod=web-1 -m 0 --orderedRecreate --terminationGracePeriodSeconds=9 --failurePolicy=Ignore --forceRecreate',
  );
  await transcript.run('create crr r -p gone');
  await transcript.run('create crr r -p web-1 --containers a,c');
  await transcript.run('create crr');
  await transcript.run('create -n other -f x.yaml');
  await transcript.run('create namespace test');
  golden('create', transcript.text);
});

it('exec', async () => {
  const api = fakeApi();
  const { uid } = cloneSet(api);
  seed(
    api,
    pod('hot', uid, {
      containers: ['main', 'side-1', 'side-2', 'plain'],
      annotations: { 'kruise.io/sidecarset-working-hotupgrade-container': '{"side":"side-2"}' },
      status: { conditions: [] },
    }),
  );
  seed(api, pod('ready', uid, { containers: ['main', 'other'] }));
  seed(api, pod('over', uid, { status: { phase: 'Succeeded' } }));
  const transcript = new Transcript(api);
  await transcript.run('exec hot -S side -- date');
  await transcript.run('exec hot -S plain -it -- sh -c true');
  await transcript.run('exec hot -S none -- date');
  await transcript.run('exec hot -S none -c main -- date');
  await transcript.run('exec clone/x --context=c -- date -f');
  await transcript.run('exec over -- date');
  await transcript.run('exec hot');
  await transcript.run('exec hot date');
  await transcript.run('exec hot -c main -- false', { kubectl: () => ({ code: 3, stdout: '' }) });
  golden('exec', transcript.text);
});

it('kubectl gets what is its own, with all words', async () => {
  const api = fakeApi();
  const transcript = new Transcript(api);
  await transcript.run('scale clone/x --replicas=3 --context=c');
  await transcript.run('-n ns get clone -o wide -w');
  await transcript.run('describe clone x');
  await transcript.run('apply -f x.yaml', { kubectl: () => ({ code: 2, stdout: '' }) });
  golden('kubectl', transcript.text);
});

describe('get all', () => {
  const table = (...rows: readonly (readonly string[])[]): object => ({
    kind: 'Table',
    columnDefinitions: [{ name: 'Name', priority: 0 }, { name: 'Desired' }, { name: 'Images', priority: 1 }],
    rows: rows.map(([namespace, ...cells]) => ({ cells, object: { metadata: { namespace } } })),
  });

  it('lists each kind that is served, and skips definitions that no longer exist', async () => {
    const api = fakeApi();
    const types = servedTypes.filter(({ kind }) => ['CloneSet', 'UnitedDeployment', 'SidecarSet'].includes(kind));
    const at = '/apis/apps.kruise.io/v1beta1';
    api.rawAnswers.set(`${at}/namespaces/default/clonesets`, table(['default', 'x', '3', 'nginx'], ['default', 'longer', '12', 'nginx']));
    api.rawAnswers.set(`${at}/namespaces/default/clonesets?labelSelector=a%3Db`, table());
    api.rawAnswers.set(`${at}/clonesets`, table(['default', 'x', '3', 'nginx'], ['other', 'y', '1', 'nginx']));
    api.rawAnswers.set(`${at}/sidecarsets`, table(['', 'inject', '1', 'log']));
    const transcript = new Transcript(api);
    await transcript.run('get all', { types });
    await transcript.run('get all -A -o wide', { types });
    await transcript.run('get all -l a=b', { types });
    golden('get-all', transcript.text);
  });
});

it('describe rollout', async () => {
  const api = fakeApi();
  cloneSet(api, {});
  const labels = { 'controller-revision-hash': 'h2', 'rollouts.kruise.io/rollout-batch-id': '1' };
  seed(api, pod('new', '', { labels, status: { containerStatuses: [{ name: 'main', ready: true, restartCount: 2 }] } }));
  seed(api, pod('older', '', { labels: { ...labels, 'rollouts.kruise.io/rollout-batch-id': '0' } }));
  const rollout = (name: string, version: string, spec: object, status: object): object => ({
    apiVersion: `rollouts.kruise.io/${version}`,
    kind: 'Rollout',
    metadata: { name, namespace: 'default', generation: 1 },
    spec,
    status: { observedGeneration: 1, phase: 'Progressing', message: 'step 1', ...status },
  });
  const workloadRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'x' };
  const canary = {
    steps: [
      { replicas: '20%', traffic: '20%', matches: [{ headers: [{ name: 'user', value: 'me', type: 'Exact' }] }] },
      { replicas: '100%' },
    ],
    trafficRoutings: [
      {
        service: 'web',
        ingress: { classType: 'nginx', name: 'web' },
        gateway: { httpRouteName: 'r' },
        customNetworkRefs: [{ name: 'n', kind: 'VirtualService', apiVersion: 'v1' }],
      },
    ],
  };
  const canaryStatus = {
    currentStepIndex: 1,
    currentStepState: 'StepPaused',
    stableRevision: 'h1',
    canaryRevision: 'h2',
    podTemplateHash: 'h2',
  };
  seed(api, rollout('canary', 'v1beta1', { workloadRef, strategy: { canary } }, { canaryStatus }));
  seed(
    api,
    rollout(
      'old',
      'v1alpha1',
      { objectRef: { workloadRef: { ...workloadRef, name: 'gone' } }, strategy: { canary: { steps: [{ weight: 5 }] } } },
      {},
    ),
  );
  const transcript = new Transcript(api);
  await transcript.run('describe rollout canary --no-color');
  await transcript.run('describe ro rollout/canary --all');
  await transcript.run('describe rollout old --no-color', {
    types: servedTypes.filter(({ group, version }) => group !== 'rollouts.kruise.io' || version === 'v1alpha1'),
  });
  await transcript.run('describe rollout');
  await transcript.run('describe rollout none');
  golden('describe-rollout', transcript.text);
});

it('texts', async () => {
  const api = fakeApi();
  api.rawAnswers.set('/version', { major: '1', minor: '34', gitVersion: 'v1.34.4' });
  const transcript = new Transcript(api);
  await transcript.run('version');
  await transcript.run('version --client -o json');
  await transcript.run('__complete roll');
  await transcript.run('__complete rollout st');
  await transcript.run('__complete rollout status --t');
  await transcript.run('completion tcsh');
  await transcript.run('rollout undo --help');
  await transcript.run('create --help');
  await transcript.run('');
  golden('texts', transcript.text.replaceAll(`"platform": "${process.platform}/${process.arch}"`, '"platform": "os/arch"'));
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
    expect(await kruiseRun(api, `completion ${shell}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('kubectl-kruise __complete') as unknown,
    });
});

it('a closed pipe, and Ctrl-C, end a run without a message', async () => {
  const api = fakeApi();
  cloneSet(api);
  const piped = new AbortController();
  const closed = await kruiseRun(api, 'rollout status clone/x', { signal: piped.signal, onOut: () => piped.abort(pipeClosed) });
  expect(closed).toMatchObject({ code: 141, err: '' });
  const last = new AbortController();
  expect(await kruiseRun(api, 'rollout history clone/x', { signal: last.signal, onOut: () => last.abort(pipeClosed) })).toMatchObject({
    code: 141,
    err: '',
  });
  const typed = new AbortController();
  expect(await kruiseRun(api, 'rollout status clone/x', { signal: typed.signal, onOut: () => typed.abort() })).toMatchObject({
    code: 130,
    err: '',
  });
});

describe('migrate', () => {
  const clone = typeOf('CloneSet');
  const deployment = typeOf('Deployment', 'apps');
  const key = { namespace: 'n', name: 'd' };
  const dst = { namespace: 'n', name: 'c' };

  function seedDeployment(api: FakeApi): void {
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        ...key,
        generation: 1,
        labels: { app: 'd' },
        finalizers: ['a/b'],
        annotations: { kept: 'yes', 'deployment.kubernetes.io/revision': '1', 'rollouts.kruise.io/x': 'y' },
      },
      spec: {
        replicas: 4,
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } } },
        progressDeadlineSeconds: 600,
        minReadySeconds: 5,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      },
      status: { observedGeneration: 1, availableReplicas: 4 },
    });
  }

  /** Controllers that follow each write at once. */
  function follow(
    api: FakeApi,
    seen: (replicas: { readonly src: number; readonly dst: number; readonly available: number }) => void,
  ): void {
    api.onWrite(({ call, after }) => {
      if (call.type === undefined || after === undefined || call.subresource !== '') return;
      const replicas = (after as unknown as { readonly spec: { readonly replicas: number } }).spec.replicas;
      const available =
        (api.peek(clone, dst) as unknown as { readonly status?: { readonly availableReplicas?: number } } | undefined)?.status
          ?.availableReplicas ?? 0;
      const of = (type: typeof clone, at: typeof key): number =>
        (api.peek(type, at) as unknown as { readonly spec: { readonly replicas: number } } | undefined)?.spec.replicas ?? 0;
      seen({ src: of(deployment, key), dst: of(clone, dst), available });
      const type = call.type as typeof clone;
      api.seed(type, { ...after, status: { observedGeneration: after.metadata.generation, availableReplicas: replicas } } as never);
    });
  }

  const line = 'migrate CloneSet --from Deployment -n n --src-name d --dst-name c';

  async function finished<T>(clock: FakeClock, run: Promise<T>): Promise<T> {
    let done = false;
    void run.finally(() => (done = true)).catch(() => undefined);
    for (let i = 0; i < 60 && !done; i++) await clock.step(1000);
    return run;
  }

  it('creates the CloneSet of the Deployment, without Pods unless --copy is given', async () => {
    const api = fakeApi();
    seedDeployment(api);
    const transcript = new Transcript(api);
    await transcript.run(`${line} --create`);
    await transcript.run(`${line} --create`);
    await transcript.run('migrate CloneSet --from Deployment -n n --src-name d --create --copy', {
      types: servedTypes.filter(({ kind, version }) => kind !== 'CloneSet' || version === 'v1alpha1'),
    });
    await transcript.run('migrate CloneSet --from Deployment --src-name d --dst-name c');
    await transcript.run('migrate CloneSet --from StatefulSet -n n --src-name d --dst-name c');
    await transcript.run('migrate Deployment --from CloneSet -n n --src-name d --dst-name c');
    await transcript.run('migrate CloneSet --from Deployment -n n --src-name d');
    await transcript.run(`${line} --replicas 0`);
    await transcript.run(`${line} --replicas 9`);
    await transcript.run('migrate CloneSet --from Deployment -n n --src-name gone --dst-name c');
    golden('migrate', transcript.text);
  });

  it('moves replicas: never more than the surge, and never before the new ones are available', async () => {
    const api = fakeApi();
    seedDeployment(api);
    await kruiseRun(api, `${line} --create`);
    api.seed(clone, { ...api.peek(clone, dst), status: { observedGeneration: 1, availableReplicas: 0 } } as never);
    const states: { readonly src: number; readonly dst: number; readonly available: number }[] = [];
    follow(api, (state) => states.push(state));
    const clock = new FakeClock();
    const result = await finished(clock, kruiseRun(api, `${line} --max-surge 2`, { clock }));
    expect(result).toMatchObject({
      code: 0,
      err: expect.stringContaining('Successfully migrated 4 replicas from Deployment/d to CloneSet/c\n') as unknown,
    });
    expect(states.map(({ src, dst: to }) => [src, to])).toEqual([
      [4, 2],
      [2, 2],
      [2, 4],
      [0, 4],
      [0, 4],
    ]);
    for (const state of states) {
      expect(state.src + state.dst).toBeLessThanOrEqual(6);
      expect(state.src + state.available).toBeGreaterThanOrEqual(4);
    }
  });

  it('may be interrupted after any write and run again', async () => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) {
      const api = fakeApi();
      seedDeployment(api);
      await kruiseRun(api, `${line} --create`);
      api.seed(clone, { ...api.peek(clone, dst), status: { observedGeneration: 1, availableReplicas: 0 } } as never);
      const controller = new AbortController();
      let writes = 0;
      follow(api, ({ src, dst: to }) => {
        expect(src + to).toBeGreaterThanOrEqual(4);
        if (++writes === at) controller.abort();
      });
      const clock = new FakeClock();
      const first = await finished(clock, kruiseRun(api, `${line} --max-surge 1`, { clock, signal: controller.signal }));
      expect(first).toMatchObject({
        code: 130,
        err: expect.stringMatching(
          /^Interrupted: \d of [1-4] replicas? were moved .*; 1 more write may have succeeded\. .*continue\.$/m,
        ) as unknown,
      });
      const left = (api.peek(deployment, key) as unknown as { readonly spec: { readonly replicas: number } }).spec.replicas;
      const again = await finished(clock, kruiseRun(api, `${line} --max-surge 1`, { clock }));
      expect(again).toMatchObject({ code: 0 });
      expect(api.peek(deployment, key)).toMatchObject({ spec: { replicas: 0 } });
      expect(api.peek(clone, dst)).toMatchObject({ spec: { replicas: 4 } });
      expect(api.peek(clone, dst)?.metadata.annotations).toEqual({ kept: 'yes' });
      expect(left).toBeGreaterThan(0);
    }
  });

  it('says when it is interrupted in a wait how far it is, and with which number it continues', async () => {
    const api = fakeApi();
    seedDeployment(api);
    await kruiseRun(api, `${line} --create`);
    api.seed(clone, { ...api.peek(clone, dst), status: { observedGeneration: 1, availableReplicas: 0 } } as never);
    const controller = new AbortController();
    const clock = new FakeClock();
    const run = kruiseRun(api, `${line} --replicas 3`, { clock, signal: controller.signal });
    await clock.settle();
    controller.abort();
    expect(await run).toMatchObject({
      code: 130,
      err:
        'Migration progress: Deployment/d scale in 0, CloneSet/c scale out 1\nInterrupted: 0 of 3 replicas were moved from Deployment/d to ' +
        'CloneSet/c, and CloneSet/c has 1 more. Run the command again with --replicas 3 to continue.\n',
    });
  });

  it('ends at the time limit and when an object is deleted', async () => {
    const api = fakeApi();
    seedDeployment(api);
    await kruiseRun(api, `${line} --create`);
    const clock = new FakeClock();
    const late = await finished(clock, kruiseRun(api, `${line} --timeout-seconds 3`, { clock }));
    expect(late).toMatchObject({ code: 1, err: 'error: failed to migrate: timed out\n' });
    const run = kruiseRun(api, line, { clock });
    await clock.settle();
    await api.delete(clone, dst);
    expect(await finished(clock, run)).toMatchObject({ code: 1, err: 'error: failed to migrate: clonesets "c" not found\n' });
  });
});

describe('completion', () => {
  it('prints names of the namespace that the command line names', async () => {
    const api = fakeApi();
    const set = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', spec: {} };
    for (const [name, namespace] of [
      ['web', 'default'],
      ['worker', 'default'],
      ['db', 'default'],
      ['web-shop', 'shop'],
    ])
      seed(api, { ...set, metadata: { name, namespace } });
    expect(await kruiseRun(api, ['__complete', 'rollout', 'status', 'clone/w'])).toMatchObject({
      code: 0,
      out: 'clone/web\nclone/worker\n',
    });
    expect(await kruiseRun(api, ['__complete', 'rollout', 'status', '-n', 'shop', 'clone', ''])).toMatchObject({
      code: 0,
      out: 'web-shop\n',
    });
    expect(await kruiseRun(api, ['__complete', 'scaledown', 'd'])).toMatchObject({ code: 0, out: 'db\n' });
    expect(await kruiseRun(api, ['__complete', 'rollout', 'pause', 'clone'])).toMatchObject({ code: 0, out: 'clonesets.apps.kruise.io\n' });
  });

  it('prints nothing when the cluster does not answer', async () => {
    const api = fakeApi();
    expect(await kruiseRun(api, ['__complete', 'rollout', 'status', 'nothing/w'])).toMatchObject({ code: 0, out: '', err: '' });
    expect(await kruiseRun(api, ['__complete', 'rollout', 'status', 'clone/w'], { unreachable: true })).toMatchObject({
      code: 0,
      out: '',
      err: '',
    });
  });
});

describe('-o go-template', () => {
  it('prints what kubectl makes of the written object', async () => {
    const api = fakeApi();
    cloneSet(api);
    const inputs: (string | undefined)[] = [];
    const run = (line: string, code = 0) =>
      kruiseRun(api, line, { kubectl: (_args, input) => (inputs.push(input), { code, stdout: 'made by kubectl' }) });
    const result = await run('rollout pause clone/x -o go-template={{.kind}}');
    expect(result).toMatchObject({ code: 0, out: 'made by kubectl' });
    expect(result.kubectl).toEqual([
      [
        'patch',
        '--local',
        '-f',
        '-',
        '--type=merge',
        '-p',
        '{}',
        '--output=go-template',
        '--template={{.kind}}',
        '--allow-missing-template-keys=true',
      ],
    ]);
    expect(JSON.parse(inputs[0] ?? '')).toMatchObject({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'x' } });
    expect(await run('rollout resume clone/x --template={{.nope', 1)).toMatchObject({ code: 1, err: '' });
    expect(await run('rollout pause clone/x -o go-template')).toMatchObject({
      code: 1,
      err: 'error: template format specified but no template given\n',
    });
  });
});
