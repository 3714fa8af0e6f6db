/**
 * The controller is killed at every single write of a rollout, once before the server took the write and once after, and another process goes
 * on: the end must be that of an undisturbed run, with nothing doubled, lost or restarted twice. KRUISE_CRASH_PODS (3) makes it longer.
 */
import { describe, expect, it } from '@jest/globals';
import { cloneSets, defaultGates, type CloneSet } from '@kruise/api';
import { ApiError, CachingClient, Informers, SystemClock, type Client, type ControllerDefinition } from '@kruise/kube';
import { FakeApi, silentLogger, type FakeCall } from '@kruise/kube/testing';
import { applyStrategicMergePatch, deepEqual, instant, nodes, podCondition, podPatchSchema, pods, type Pod } from '@kruise/objects';
import { lacksKruisePodReady } from '@kruise/pods';
import { parseFlags } from '@kruise/process';
import { managerFlags } from '../../options/flags.ts';
import { cloneSetController } from './controller.ts';
import { kubeletStep } from './simulation.testing.ts';
import { aCloneSet, type CloneSetShape } from './testing.ts';

const key = { namespace: 'default', name: 'sample' };
const replicas = Number(process.env['KRUISE_CRASH_PODS'] ?? 3);
const each = <T>(value: T): readonly T[] => Array.from({ length: replicas }, () => value);
const writes = new Set<FakeCall['verb']>(['create', 'update', 'patch', 'delete']);

const parsed = parseFlags(managerFlags, []);
if (parsed.kind !== 'Parsed') throw new Error('the default flags do not parse');
const flags = parsed.values;

/** One life of the manager: dies for good at its `at`-th write, before or after the server did it. */
class Life {
  readonly #client: Client;
  readonly #informers: Informers;
  readonly #definition: ControllerDefinition;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  dead = false;
  writes = 0;

  constructor(api: FakeApi, death?: { readonly at: number; readonly when: 'before' | 'after' }) {
    const die = (): void => {
      this.dead = true;
      throw new ApiError('killed', { kind: 'Unreachable', cause: undefined });
    };
    const connection = api.connect('manager', {
      before: ({ verb }) => {
        if (this.dead) die();
        if (!writes.has(verb)) return;
        this.writes++;
        if (death?.when === 'before' && this.writes === death.at) die();
      },
      after: ({ verb }) => {
        if (writes.has(verb) && death?.when === 'after' && this.writes === death.at) die();
      },
    });
    const clock = new SystemClock();
    this.#informers = new Informers({ client: connection, clock, logger: silentLogger() });
    this.#client = new CachingClient(connection, this.#informers);
    this.#definition = cloneSetController({
      client: this.#client,
      informers: this.#informers,
      recorderFor: () => ({ event: () => undefined }),
      clock,
      logger: silentLogger(),
      gates: defaultGates,
      flags,
      installed: () => true,
      podNamespace: 'kruise-system',
      daemonConfigNamespace: 'kruise-daemon-config',
      resourceWriting: 'Ignored',
    });
    this.#running = this.#informers.run(this.#end.signal);
  }

  async pass(): Promise<void> {
    await this.#informers.waitForSync(this.#end.signal);
    await this.#definition.reconcile(key, this.#end.signal);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }
}

function newWorld(shape: CloneSetShape = {}): FakeApi {
  const api = new FakeApi({
    strategicMerge: (original, patch) => {
      const result = applyStrategicMergePatch({ ...original }, patch as Readonly<Record<string, unknown>>, podPatchSchema);
      return result.kind === 'Patched' ? result.value : original;
    },
  });
  api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
  const { metadata, ...rest } = aCloneSet({
    replicas,
    ...shape,
    rollingUpdate: { maxUnavailable: Math.ceil(replicas / 4), ...shape.rollingUpdate },
  });
  api.seed(cloneSets, { ...rest, metadata: { name: metadata.name, namespace: 'default' } });
  return api;
}

/** What the controller of that gate does. */
const withKruisePodReady = (pod: Pod): Pod =>
  lacksKruisePodReady(pod)
    ? { ...pod, status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), { type: 'KruisePodReady', status: 'True' }] } }
    : pod;

/** The kubelets look at every Pod once: they end those that go, and run the others. */
async function runKubelets(api: FakeApi): Promise<void> {
  for (const pod of api.peekAll(pods, 'default')) {
    if (pod.metadata.deletionTimestamp !== undefined) {
      await api.delete(pods, { namespace: 'default', name: pod.metadata.name }, { gracePeriodSeconds: 0 });
      continue;
    }
    const next = kubeletStep(withKruisePodReady(pod), instant(Date.now()));
    if (!deepEqual(pod, next)) api.seed(pods, next);
  }
}

/** Those behind the hooks let go of Pods that wait, and take hold of updated ones again. */
function runHooks(api: FakeApi): void {
  for (const pod of api.peekAll(pods, 'default')) {
    const { hold: _hold, ...labels } = pod.metadata.labels ?? {};
    const state = labels['lifecycle.apps.kruise.io/state'];
    if (state === 'PreparingUpdate' || state === 'PreparingDelete') api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels } });
    if (state === 'Updated') api.seed(pods, { ...pod, metadata: { ...pod.metadata, labels: { ...labels, hold: 'yes' } } });
  }
}

const changeImage = (api: FakeApi, image: string): void => {
  const held = api.peek(cloneSets, key) as CloneSet;
  const template = { ...held.spec.template, spec: { ...held.spec.template.spec, containers: [{ name: 'main', image }] } };
  api.seed(cloneSets, {
    ...held,
    metadata: { ...held.metadata, generation: (held.metadata.generation ?? 0) + 1 },
    spec: { ...held.spec, template },
  });
};

const isSettled = (api: FakeApi, image: string): boolean => {
  const { status } = api.peek(cloneSets, key) as CloneSet;
  const members = api.peekAll(pods, 'default');
  const isDone = (pod: Pod): boolean =>
    pod.spec.containers[0]?.image === image &&
    pod.metadata.labels?.['lifecycle.apps.kruise.io/state'] === 'Normal' &&
    pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  return (
    members.length === replicas &&
    members.every(isDone) &&
    status?.updatedAvailableReplicas === replicas &&
    status.currentRevision === status.updateRevision
  );
};

/** Passes, with the kubelets between them, until the rollout to `image` is over; a life that ends is followed by another. */
async function drive(api: FakeApi, first: Life, image: string, next = (): Life => new Life(api)): Promise<Life> {
  let life = first;
  for (let pass = 0; pass < 80 * replicas && !isSettled(api, image); pass++) {
    await life.pass().catch(() => undefined);
    if (life.dead) {
      await life.stop();
      life = next();
    }
    await runKubelets(api);
    runHooks(api);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(isSettled(api, image)).toBe(true);
  return life;
}

async function rollout(death?: {
  readonly at: number;
  readonly when: 'before' | 'after';
}): Promise<{ readonly api: FakeApi; readonly writes: number }> {
  const api = newWorld();
  const first = new Life(api, death);
  const second = await drive(api, first, 'app:1');
  const born = new Set(api.peekAll(pods, 'default').map(({ metadata }) => metadata.uid));
  changeImage(api, 'app:2');
  const last = await drive(api, second, 'app:2');
  await last.stop();
  expect(api.peekAll(pods, 'default').map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status)).toEqual(each('True'));
  const members = api.peekAll(pods, 'default');
  expect(members.every(({ metadata }) => born.has(metadata.uid))).toBe(true);
  expect(members.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual(each(1));
  return { api, writes: first.writes };
}

describe('a manager that is killed', () => {
  it.each(['before', 'after'] as const)(
    'at any write (%s the server took it) leaves nothing doubled, lost or restarted twice',
    async (when) => {
      const undisturbed = await rollout();
      expect(undisturbed.writes).toBeGreaterThan(15);
      for (let at = 1; at <= undisturbed.writes; at++) {
        const { api } = await rollout({ at, when });
        expect(api.peekAll(pods, 'default')).toHaveLength(replicas);
      }
    },
    replicas * 60_000,
  );

  const hook = { labelsHandler: { hold: 'yes' }, markPodNotReady: true };
  const hooked = {
    metadata: { labels: { app: 'sample', hold: 'yes' } },
    spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'KruisePodReady' }] },
  };

  it.each<[string, CloneSetShape, 'InPlace' | 'Recreated']>([
    ['of an update in place', {}, 'InPlace'],
    ['of one with hooks', { spec: { template: hooked, lifecycle: { inPlaceUpdate: hook, preDelete: hook } } }, 'InPlace'],
    ['of a recreation', { rollingUpdate: { podUpdatePolicy: 'ReCreate' } }, 'Recreated'],
    ['of a recreation with surge', { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxSurge: 1, maxUnavailable: 0 } }, 'Recreated'],
    [
      'of a recreation with hooks',
      { rollingUpdate: { podUpdatePolicy: 'ReCreate' }, spec: { template: hooked, lifecycle: { preDelete: hook } } },
      'Recreated',
    ],
  ])(
    'at the first write of every life %s gets on all the same, one write at a time',
    async (_name, shape, how) => {
      const api = newWorld(shape);
      let lives = 0;
      const next = (): Life => {
        lives++;
        return new Life(api, { at: 1, when: 'after' });
      };
      const second = await drive(api, next(), 'app:1', next);
      const born = new Set(api.peekAll(pods, 'default').map(({ metadata }) => metadata.uid));
      changeImage(api, 'app:2');
      const last = await drive(api, second, 'app:2', next);
      await last.stop();
      const members = api.peekAll(pods, 'default');
      expect(members).toHaveLength(replicas);
      expect(members.filter(({ metadata }) => born.has(metadata.uid))).toHaveLength(how === 'InPlace' ? replicas : 0);
      expect(members.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual(each(how === 'InPlace' ? 1 : 0));
      // At most nine writes for each Pod (with hooks and recreation), and what is written of the CloneSet itself.
      expect(lives).toBeLessThan(replicas * 15 + 30);
    },
    60_000,
  );
});
