import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, containerRecreateRequests, podConditions, type ContainerRecreateRequest } from '@kruise/api';
import { containerStatusOf, podCondition, pods, type Container, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

interface Job extends KubeObject {
  readonly spec?: object;
  readonly status?: {
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
const jobs: ResourceType<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };

const mark = (name: string): { readonly name: string; readonly value: string } => ({ name, value: 'true' });
const normal = [mark('KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT')];
const ignored = [...normal, mark('KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE')];

const main = (script: string): Container => ({ name: 'main', image: 'busybox:1.35', command: ['sh', '-c', script] });
const nginx = (env: Container['env'] = normal): Container => ({ name: 'log', image: images.first, ...(env === undefined ? {} : { env }) });
const shell = (script: string, env: Container['env']): Container => ({
  name: 'log',
  image: 'busybox:1.35',
  command: ['sh', '-c', script],
  ...(env === undefined ? {} : { env }),
});

/** Does not end when it is asked to. */
const deaf = 'trap "" TERM; while true; do sleep 1; done';

interface JobShape {
  readonly name: string;
  readonly containers: readonly Container[];
  readonly restartPolicy?: 'Never' | 'OnFailure';
  readonly backoffLimit?: number;
  readonly graceSeconds?: number;
}

const isSo = (job: Job, type: string): boolean =>
  job.status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;

describe('sidecars of Jobs', () => {
  let fixture: CloneSetFixture;
  const keyOf = (name: string) => ({ namespace: fixture.namespace, name });

  async function create({ name, containers, restartPolicy = 'Never', backoffLimit = 0, graceSeconds = 5 }: JobShape): Promise<void> {
    const spec = { containers, restartPolicy, terminationGracePeriodSeconds: graceSeconds };
    await fixture.client.create(jobs, {
      metadata: keyOf(name),
      spec: { backoffLimit, template: { metadata: { labels: { job: name } }, spec } },
    });
  }
  const untilJob = async (name: string, type: string): Promise<Job> => {
    await fixture.eventually(async () => isSo(await fixture.client.get(jobs, keyOf(name)), type), `Job ${name} is ${type}`);
    return fixture.client.get(jobs, keyOf(name));
  };
  async function podOf(job: string): Promise<Pod> {
    const { items } = await fixture.client.list(pods, { namespace: fixture.namespace, labelSelector: `job=${job}` });
    if (items[0] === undefined) throw new Error(`Job ${job} has no Pod`);
    return items[0];
  }
  async function requestOf(pod: Pod): Promise<ContainerRecreateRequest | undefined> {
    const { items } = await fixture.client.list(containerRecreateRequests, { namespace: fixture.namespace });
    return items.find(({ metadata }) => metadata.name === `sidecar-termination-${pod.metadata.uid}`);
  }
  const exitCodeOf = (pod: Pod): number | undefined => containerStatusOf(pod, 'log')?.state?.terminated?.exitCode;

  let history: PodHistory;
  beforeAll(async () => {
    fixture = await openFixture('sidecar-terminator');
    history = await PodHistory.begin(fixture.client, fixture.namespace);
    await Promise.all([
      create({ name: 'normal', containers: [main('sleep 3'), nginx()] }),
      create({ name: 'on-failure', restartPolicy: 'OnFailure', containers: [nginx(), main('sleep 3')] }),
      create({ name: 'hopeless', restartPolicy: 'OnFailure', backoffLimit: 1, containers: [main('exit 3'), nginx()] }),
      create({
        name: 'quiet',
        graceSeconds: 8,
        containers: [main('sleep 3'), shell(deaf, ignored)],
      }),
      create({ name: 'quiet-failed', containers: [main('sleep 2; exit 1'), shell(deaf, ignored)] }),
      create({ name: 'unmarked', containers: [main('sleep 1'), nginx([{ name: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT', value: '1' }])] }),
      create({
        name: 'stubborn',
        restartPolicy: 'OnFailure',
        backoffLimit: 6,
        containers: [main('sleep 1'), shell('trap "exit 143" TERM; while true; do sleep 0.2; done', normal)],
      }),
      create({ name: 'mixed', containers: [main('sleep 2'), { ...nginx(), name: 'first' }, shell(deaf, ignored)] }),
    ]);
  });
  afterAll(async () => {
    await history[Symbol.asyncDispose]();
    await closeFixture(fixture);
  });

  it('end when the main container has ended, through a request that belongs to the Pod, and the Job completes', async () => {
    await untilJob('normal', 'Complete');
    const pod = await podOf('normal');
    const { uid, name } = pod.metadata;
    expect(await requestOf(pod)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }] },
      spec: { podName: name, containers: [{ name: 'log' }], strategy: { forceRecreate: true, failurePolicy: 'Ignore' } },
    });
    expect([pod.status?.phase, exitCodeOf(pod)]).toEqual(['Succeeded', 0]);
    await fixture.untilEvent(name, 'SidecarTerminator');
    const reported = await fixture.events(name);
    expect(reported.filter(({ reason }) => reason === 'SidecarTerminator').map(({ message, count }) => [message, count ?? 1])).toEqual([
      ['Kruise SidecarTerminator is trying to terminate sidecar [log] using crr', 1],
    ]);
  });

  it('end with OnFailure, too, when the main container succeeded', async () => {
    await untilJob('on-failure', 'Complete');
    expect((await requestOf(await podOf('on-failure')))?.spec.containers.map(({ name }) => name)).toEqual(['log']);
  });

  it('with ignored exit codes the Pod is Succeeded before the sidecar has ended', async () => {
    await untilJob('quiet', 'Complete');
    const pod = await podOf('quiet');
    const observed = await history.untilNow();
    const timeline = observed.sequence(
      pod.metadata.name,
      (seen) => `${seen.status?.phase}, sidecar ${exitCodeOf(seen) === undefined ? 'runs' : 'ended'}`,
    );
    expect(timeline).toContain('Succeeded, sidecar runs');
    expect(podCondition(pod, podConditions.sidecarTerminated)).toMatchObject({
      status: 'True',
      message: 'Terminated by Sidecar Terminator',
    });
  });

  it('with ignored exit codes the Pod is Failed when the main container failed', async () => {
    await untilJob('quiet-failed', 'Failed');
    expect((await podOf('quiet-failed')).status?.phase).toBe('Failed');
  });

  it('normal ones end first, then the Pod is marked, then the ignored ones follow', async () => {
    await untilJob('mixed', 'Complete');
    const pod = await podOf('mixed');
    const observed = await history.untilNow();
    const timeline = observed.sequence(
      pod.metadata.name,
      (seen) =>
        `${podCondition(seen, podConditions.sidecarTerminated) === undefined ? 'unmarked' : 'marked'} ${containerStatusOf(seen, 'first')?.state?.terminated === undefined ? 'runs' : 'ended'}`,
    );
    expect(timeline).not.toContain('marked runs');
    expect(timeline).toContain('marked ended');
  });

  it('that start again after they were stopped are stopped again', async () => {
    const repeats = async (): Promise<string | undefined> =>
      (await podOf('stubborn')).metadata.annotations?.[annotations.sidecarTerminationRepeats];
    await fixture.eventually(async () => (await repeats()) !== undefined, 'the request is repeated');
    const pod = await podOf('stubborn');
    await fixture.eventually(
      async () => (await requestOf(pod))?.metadata.annotations?.[annotations.sidecarTerminationRepeats] !== undefined,
      'the second request is there',
    );
    expect(containerStatusOf(pod, 'log')?.restartCount).toBeGreaterThanOrEqual(1);
  });

  it('stay when the main container does not succeed, and so do containers that are none', async () => {
    await untilJob('hopeless', 'Failed');
    const { items } = await fixture.client.list(containerRecreateRequests, { namespace: fixture.namespace });
    const unmarked = await podOf('unmarked');
    expect(containerStatusOf(unmarked, 'main')?.state?.terminated).toBeDefined();
    expect(containerStatusOf(unmarked, 'log')?.state?.running).toBeDefined();
    const untouched = ['hopeless-', 'unmarked-'];
    expect(items.filter(({ spec }) => untouched.some((prefix) => spec.podName.startsWith(prefix)))).toEqual([]);
  });
});
