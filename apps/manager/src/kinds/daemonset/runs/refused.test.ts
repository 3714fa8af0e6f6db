/** What a DaemonSet does when the API server refuses writes about its Pods, or the process dies between two of them. @see spec/daemonset.md 5.5, 5.6, 6 */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { isPodReady, nodes, podCondition, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import type { SetShape } from '@kruise/kinds/daemonset/testing';
import { DaemonSetCluster, type NodesOptions } from '../cluster.testing.ts';

const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'];
const inPlace: SetShape = { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 } };
const hookLabel = { guarded: 'yes' };
const guarded: SetShape = {
  spec: {
    template: {
      metadata: { labels: { app: 'agent', ...hookLabel } },
      spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
    },
    lifecycle: { preDelete: { labelsHandler: hookLabel, markPodNotReady: true } },
  },
};

/** Which calls of the manager about Pods the server refuses, as long as it does. */
type Refuses = (call: FakeCall, pod: Pod | undefined) => boolean;

const policy = "pods \"agent\" is forbidden: ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: frozen";

/** Eight nodes, and how many of them were without a ready Pod at most since the last look. */
class Watched {
  refuses: Refuses = () => false;
  refused = 0;
  #peak = 0;
  readonly #outages = new Map<string, number>();
  readonly cluster: DaemonSetCluster;

  constructor(shape: SetShape, options: NodesOptions = {}) {
    const before = (call: FakeCall): void => {
      if (call.type !== pods || ['get', 'list', 'watch'].includes(call.verb)) return;
      if (!this.refuses(call, this.cluster.api.peek(pods, call.key))) return;
      this.refused++;
      throw new ApiError(policy, { kind: 'Forbidden' }, { code: 403 });
    };
    this.cluster = new DaemonSetCluster(shape, { nodes: names, before, ...options });
    this.cluster.api.onWrite(({ before: was, after }) => {
      this.#peak = Math.max(this.#peak, this.lacking.length);
      if (was?.kind === 'Pod' && isPodReady(was as Pod) && after !== undefined && !isPodReady(after as Pod)) {
        const node = nodeOf(after as Pod) ?? '';
        this.#outages.set(node, this.outages(node) + 1);
      }
    });
  }

  /** Nodes without a ready Pod. */
  get lacking(): readonly string[] {
    const serving = new Set(this.cluster.pods.filter((pod) => isPodReady(pod)).map(nodeOf));
    return names.filter((name) => !serving.has(name));
  }

  /** How often the Pod of a node was taken out of service. */
  outages(node: string): number {
    return this.#outages.get(node) ?? 0;
  }

  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.lacking.length;
    return peak;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

async function settled(shape: SetShape, options: NodesOptions = {}): Promise<Watched> {
  const watched = new Watched(shape, options);
  await watched.cluster.settle();
  watched.takePeak();
  return watched;
}

const allAt = (image: string): readonly string[] => names.map((name) => `${name} ${image}`);
const isUpdate: Refuses = ({ verb, subresource }) => verb === 'patch' && subresource === '';
const isOn =
  (node: string, refuses: Refuses): Refuses =>
  (call, pod) =>
    pod !== undefined && nodeOf(pod) === node && refuses(call, pod);

describe('an update in place that is refused', () => {
  it('takes no more Pods out of service than maxUnavailable allows, and puts back those that it took', async () => {
    await using watched = await settled(inPlace);
    const { cluster } = watched;
    watched.refuses = isUpdate;
    cluster.changeImage('app:2');
    await cluster.ticks(60);
    expect(watched.takePeak()).toBe(1);
    expect(watched.lacking).toEqual([]);
    expect(cluster.conditions).toEqual([`Blocked AdmissionRefuses: Pods cannot be updated: ${policy}`]);
    watched.refuses = () => false;
    await cluster.settle(600, 100);
    expect([cluster.shown, watched.takePeak(), cluster.conditions]).toEqual([allAt('app:2'), 1, []]);
  });

  it('leaves no Pod out of service when the template is rolled back', async () => {
    await using watched = await settled(inPlace);
    const { cluster } = watched;
    watched.refuses = isUpdate;
    cluster.changeImage('app:2');
    await cluster.ticks(5);
    cluster.changeImage('app:1');
    await cluster.settle(300, 20);
    expect([cluster.shown, watched.takePeak(), watched.lacking]).toEqual([allAt('app:1'), 1, []]);
  });

  it('keeps to the budget when one call fails', async () => {
    await using watched = await settled(inPlace);
    const { cluster } = watched;
    watched.refuses = (call, pod) => isUpdate(call, pod) && watched.refused === 0;
    cluster.changeImage('app:2');
    await cluster.settle(300);
    expect([cluster.shown, watched.takePeak()]).toEqual([allAt('app:2'), 1]);
  });

  it('keeps to the budget when the process dies between the two writes', async () => {
    await using watched = await settled(inPlace);
    const { cluster } = watched;
    let deaths = 0;
    watched.refuses = (call, pod) => {
      if (!isUpdate(call, pod) || deaths > 0) return false;
      deaths++;
      throw new ApiError('the process has died', { kind: 'Unreachable', cause: undefined });
    };
    cluster.changeImage('app:2');
    await cluster.tick();
    watched.refuses = () => false;
    await cluster.settle(300);
    expect([cluster.shown, watched.takePeak(), deaths]).toEqual([allAt('app:2'), 1, 1]);
  });

  it('of one node delays no other, and takes its Pod out of service once', async () => {
    await using watched = await settled(inPlace);
    const { cluster } = watched;
    watched.refuses = isOn('n8', isUpdate);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual([...allAt('app:2').slice(0, -1), 'n8 app:1']);
    expect([watched.takePeak(), watched.outages('n8'), watched.lacking]).toEqual([1, 1, []]);
    expect(cluster.conditions).toEqual([`Blocked AdmissionRefuses: Pods cannot be updated: ${policy}`]);
  });
});

describe('a Pod that cannot be taken care of', () => {
  const two: SetShape = { rollingUpdate: { ...inPlace.rollingUpdate, maxUnavailable: 2 } };

  it('delays no update of another when it is not put back into service, as that is refused', async () => {
    await using watched = await settled(two);
    const { cluster } = watched;
    const isOut: Refuses = ({ verb, subresource }, pod) =>
      verb === 'patch' && subresource === 'status' && podCondition(pod as Pod, 'InPlaceUpdateReady')?.status === 'False';
    watched.refuses = isOn('n8', isOut);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual([...allAt('app:2').slice(0, -1), 'n8 app:2 unready']);
  });

  it('delays no update of another when it has no place and may not be deleted', async () => {
    await using watched = await settled(two);
    const { cluster } = watched;
    watched.refuses = isOn('n8', ({ verb }) => verb === 'delete');
    cluster.node('n8', { spec: { taints: [{ key: 'closed', effect: 'NoExecute' }] } });
    await cluster.ticks(5);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown.slice(0, -1)).toEqual(allAt('app:2').slice(0, -1));
  });

  it('delays no update of another when it waits for a deleted node and may not be deleted', async () => {
    await using watched = await settled(two);
    const { cluster } = watched;
    cluster.lost.add('n8');
    const pod = cluster.pods.find((held) => nodeOf(held) === 'n8') as Pod;
    const { nodeName: _bound, ...spec } = pod.spec;
    cluster.api.seed(pods, { ...pod, spec });
    watched.refuses = isOn('n8', ({ verb }) => verb === 'delete');
    await cluster.api.delete(nodes, { namespace: '', name: 'n8' });
    await cluster.ticks(5);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual([...allAt('app:2').slice(0, -1), 'n8 app:1']);
  });
});

describe('a Pod that is recreated', () => {
  const isDeletion: Refuses = ({ verb }) => verb === 'delete';

  it('delays no other when its deletion is refused', async () => {
    await using watched = await settled({});
    const { cluster } = watched;
    watched.refuses = isOn('n8', isDeletion);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual([...allAt('app:2').slice(0, -1), 'n8 app:1']);
    expect([watched.takePeak(), cluster.conditions]).toEqual([
      1,
      [`Blocked AdmissionRefuses: Pods cannot be created or deleted: ${policy}`],
    ]);
    watched.refuses = () => false;
    await cluster.settle(300, 20);
    expect([cluster.shown, cluster.conditions]).toEqual([allAt('app:2'), []]);
  });

  it('delays no update in place of another when its deletion is refused', async () => {
    await using watched = await settled({ rollingUpdate: { ...inPlace.rollingUpdate, maxUnavailable: 2 } });
    const { cluster } = watched;
    const withoutGate = cluster.pods.find((pod) => nodeOf(pod) === 'n8') as Pod;
    cluster.api.seed(pods, { ...withoutGate, spec: { ...withoutGate.spec, readinessGates: [] } });
    watched.refuses = isOn('n8', isDeletion);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual([...allAt('app:2').slice(0, -1), 'n8 app:1']);
  });

  it('delays no other when the mark that its deletion is prepared is refused', async () => {
    await using watched = await settled(guarded);
    const { cluster } = watched;
    watched.refuses = isUpdate;
    cluster.changeImage('app:2');
    await cluster.ticks(30);
    expect([watched.takePeak(), watched.lacking, cluster.shown]).toEqual([0, [], allAt('app:1')]);
    cluster.changeImage('app:1');
    watched.refuses = () => false;
    await cluster.settle(300, 5);
    expect([cluster.shown, watched.takePeak(), cluster.conditions]).toEqual([allAt('app:1'), 0, []]);
  });

  it('is marked as prepared before it leaves service, and leaves it in the next pass when that is refused once', async () => {
    await using watched = await settled(guarded);
    const { cluster } = watched;
    watched.refuses = ({ subresource }) => subresource === 'status' && watched.refused === 0;
    cluster.changeImage('app:2');
    await cluster.settle(300, 5);
    expect(cluster.shown).toEqual([...allAt('app:1').slice(0, -1), 'n8 app:1 PreparingDelete unready']);
    expect([watched.takePeak(), watched.refused]).toEqual([1, 1]);
  });
});

describe('a node whose Pod may not be created', () => {
  const isCreation: Refuses = ({ verb }) => verb === 'create';

  it('keeps no other from getting one', async () => {
    await using watched = new Watched({});
    const { cluster } = watched;
    const isFor =
      (node: string): Refuses =>
      (call) =>
        isCreation(call, undefined) && nodeOf(call.body as Pod) === node;
    watched.refuses = (call, pod) => isFor('n1')(call, pod) || isFor('n3')(call, pod);
    await cluster.ticks(6);
    expect(watched.lacking).toEqual(['n1', 'n3']);
    await cluster.settle(300, 20);
    expect(cluster.conditions).toEqual([`Blocked AdmissionRefuses: Pods cannot be created or deleted: ${policy}`]);
    watched.refuses = () => false;
    await cluster.settle(1200, 20);
    expect([cluster.shown, cluster.conditions]).toEqual([allAt('app:1'), []]);
  });

  it('keeps no other from getting one soon, though there are many such nodes', async () => {
    const nodes = Array.from({ length: 40 }, (_, at) => `n${at + 10}`);
    const others = nodes.slice(30);
    await using watched = new Watched({}, { nodes });
    const { cluster } = watched;
    watched.refuses = (call, pod) => isCreation(call, pod) && !others.includes(nodeOf(call.body as Pod) ?? '');
    await cluster.ticks(3);
    expect(cluster.pods.map(nodeOf)).toEqual(others);
  });

  it('keeps no other from being updated within the budget', async () => {
    await using watched = await settled({ rollingUpdate: { maxUnavailable: 2 } });
    const { cluster } = watched;
    watched.refuses = (call) => isCreation(call, undefined) && nodeOf(call.body as Pod) === 'n1';
    await cluster.deletePod('n1');
    await cluster.ticks(3);
    cluster.changeImage('app:2');
    await cluster.settle(300, 20);
    expect(cluster.shown).toEqual(allAt('app:2').slice(1));
    expect(watched.takePeak()).toBe(2);
  });
});

it('a Pod in doubt is requested every minute at least while the API server does not answer', async () => {
  let isAway = false;
  const asked: number[] = [];
  const before = ({ verb, type, from }: FakeCall): void => {
    if (!isAway || type !== pods || from !== 'manager' || !['patch', 'get'].includes(verb)) return;
    if (verb === 'get') asked.push(cluster.clock.now());
    throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
  };
  await using cluster: DaemonSetCluster = new DaemonSetCluster(inPlace, { nodes: ['n1', 'n2'], before });
  await cluster.ticks(5);
  isAway = true;
  cluster.changeImage('app:2');
  await cluster.ticks(280);
  const waits = asked.map((at, index) => at - (asked[index - 1] ?? at));
  expect(asked.length).toBeGreaterThan(4);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  isAway = false;
  await cluster.ticks(75);
  expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:2']);
});
