/** `kubectl kruise why` on states that only real nodes have: containers that cannot start, and a node without an agent. @see docs/kubectl-kruise.md */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, imagePullJobs, nodeImages } from '@kruise/api';
import { pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { evidenceOf, runWhy, type Why } from '../../apps/manager/src/int-tests/why/run-why.testing.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';
import { NodeLabels } from '../support/node-labels.ts';
import { given, kubectl } from '../support/programs.ts';

const reader = 'why-reader';
const [agentless, others] = ['node2', ['node1', 'node3']];
const daemonSets: ResourceType = { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true };

interface Waiting {
  readonly target: string;
  readonly name: string;
  /** Of the container `main`. */
  readonly container: object;
  readonly spec?: object;
  readonly reason: string;
  readonly evidence: RegExp;
  readonly next: RegExp;
}

const waiting: readonly Waiting[] = [
  {
    name: 'untagged',
    target: 'pod/untagged',
    container: { image: 'nginx:no-such-tag' },
    reason: 'ImageNotFound',
    evidence: /^Pod untagged containerStatuses\[main\]\.state\.waiting: (?:ErrImagePull|ImagePullBackOff): .*not found/,
    next: /^Correct the name or tag/,
  },
  {
    name: 'unreachable',
    target: 'pod/unreachable',
    container: { image: '127.0.0.1:9/nginx:1' },
    reason: 'RegistryUnreachable',
    evidence: /^Pod unreachable containerStatuses\[main\]\.state\.waiting: .*connection refused/,
    next: /^Check that the node reaches the registry/,
  },
  {
    name: 'configless',
    target: 'pod/configless',
    container: { envFrom: [{ configMapRef: { name: 'absent' } }] },
    reason: 'ConfigMissing',
    evidence: /^Pod configless containerStatuses\[main\]\.state\.waiting: CreateContainerConfigError: configmap "absent" not found/,
    next: /^Create the ConfigMap or Secret/,
  },
  {
    name: 'commandless',
    target: 'pod/commandless',
    container: { command: ['/no/such/program'] },
    reason: 'ContainerCannotStart',
    evidence: /^Pod commandless containerStatuses\[main\]\.state\.waiting: RunContainerError: .*no such file/,
    next: /^Correct the command/,
  },
  {
    name: 'secretless',
    target: 'pod/secretless',
    container: { volumeMounts: [{ name: 'key', mountPath: '/key' }] },
    spec: { volumes: [{ name: 'key', secret: { secretName: 'absent' } }] },
    reason: 'VolumeNotMounted',
    evidence: /^Pod secretless event FailedMount: .*secret "absent" not found/,
    next: /^Create the ConfigMap, Secret or claim/,
  },
];

describe('kubectl kruise why on real nodes', () => {
  let fixture: CloneSetFixture;
  let labels: NodeLabels;

  const ask = (target: string, minutesLater = 0): Promise<Why> =>
    runWhy(target, { kubeconfig: given('KRUISE_E2E_KUBECONFIG'), namespace: fixture.namespace, as: reader, minutesLater });
  /** Asks until the first cause has this reason: the kubelet shows one state after the other. */
  async function untilFirst(target: string, reason: string): Promise<Why> {
    let why: Why | undefined;
    await fixture.eventually(async () => {
      why = await ask(target);
      return why.causes?.[0]?.reason === reason;
    }, `${target} is ${reason}`);
    return why as Why;
  }
  const create = <T extends KubeObject>(type: ResourceType<T>, name: string, spec: object): Promise<T> =>
    fixture.client.create(type, { metadata: { name, namespace: fixture.namespace }, spec } as unknown as T);
  const createPod = (name: string, container: object, spec: object = {}): Promise<Pod> =>
    create(pods, name, { containers: [{ name: 'main', image: images.first, ...container }], terminationGracePeriodSeconds: 0, ...spec });
  async function selectAgents(nodeSelector: Readonly<Record<string, string | null>>): Promise<void> {
    const agent = (await fixture.client.list(daemonSets)).items.find(({ metadata }) => metadata.name === 'kruise-daemon');
    const key = { namespace: agent?.metadata.namespace ?? '', name: 'kruise-daemon' };
    await fixture.client.patch(daemonSets, key, { spec: { template: { spec: { nodeSelector } } } }, { type: 'merge' });
  }
  const agentsOn = async (): Promise<readonly string[]> =>
    (await fixture.client.list(pods, { labelSelector: 'control-plane=daemon' })).items
      .filter(({ status }) => status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true)
      .map(({ spec }) => spec.nodeName ?? '')
      .toSorted();

  beforeAll(async () => {
    fixture = await openFixture('plugin-why');
    labels = new NodeLabels(fixture.client, 'example.com/plugin-why');
    for (const role of ['view', 'why-nodes']) {
      if (role !== 'view') await kubectl('create', 'clusterrole', role, '--verb=get,list,watch', '--resource=nodes');
      await kubectl('create', 'clusterrolebinding', `why-${role}`, `--clusterrole=${role}`, `--user=${reader}`);
    }
    await Promise.all(waiting.map(({ name, container, spec }) => createPod(name, container, spec)));
    await createPod('sound', {}, { nodeName: agentless });
    await fixture.apply({ name: 'web', replicas: 1, image: 'nginx:no-such-tag' });
  });
  afterAll(async () => {
    await selectAgents({ [labels.key('agent')]: null });
    await labels.clear();
    await kubectl('delete', 'clusterrolebinding', 'why-view', 'why-why-nodes', '--ignore-not-found');
    await kubectl('delete', 'clusterrole', 'why-nodes', '--ignore-not-found');
    await fixture.eventually(async () => (await agentsOn()).length === 3, 'every node has its agent again');
    await closeFixture(fixture);
  });

  it.each(waiting)('$target is $reason', async ({ target, reason, evidence, next }) => {
    const why = await untilFirst(target, reason);
    expect(why).toMatchObject({ code: 1, warnings: [] });
    expect(evidenceOf(why)[0]).toMatch(evidence);
    expect(why.causes?.[0]?.next).toMatch(next);
    expect(why.methods.every((method) => method === 'GET')).toBe(true);
  });

  it('a CloneSet names the image that its Pod cannot pull once, with what the registry says', async () => {
    const why = await untilFirst('clone/web', 'ImageNotFound');
    expect(why.causes?.map(({ reason }) => reason)).toEqual(['ImageNotFound']);
    await fixture.eventually(
      async () => evidenceOf(await ask('clone/web')).includes('CloneSet web status.conditions[Blocked]: ImageCannotBePulled'),
      'the condition Blocked is evidence of the same cause',
    );
  });

  it('a Pod beside them is sound', async () => {
    await fixture.eventually(async () => (await ask('pod/sound')).kind === 'Sound', 'the Pod runs');
    expect(await ask('pod/sound')).toMatchObject({ code: 0, kind: 'Sound', warnings: [] });
  });

  it('names the agent that a node lacks, for a request and for a pull, and nothing once it is back', async () => {
    for (const node of others) await labels.set(node, 'agent', 'yes');
    await selectAgents({ [labels.key('agent')]: 'yes' });
    await fixture.eventually(async () => (await agentsOn()).join() === others.join(), 'one node has no agent');
    await create(containerRecreateRequests, 'again', { podName: 'sound', containers: [{ name: 'main' }] });
    const selector = { names: [agentless] };
    await create(imagePullJobs, 'pull', { image: images.second, selector, completionPolicy: { type: 'Always' }, parallelism: 1 });
    await fixture.eventually(async () => {
      const { spec } = await fixture.client.get(nodeImages, { namespace: '', name: agentless });
      return JSON.stringify(spec).includes('alpine-21');
    }, 'the pull is requested');
    const request = await ask('crr/again', 2);
    expect([request.causes?.[0]?.reason, evidenceOf(request)]).toEqual([
      'AgentAbsent',
      [expect.stringMatching(/^ContainerRecreateRequest again status/)],
    ]);
    const pull = await ask('imagepulljob/pull', 2);
    expect([pull.causes?.[0]?.reason, evidenceOf(pull)]).toEqual([
      'AgentAbsent',
      [expect.stringMatching(/^NodeImage node2 status\.imageStatuses\[.*nginx:alpine-21\]: absent$/)],
    ]);
    await selectAgents({ [labels.key('agent')]: null });
    await fixture.eventually(async () => (await ask('imagepulljob/pull')).kind === 'Sound', 'the pull has ended');
  });
});
