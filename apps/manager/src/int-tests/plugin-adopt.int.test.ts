/** `kubectl kruise adopt` between the controllers of Kubernetes and a manager: no Pod restarts, no Service loses an endpoint, wherever a run is killed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { controllerOf, isJsonObject, memberAt, type KubeObject, type Pod } from '@kruise/objects';
import {
  eventually,
  programFile,
  shippedFlags,
  startFaultProxy,
  stepsOf,
  succeeds,
  type ControlPlane,
  type FaultProxy,
} from '@kruise/testing';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const plugin = programFile('kubectl-kruise');
const dir = mkdtempSync(join(tmpdir(), 'plugin-adopt-'));

let plane: ControlPlane;
let proxy: FaultProxy;
let manager: ManagerProcess;

interface Ended {
  /** undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly output: string;
}

/** Runs the plugin through the proxy. @param isOver asked while it runs; true sends it the signal */
function run(line: string, isOver: () => boolean = () => false, signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...shippedFlags('manager'), plugin, ...line.split(' ')], {
      env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: proxy.kubeconfigPath },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const timer = setInterval(() => {
      if (isOver()) child.kill(signal);
    }, 5);
    child.on('close', (code) => {
      clearInterval(timer);
      resolve({ code: code ?? undefined, output });
    });
  });
}

const base = '/apis/apps/v1/namespaces/default';
const kruise = '/apis/apps.kruise.io/v1beta1/namespaces/default';
const core = '/api/v1/namespaces/default';

const get = async <T = KubeObject>(path: string): Promise<T> => (await plane.api.request(path)) as T;
const itemsOf = async <T = KubeObject>(path: string): Promise<readonly T[]> => (await get<{ readonly items: readonly T[] }>(path)).items;
const isThere = (path: string): Promise<boolean> => succeeds(plane.api.request(path));

const podsOf = (app: string): Promise<readonly Pod[]> => itemsOf<Pod>(`${core}/pods?labelSelector=app%3D${app}`);
const isWrite = ({ method }: { readonly method: string }): boolean => method !== 'GET';
const isReady = (pod: Pod): boolean => pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

/** What a restart would change. */
const identities = async (app: string): Promise<readonly string[]> =>
  (await podsOf(app))
    .map(({ metadata, status }) => {
      const containers = status?.containerStatuses?.map(({ containerID, restartCount }) => `${containerID ?? ''} ${restartCount}`) ?? [];
      return [metadata.name, metadata.uid, ...containers].join(' ');
    })
    .toSorted();

/** Follows the ready addresses of a Service and the deletions of Pods, from the start on. */
class Endpoints {
  readonly #slices = new Map<string, ReadonlySet<string>>();
  readonly #end = new AbortController();
  readonly #watches: readonly Promise<unknown>[];
  /** The number of ready addresses after each change. */
  readonly counts: number[] = [];
  readonly deleted: string[] = [];

  constructor(app: string) {
    const slices = `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?watch=1&labelSelector=kubernetes.io%2Fservice-name%3D${app}`;
    const pods = `${core}/pods?watch=1&labelSelector=app%3D${app}`;
    const ended = (): undefined => undefined;
    this.#watches = [
      plane.api.watch(slices, ({ type, object }) => this.#onSlice(type, object as KubeObject), this.#end.signal).catch(ended),
      plane.api
        .watch(
          pods,
          ({ type, object }) => void (type === 'DELETED' && this.deleted.push((object as KubeObject).metadata.name)),
          this.#end.signal,
        )
        .catch(ended),
    ];
  }

  #onSlice(type: string, slice: KubeObject): void {
    const endpoints = memberAt(slice, 'endpoints');
    const ready = (Array.isArray(endpoints) ? endpoints : []).filter((one: unknown) => memberAt(one, 'conditions', 'ready') === true);
    this.#slices.set(
      slice.metadata.name,
      new Set(type === 'DELETED' ? [] : ready.map((one: unknown) => JSON.stringify(memberAt(one, 'addresses')))),
    );
    this.counts.push(this.ready);
  }

  get ready(): number {
    return [...this.#slices.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#watches);
  }
}

const template = (app: string, image = 'nginx:1'): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80 }] }] },
});

/** A kind of Kubernetes and its counterpart. */
interface Pair {
  readonly app: string;
  readonly builtin: { readonly word: string; readonly path: string };
  readonly advanced: { readonly word: string; readonly path: string };
  readonly spec: object;
  readonly replicas: number;
}

const pairs: readonly Pair[] = [
  {
    app: 'web',
    builtin: { word: 'deployment', path: `${base}/deployments` },
    advanced: { word: 'clone', path: `${kruise}/clonesets` },
    spec: { replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    replicas: 3,
  },
  {
    app: 'db',
    builtin: { word: 'statefulset', path: `${base}/statefulsets` },
    advanced: { word: 'asts', path: `${kruise}/statefulsets` },
    spec: { replicas: 2, serviceName: 'db' },
    replicas: 2,
  },
  {
    app: 'agent',
    builtin: { word: 'daemonset', path: `${base}/daemonsets` },
    advanced: { word: 'ads', path: `${kruise}/daemonsets` },
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
    replicas: 3,
  },
];

async function createSource({ app, builtin, spec, replicas }: Pair): Promise<void> {
  await plane.api.request(`${core}/services`, {
    method: 'POST',
    body: { metadata: { name: app }, spec: { selector: { app }, ports: [{ port: 80 }] } },
  });
  await plane.api.request(builtin.path, {
    method: 'POST',
    body: {
      metadata: { name: app, annotations: { team: 'a' } },
      spec: { selector: { matchLabels: { app } }, template: template(app), ...spec },
    },
  });
  await eventually(async () => (await podsOf(app)).filter(isReady).length === replicas);
}

/** Whether the controller of the object has seen it and counts every Pod as updated. */
async function isAtRest(path: string, replicas: number): Promise<boolean> {
  const object = await get(path).catch(() => undefined);
  if (object === undefined || memberAt(object, 'status', 'observedGeneration') !== object.metadata.generation) return false;
  const status = memberAt(object, 'status');
  const updated = isJsonObject(status) ? (status['updatedReplicas'] ?? status['updatedNumberScheduled']) : undefined;
  return updated === replicas;
}

const fresh = async (pair: Pair): Promise<readonly string[]> => {
  await eventually(() => isAtRest(`${pair.builtin.path}/${pair.app}`, pair.replicas));
  return identities(pair.app);
};

beforeAll(async () => {
  plane = await startInstalledPlane({ simulatedNodes: 3 });
  proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: mkdtempSync(join(dir, 'manager-')) });
  await manager.start();
});

afterAll(async () => {
  await manager.signal('SIGKILL');
  await proxy.stop();
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Nothing of the move is left, and nothing happens to the Pods when a client scales the new workload. */
async function expectRest(pair: Pair, to: Pair['builtin'], from: Pair['builtin']): Promise<void> {
  await eventually(() => isAtRest(`${to.path}/${pair.app}`, pair.replicas));
  expect(await isThere(`${from.path}/${pair.app}`)).toBe(false);
  const target = await get(`${to.path}/${pair.app}`);
  expect(target.metadata.annotations).toMatchObject({ team: 'a' });
  const replicaSets = await itemsOf(`${base}/replicasets`);
  expect(JSON.stringify([target, await podsOf(pair.app), replicaSets])).not.toContain('kubectl-kruise/adopt');
  const owners = new Set((await podsOf(pair.app)).map((pod) => controllerOf(pod)?.kind));
  expect([...owners]).toEqual([to.word === 'deployment' ? 'ReplicaSet' : (target.kind ?? (await get(`${to.path}/${pair.app}`)).kind)]);
  const left = replicaSets.filter((one) => controllerOf(one) === undefined);
  expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
}

async function followed({ app, replicas }: Pair): Promise<Endpoints> {
  const endpoints = new Endpoints(app);
  await eventually(() => endpoints.ready === replicas);
  endpoints.counts.length = 0;
  return endpoints;
}

async function expectUndisturbed(endpoints: Endpoints, { replicas }: Pair): Promise<void> {
  expect(endpoints.counts.filter((count) => count < replicas)).toEqual([]);
  expect(endpoints.deleted).toEqual([]);
  await endpoints.stop();
}

/** The signals of a kill, of Ctrl-C and of a shutdown, in turn. */
const signals = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const;

/** A run that Ctrl-C or a shutdown ends prints how far the move is, if it has begun; a signal before the program has started ends it silently. */
function expectSaid({ code, output }: Ended): void {
  if (code === 0) return;
  expect([130, undefined]).toContain(code);
  const hasBegun = output.includes('marking the source') || output.includes('handing over');
  expect(output).toMatch(hasBegun ? /\nInterrupted.*Pods.*\. Run the same command again to continue\.\n$/ : /^(?![^]*rror)/);
}

/** A normal run kills each direction at every twentieth write, at other ones in each direction; the nightly run and the plugin's own tests kill it at each. */
const ways = Array.from({ length: 20 }, (_, way) => way);

describe.each(pairs)('adopt of $builtin.word', (pair) => {
  it('gives the Pods to the counterpart and back: none restarts, and the Service keeps every endpoint', async () => {
    await createSource(pair);
    const before = await fresh(pair);
    const endpoints = await followed(pair);
    for (const [from, to] of [
      [pair.builtin, pair.advanced],
      [pair.advanced, pair.builtin],
    ] as const) {
      const { code, output } = await run(`adopt ${from.word}/${pair.app} --yes`);
      expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(`adopted ${pair.replicas} Pods`) as unknown });
      await expectRest(pair, to, from);
      expect(await identities(pair.app)).toEqual(before);
    }
    await expectUndisturbed(endpoints, pair);
  });

  it('continues after a kill at any write, with the same result', async () => {
    const before = await fresh(pair);
    const endpoints = await followed(pair);
    const moves = [
      { from: pair.builtin, to: pair.advanced, ...stepsOf(0, ways) },
      { from: pair.advanced, to: pair.builtin, ...stepsOf(10, ways) },
    ];
    let deaths = 0;
    for (let round = 0, died = 2; died > 0; round++) {
      died = 0;
      for (const { from, to, first, every } of moves) {
        const [known, fatal] = [proxy.requests.length, first + round * every];
        const isFatal = (): boolean => proxy.requests.slice(known).filter(isWrite).length >= fatal;
        const signal = signals[(deaths + died) % signals.length] ?? 'SIGKILL';
        const ended = await run(`adopt ${from.word}/${pair.app} --yes`, isFatal, signal);
        if (signal !== 'SIGKILL') expectSaid(ended);
        if (ended.code !== 0) {
          died++;
          const { code: end, output } = await run(`adopt ${from.word}/${pair.app} --yes`);
          expect({ end, output }).toMatchObject({ end: 0 });
        }
        await expectRest(pair, to, from);
        expect(await identities(pair.app)).toEqual(before);
      }
      deaths += died;
    }
    expect(deaths).toBeGreaterThanOrEqual(2);
    await expectUndisturbed(endpoints, pair);
  });
});

describe('adopt', () => {
  it('lets the API server check the target, and writes nothing for a user without rights', async () => {
    const [pair] = pairs;
    const { app, builtin } = pair!;
    const before = await get(`${builtin.path}/${app}`);
    expect(await run(`adopt deployment/${app} --dry-run=server`)).toMatchObject({ code: 0 });
    const powerless = plane.kubeconfigFor('powerless');
    const { code, output } = await run(`adopt deployment/${app} --yes --kubeconfig ${powerless}`);
    expect(code).toBe(1);
    expect(output).toContain('cannot get resource "deployments"');
    expect((await get(`${builtin.path}/${app}`)).metadata.uid).toBe(before.metadata.uid);
  });

  it('gives the target what another client changes on the source during the move', async () => {
    const pair = { ...pairs[0]!, app: 'late' };
    await createSource(pair);
    await fresh(pair);
    const [from, to] = [`${pair.builtin.path}/${pair.app}`, `${pair.advanced.path}/${pair.app}`];
    const body = { metadata: { labels: { tier: 'gold' } }, spec: { replicas: 4, template: template(pair.app, 'nginx:2') } };
    let change: Promise<unknown> | undefined;
    const changeOnce = async (): Promise<void> => {
      if (await isThere(to)) change ??= plane.api.request(from, { method: 'PATCH', contentType: 'application/merge-patch+json', body });
    };
    const { code, output } = await run(`adopt deployment/${pair.app} --yes`, () => {
      void changeOnce();
      return false;
    });
    await change;
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/releasing the target, with the .*template/) as unknown,
    });
    await eventually(() => isAtRest(to, 4));
    const target = await get(to);
    expect(target.metadata.labels).toEqual({ tier: 'gold' });
    expect(memberAt(target, 'spec', 'template')).toMatchObject(template(pair.app, 'nginx:2'));
    await eventually(async () => (await podsOf(pair.app)).length === 4);
  });

  it('waits for a manager that does not run, says so at the time limit, and continues when it runs', async () => {
    const [pair] = pairs;
    const { app, builtin, advanced } = pair!;
    const before = await fresh(pair!);
    await manager.signal('SIGKILL');
    const { code, output } = await run(`adopt deployment/${app} --yes --timeout=5s`);
    expect(code).toBe(1);
    expect(output).toMatch(/run the same command again to continue|failed calling webhook/);
    await manager.start();
    await eventually(async () => (await run(`adopt deployment/${app} --yes`)).code === 0);
    await expectRest(pair!, advanced, builtin);
    expect(await identities(app)).toEqual(before);
  });
});
