/** Updates of injected sidecars on real nodes. Every scenario has Pods and a SidecarSet of its own, so that they run beside each other. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations, sidecarSetLabels, type SidecarContainer } from '@kruise/api';
import { coreEvents } from '@kruise/kube';
import { containerStatusOf, isPodReady, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { hotSidecar, imagesOf, sidecar, sidecarImages as images, SidecarFixture, upgradable } from '../../support/sidecar-fixture.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const working = (pod: Pod): string | undefined => pod.metadata.annotations?.[sidecarSetAnnotations.workingHotUpgradeContainer];
const sideOf = (pods: readonly Pod[]): readonly (string | undefined)[] => pods.map((pod) => imagesOf(pod)['side']);
const restartsOf = (pod: Pod, name: string): number | undefined => containerStatusOf(pod, name)?.restartCount;

/** Takes its Pod's five seconds to end, so that an update is long enough to be seen. */
const slow = (image: string): SidecarContainer => sidecar('side', image, { command: ['sleep', '100000'] });

/** One scenario, with Pods of an app of its own. */
type Scenario = (fixture: SidecarFixture) => Promise<void>;

const cold: Readonly<Record<string, Scenario>> = {
  'updates one Pod for an image that cannot be pulled, and both for one that can': async (fixture) => {
    await fixture.create('broken', [sidecar('side', images.first)]);
    await fixture.pods('broken', ['a', 'b']);
    await fixture.untilCounts('broken', [2, 2, 2, 2]);
    await fixture.change('broken', { containers: [sidecar('side', images.missing)] });
    const stuck = await fixture.untilCounts('broken', [2, 1, 1, 0]);
    expect(sideOf(stuck).toSorted()).toEqual([images.first, images.missing]);
    await fixture.change('broken', { containers: [sidecar('side', images.second)] });
    const done = await fixture.untilCounts('broken', [2, 2, 2, 2]);
    expect(sideOf(done)).toEqual([images.second, images.second]);
    expect(done.map(upgradable)).toEqual(done.map(() => ['True', JSON.stringify({ [fixture.nameOf('broken')]: true })]));
    expect(done.map((pod) => restartsOf(pod, 'main'))).toEqual([0, 0]);
  },

  'changes nothing but images in running Pods, and says so': async (fixture) => {
    const env = [{ name: 'MODE', value: 'new' }];
    await fixture.create('env', [sidecar('side', images.first)]);
    await fixture.pods('env', ['old']);
    await fixture.untilCounts('env', [1, 1, 1, 1]);
    await fixture.change('env', { containers: [sidecar('side', images.first, { env })] });
    const [refused] = await fixture.untilCounts('env', [1, 0, 1, 0]);
    const message = JSON.stringify({ [fixture.nameOf('env')]: false });
    await fixture.eventually(
      async () => (await fixture.podsOf('env')).map((pod) => upgradable(pod)[1]).join() === message,
      'the Pod says so',
    );
    const isReported = async (): Promise<boolean> => {
      const { items } = await fixture.client.list(coreEvents, {
        namespace: 'default',
        fieldSelector: `involvedObject.name=${fixture.nameOf('env')}`,
      });
      return items.some((event) => event.reason === 'NotUpgradablePods' && event.message.includes('detected 1 not upgradable pod(s)'));
    };
    await fixture.eventually(isReported, 'an event reports it');
    await fixture.pods('env', ['young']);
    const [, young] = await fixture.untilCounts('env', [2, 1, 2, 1]);
    expect(young?.spec.containers.find(({ name }) => name === 'side')?.env).toContainEqual(env[0]);
    await fixture.change('env', { containers: [sidecar('side', images.second, { env })] });
    const after = await fixture.untilCounts('env', [2, 1, 2, 1]);
    expect(sideOf(after)).toEqual([images.first, images.second]);
    expect(after[0]?.metadata.uid).toBe(refused?.metadata.uid);
  },

  'shares the condition between two SidecarSets of a Pod': async (fixture) => {
    const [first, second] = [sidecar('one', images.first), sidecar('two', images.first)];
    await fixture.create('both1', [first], {}, 'both');
    await fixture.create('both2', [second], {}, 'both');
    await fixture.pods('both', ['a']);
    await fixture.untilCounts('both1', [1, 1, 1, 1]);
    await fixture.change('both1', { containers: [{ ...first, env: [{ name: 'A', value: 'b' }] }] });
    await fixture.change('both2', { containers: [{ ...second, image: images.second }] });
    await fixture.untilCounts('both2', [1, 1, 1, 1]);
    const says = (one: boolean): string => JSON.stringify({ [fixture.nameOf('both1')]: one, [fixture.nameOf('both2')]: true });
    const saysSo = (one: boolean) => async (): Promise<boolean> => {
      const [pod] = await fixture.podsOf('both');
      return pod !== undefined && upgradable(pod)[0] === (one ? 'True' : 'False') && upgradable(pod)[1] === says(one);
    };
    await fixture.eventually(saysSo(false), 'one of two is not upgradable');
    await fixture.change('both1', { containers: [first] });
    await fixture.eventually(saysSo(true), 'both are upgradable again');
  },

  'keeps a partition of 50% back, and goes on without it': async (fixture) => {
    await fixture.create('part', [sidecar('side', images.first)], { updateStrategy: { partition: '50%' } });
    await fixture.pods('part', ['a', 'b']);
    await fixture.change('part', { containers: [sidecar('side', images.second)] });
    expect(sideOf(await fixture.untilCounts('part', [2, 1, 2, 1])).toSorted()).toEqual([images.first, images.second]);
    await fixture.change('part', { updateStrategy: { partition: 0 } });
    expect(sideOf(await fixture.untilCounts('part', [2, 2, 2, 2]))).toEqual([images.second, images.second]);
  },

  'stops where it is when paused': async (fixture) => {
    await fixture.create('paused', [slow(images.first)]);
    await fixture.pods('paused', ['a', 'b']);
    await fixture.untilCounts('paused', [2, 2, 2, 2]);
    await fixture.change('paused', { containers: [slow(images.second)] });
    const isWritten = async (): Promise<boolean> => sideOf(await fixture.podsOf('paused')).includes(images.second);
    await fixture.eventually(isWritten, 'the first Pod is written');
    await fixture.change('paused', { updateStrategy: { paused: true } });
    expect(sideOf(await fixture.untilCounts('paused', [2, 1, 2, 1])).toSorted()).toEqual([images.first, images.second]);
    await fixture.change('paused', { updateStrategy: { paused: false } });
    await fixture.untilCounts('paused', [2, 2, 2, 2]);
  },

  'updates only the Pods that updateStrategy.selector selects, and refuses a partition beside it': async (fixture) => {
    const selector = { matchLabels: { canary: 'true' } };
    await fixture.create('canary', [sidecar('side', images.first)], { updateStrategy: { selector } });
    await fixture.pods('canary', ['a']);
    await fixture.pods('canary', ['b'], { canary: 'true' });
    await fixture.change('canary', { containers: [sidecar('side', images.second)] });
    expect(sideOf(await fixture.untilCounts('canary', [2, 1, 2, 1]))).toEqual([images.first, images.second]);
    const said = await fixture.refusal(fixture.change('canary', { updateStrategy: { selector, partition: 1 } }));
    expect(said).toContain('Partition and Selector cannot be used together');
  },

  'goes on within seconds when the Pod that was chosen is deleted': async (fixture) => {
    await fixture.create('gone', [slow(images.first)]);
    await fixture.pods('gone', ['a', 'b', 'c']);
    await fixture.untilCounts('gone', [3, 3, 3, 3]);
    await fixture.change('gone', { containers: [slow(images.second)] });
    let chosen: string | undefined;
    const isChosen = async (): Promise<boolean> => {
      chosen = (await fixture.podsOf('gone')).find((pod) => imagesOf(pod)['side'] === images.second)?.metadata.name;
      return chosen !== undefined;
    };
    await fixture.eventually(isChosen, 'a Pod is chosen');
    await fixture.deletePod(chosen ?? '');
    await fixture.untilCounts('gone', [2, 2, 2, 2]);
  },
};

/** Ready only two seconds after its start. */
const reluctant = (image: string): SidecarContainer =>
  sidecar('side', image, {
    command: ['sh', '-c', "trap 'exit 0' TERM; (sleep 2; touch /tmp/ready) & sleep 100000 & wait"],
    readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, periodSeconds: 1 },
  });

const succession: Readonly<Record<string, Scenario>> = {
  'takes down no more Pods for two versions in quick succession than for one': async (fixture) => {
    await fixture.create('twice', [reluctant(images.first)]);
    await fixture.pods('twice', ['a', 'b', 'c']);
    const [pod] = await fixture.untilCounts('twice', [3, 3, 3, 3]);
    await using history = await PodHistory.begin(fixture.client, pod?.metadata.namespace ?? '');
    await fixture.change('twice', { containers: [reluctant(images.second)] });
    const isComingUp = async (): Promise<boolean> =>
      (await fixture.podsOf('twice')).some((each) => containerStatusOf(each, 'side')?.image.endsWith(images.second) && !isPodReady(each));
    await fixture.eventually(isComingUp, 'the second version is coming up');
    await fixture.change('twice', { containers: [reluctant(images.third)] });
    expect(sideOf(await fixture.untilCounts('twice', [3, 3, 3, 3]))).toEqual([images.third, images.third, images.third]);
    const observed = await history.untilNow();
    expect(observed.range((each) => each.metadata.labels?.['app'] === 'twice' && !isPodReady(each))).toEqual({ lowest: 0, highest: 1 });
  },
};

const history: Readonly<Record<string, Scenario>> = {
  'keeps ten revisions, and uses an old one again under a higher number': async (fixture) => {
    await fixture.create('history', [sidecar('side', images.first)], { updateStrategy: { type: 'NotUpdate' } });
    const version = (number: number): object => ({
      containers: [sidecar('side', images.first, { env: [{ name: 'V', value: String(number) }] })],
    });
    const latest = async (): Promise<number | undefined> => (await fixture.revisions('history')).at(-1)?.revision;
    // A change before the first pass would replace the first revision.
    await fixture.eventually(async () => (await latest()) === 1, 'revision 1');
    for (let number = 2; number <= 15; number++) {
      await fixture.change('history', version(number));
      await fixture.eventually(async () => (await latest()) === number, `revision ${number}`);
    }
    const numbers = async (): Promise<readonly number[]> => (await fixture.revisions('history')).map(({ revision }) => revision);
    const are = (expected: readonly number[]) => async (): Promise<boolean> => JSON.stringify(await numbers()) === JSON.stringify(expected);
    await fixture.eventually(are([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]), 'ten revisions are left');
    await fixture.change('history', version(12));
    await fixture.eventually(are([6, 7, 8, 9, 10, 11, 13, 14, 15, 16]), 'the twelfth is the latest');
    for (const { data, metadata } of await fixture.revisions('history')) {
      const { spec } = data as { readonly spec: object };
      expect(Object.keys(spec).toSorted()).toEqual([
        '$patch',
        'containers',
        'imagePullSecrets',
        'initContainers',
        'patchPodMetadata',
        'volumes',
      ]);
      expect(metadata.labels?.[sidecarSetLabels.name]).toBe(fixture.nameOf('history'));
    }
  },

  'makes a revision, but no other hash, of a new image of an init container': async (fixture) => {
    const init = (image: string): object => ({ initContainers: [{ ...sidecar('init', image), command: ['true'] }] });
    const created = await fixture.create('init', [sidecar('side', images.first)], init(images.first));
    await fixture.eventually(async () => (await fixture.revisions('init')).length === 1, 'the first revision');
    const after = await fixture.change('init', init(images.second));
    expect(after.metadata.annotations?.[annotations.sidecarSetHash]).toBe(created.metadata.annotations?.[annotations.sidecarSetHash]);
    await fixture.eventually(async () => (await fixture.revisions('init')).length === 2, 'the second revision');
  },
};

const hot: Readonly<Record<string, Scenario>> = {
  'lets two containers take turns': async (fixture) => {
    await fixture.create('hot', [hotSidecar('mesh', images.first)]);
    await fixture.pods('hot', ['a', 'b']);
    const before = await fixture.untilCounts('hot', [2, 2, 2, 2]);
    expect(before.map(working)).toEqual(['{"mesh":"mesh-1"}', '{"mesh":"mesh-1"}']);
    await fixture.change('hot', { containers: [hotSidecar('mesh', images.second)] });
    const swapped = await fixture.untilCounts('hot', [2, 2, 2, 2]);
    expect(swapped).toHaveLength(2);
    for (const pod of swapped) {
      expect(working(pod)).toBe('{"mesh":"mesh-2"}');
      expect(imagesOf(pod)).toEqual({ main: images.first, 'mesh-1': images.empty, 'mesh-2': images.second });
      expect([restartsOf(pod, 'main'), restartsOf(pod, 'mesh-1'), restartsOf(pod, 'mesh-2')]).toEqual([0, 1, 1]);
    }
    await fixture.change('hot', { containers: [hotSidecar('mesh', images.third)] });
    for (const pod of await fixture.untilCounts('hot', [2, 2, 2, 2])) {
      expect(working(pod)).toBe('{"mesh":"mesh-1"}');
      expect(imagesOf(pod)).toEqual({ main: images.first, 'mesh-1': images.third, 'mesh-2': images.empty });
    }
    await fixture.change('hot', { containers: [hotSidecar('mesh', images.third, { env: [{ name: 'A', value: 'b' }] })] });
    await fixture.untilCounts('hot', [2, 0, 2, 0]);
  },

  'keeps the old container until the new one runs': async (fixture) => {
    await fixture.create('hotbad', [hotSidecar('mesh', images.first)]);
    await fixture.pods('hotbad', ['a', 'b']);
    await fixture.untilCounts('hotbad', [2, 2, 2, 2]);
    await fixture.change('hotbad', { containers: [hotSidecar('mesh', images.missing)] });
    const stuck = await fixture.untilCounts('hotbad', [2, 1, 1, 0]);
    const failing = stuck.find((pod) => working(pod) === '{"mesh":"mesh-2"}') as Pod;
    expect(containerStatusOf(failing, 'mesh-1')).toMatchObject({ ready: true, restartCount: 0 });
    await fixture.change('hotbad', { containers: [hotSidecar('mesh', images.second)] });
    for (const pod of await fixture.untilCounts('hotbad', [2, 2, 2, 2])) {
      expect(working(pod)).toBe('{"mesh":"mesh-2"}');
      expect(imagesOf(pod)).toMatchObject({ 'mesh-1': images.empty, 'mesh-2': images.second });
    }
  },

  'goes back to the container that still runs when a failing version is taken back': async (fixture) => {
    await fixture.create('hotback', [hotSidecar('mesh', images.first)]);
    await fixture.pods('hotback', ['a']);
    await fixture.untilCounts('hotback', [1, 1, 1, 1]);
    await fixture.change('hotback', { containers: [hotSidecar('mesh', images.missing)] });
    await fixture.untilCounts('hotback', [1, 1, 0, 0]);
    await fixture.change('hotback', { containers: [hotSidecar('mesh', images.first)] });
    const back = await fixture.untilCounts('hotback', [1, 1, 1, 1]);
    expect(back.map(working)).toEqual(['{"mesh":"mesh-1"}']);
    expect(back.map(imagesOf)).toMatchObject([{ 'mesh-1': images.first, 'mesh-2': images.empty }]);
    expect(back.map((pod) => restartsOf(pod, 'mesh-1'))).toEqual([0]);
  },
};

describe('a SidecarSet', () => {
  let namespace: CloneSetFixture;
  let fixture: SidecarFixture;
  const all = { ...cold, ...succession, ...history, ...hot };
  /** They wait for kubelets most of the time, so all of them start together; each test reports its own. */
  const results = new Map<string, Promise<void>>();

  beforeAll(async () => {
    namespace = await openFixture('sidecar-update');
    fixture = new SidecarFixture(namespace);
    for (const [name, scenario] of Object.entries(all)) {
      const result = scenario(fixture);
      result.catch(() => undefined);
      results.set(name, result);
    }
  });
  afterAll(async () => {
    await Promise.allSettled(results.values());
    await fixture?.close();
    await closeFixture(namespace);
  });

  it.each(Object.keys(all))('%s', async (name) => {
    await results.get(name);
  });
});
