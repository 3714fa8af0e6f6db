/** What the commands of `set` print and write, as a transcript. */
import { expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import { apiFailures, type FakeApi } from '@kruise/kube/testing';
import { fakeApi, kruiseRun, seed, typeOf } from '../../testing.ts';
import { Transcript } from '../../transcript.testing.ts';

const podSpec = {
  initContainers: [{ name: 'init', image: 'busybox:1' }],
  containers: [
    {
      name: 'main',
      image: 'nginx:1',
      env: [
        { name: 'B', value: 'x' },
        { name: 'A', value: '0' },
        { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'pass' } } },
      ],
      unknownField: { kept: true },
    },
    { name: 'side', image: 'envoy:1', resources: { limits: { cpu: '1' } } },
  ],
};

const workload = (apiVersion: string, kind: string, name: string): object => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default', labels: { app: name } },
  spec: { template: { spec: podSpec }, alsoUnknown: 1 },
});

function seedAll(api: FakeApi): void {
  seed(api, workload('apps.kruise.io/v1beta1', 'CloneSet', 'x'));
  seed(api, workload('apps.kruise.io/v1beta1', 'StatefulSet', 'asts'));
  seed(api, workload('apps.kruise.io/v1beta1', 'DaemonSet', 'ads'));
  seed(api, workload('apps/v1', 'Deployment', 'd'));
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name: 'inject' },
    spec: { containers: [{ name: 'log', image: 'log:1' }] },
  });
  seed(api, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { name: 'ud', namespace: 'default' },
    spec: { template: { cloneSetTemplate: { spec: { template: { spec: podSpec } } } } },
  });
  seed(api, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default' },
    data: { pass: 'c2VjcmV0', 'other-key': 'eA==' },
  });
  seed(api, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'old', tier: 'x' } },
  });
  seed(api, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'rb', namespace: 'default' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
  });
}

const document = `apiVersion: apps.kruise.io/v1beta1
kind: CloneSet
metadata: {name: local}
spec: {template: {spec: {containers: [{name: main, image: nginx:1}]}}}
`;

it('set', async () => {
  const api = fakeApi();
  seedAll(api);
  const transcript = new Transcript(api);
  await transcript.run('set image clone/x main=nginx:2 side=envoy:2');
  await transcript.run("set image clone/x '*=nginx:3' --dry-run=client -o yaml");
  await transcript.run('set image clone/x none=nginx:2');
  await transcript.run('set image clone/x');
  await transcript.run('set image clone/x *=a main=b');
  await transcript.run('set image clone/x main=nginx:2');
  await transcript.run('set image deploy/d ads/ads sidecarset/inject log=log:2 main=nginx:4');
  await transcript.run('set image ud/ud main=nginx:5 --dry-run=server');
  await transcript.run('set image clone --all main=nginx:6 -o name');
  await transcript.run('set image clone -l app=none main=nginx:6');
  await transcript.run('set image clone main=nginx:6');
  await transcript.run('set image clone --all -l a=b main=nginx:6');
  await transcript.run('set image svc/web main=a');
  await transcript.run('set image --local -f - main=nginx:7 -o yaml', { stdin: document });
  await transcript.run('set image --local clone/x main=nginx:7');
  await transcript.run('set image --local -f - --dry-run=server main=nginx:7', { stdin: document });
  await transcript.run('set env asts/asts A=1 B- C=2 -c main');
  await transcript.run('set env asts/asts A=2 --overwrite=false -c main');
  await transcript.run('set env asts/asts -e - -c side', { stdin: 'X=1\n# no\nY=2\n' });
  await transcript.run('set env clone/x --from=secret/s --prefix=DB_ -c side');
  await transcript.run('set env clone/x --list -c main');
  await transcript.run('set env clone/x --list --resolve -c main');
  await transcript.run('set env sidecarset/inject LEVEL=debug');
  await transcript.run('set env clone/x');
  await transcript.run('set env clone/x 1A=2');
  await transcript.run('set env clone/x A=1 A-');
  await transcript.run('set resources clone/x -c side --limits=cpu=200m,memory=1Gi --requests=cpu=100m');
  await transcript.run('set resources clone/x');
  await transcript.run('set resources clone/x --limits=cpu=much');
  await transcript.run('set resources clone/x --limits=cpu=1 -c none');
  await transcript.run('set serviceaccount clone/x robot');
  await transcript.run('set sa deploy/d robot');
  await transcript.run('set selector svc/web app=new');
  await transcript.run('set selector clone/x app=new');
  await transcript.run('set selector svc/web app!=new');
  await transcript.run('set subject rolebinding/rb --user=ann --user=bob --group=ops --serviceaccount=ns:robot');
  await transcript.run('set subject rolebinding/rb');
  await transcript.run('set subject clone/x --user=a');
  await transcript.run('set subject rolebinding/rb --serviceaccount=robot');
  expect(transcript.text).toBe(goldenText(new URL('./testdata/set.txt', import.meta.url), transcript.text));
});

it('a change is made again on the newest object when another client writes in between, and then once only', async () => {
  const api = fakeApi();
  seedAll(api);
  const type = typeOf('CloneSet');
  const key = { namespace: 'default', name: 'x' };
  let rivals = 1;
  api.faults = {
    arrive: ({ verb }) => {
      if (verb !== 'patch' || rivals-- <= 0) return;
      api.seed(type, { ...api.peek(type, key), metadata: { ...api.peek(type, key)?.metadata, labels: { rival: 'yes' } } } as never);
    },
  };
  expect(await kruiseRun(api, 'set image clone/x main=nginx:2')).toMatchObject({ code: 0 });
  expect(api.peek(type, key)).toMatchObject({
    metadata: { labels: { rival: 'yes' } },
    spec: { alsoUnknown: 1, template: { spec: { containers: [{ image: 'nginx:2', unknownField: { kept: true } }, {}] } } },
  });
  api.faults = {
    arrive: ({ verb }) => {
      if (verb === 'patch') throw apiFailures.conflict(type, 'x', 'changed');
    },
  };
  expect(await kruiseRun(api, 'set image clone/x main=nginx:3')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Error from server (Conflict)') as unknown,
  });
});
