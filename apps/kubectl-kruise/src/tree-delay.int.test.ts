/**
 * `tree -w` on a terminal, against a real API server: 500 Pods are updated in place, and each event is drawn. `KRUISE_TREE_REPORT=1` prints how long it
 * took from the event to the screen; the nightly run limits it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { eventually, skipUnless, programFile, startControlPlane, type ControlPlane } from '@kruise/testing';
import { cloneSetsPath, installCloneSets } from './cloneset-kind.testing.ts';
import { EmulatedTerminal } from './print/emulated-terminal.testing.ts';

const main = programFile('kubectl-kruise');
const pods = 500;
const nodes = 5;
/** Changes that are written at the same time. */
const atOnce = 10;
const size = { columns: 120, rows: 1200 };

const namespace = '/api/v1/namespaces/default';
const labels = { app: 'web' };
const nameOf = (index: number): string => `web-${String(index).padStart(3, '0')}`;

let plane: ControlPlane;
const post = (path: string, body: object): Promise<unknown> => plane.api.request(path, { method: 'POST', body });
const patch = (path: string, body: object): Promise<unknown> =>
  plane.api.request(path, { method: 'PATCH', body, contentType: 'application/strategic-merge-patch+json' });

async function forEachPod(work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < pods) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** How far a Pod is: 0 before the update, 1 with the new image, 2 with the container that was restarted for it. */
type Stage = 0 | 1 | 2;

const stageOf = ({ metadata, status }: Pod): Stage => {
  if (metadata.labels?.['controller-revision-hash'] !== 'web-2') return 0;
  return status?.containerStatuses?.[0]?.restartCount === 1 ? 2 : 1;
};

/** Returns how far each Pod is by the rows of the screen. */
function stagesOn(screen: readonly string[]): ReadonlyMap<string, Stage> {
  const stages = new Map<string, Stage>();
  let [isUpdate, pod] = [false, ''];
  for (const row of screen) {
    const revision = /\bRevision (\S+)/.exec(row)?.[1];
    if (revision !== undefined) isUpdate = revision === 'web-2';
    pod = /\bPod (\S+)/.exec(row)?.[1] ?? pod;
    if (isUpdate && / main {2}.*nginx:2/.test(row)) stages.set(pod, row.includes('1 restart') ? 2 : 1);
  }
  return stages;
}

interface Timed<T> {
  readonly atMs: number;
  readonly what: T;
}

/** The plugin in a terminal of its own. */
class WatchedTree {
  readonly output: Timed<string>[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor() {
    const command = `stty cols ${size.columns} rows ${size.rows} && exec ${process.execPath} --disable-warning=ExperimentalWarning ${main} tree clone/web -w --all`;
    const env = { ...process.env, KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1', TERM: 'xterm' };
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (what: string) => this.output.push({ atMs: performance.now(), what }));
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  get text(): string {
    return this.output.map(({ what }) => what).join('');
  }

  /** Presses Ctrl-C. @returns the exit code */
  async interrupt(): Promise<number | null> {
    this.#child.stdin?.write('\u0003');
    return this.#ended;
  }
}

/** Returns for each Pod when each stage was on the screen, in ms of the clock of the output. */
async function drawnAt(output: readonly Timed<string>[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const terminal = new EmulatedTerminal(size);
  const times = new Map<string, number[]>();
  for (const { atMs, what } of output) {
    await terminal.write(what);
    for (const [pod, stage] of stagesOn(terminal.screen())) {
      const known = times.get(pod) ?? [0];
      while (known.length <= stage) known.push(atMs);
      times.set(pod, known);
    }
  }
  terminal.dispose();
  return times;
}

/** Waits until every Pod is on the screen with its last stage. */
async function untilAllDrawn(tree: WatchedTree): Promise<void> {
  const terminal = new EmulatedTerminal(size);
  let written = 0;
  await eventually(async () => {
    const next = tree.output.slice(written);
    written += next.length;
    await terminal.write(next.map(({ what }) => what).join(''));
    const stages = [...stagesOn(terminal.screen()).values()];
    return stages.length === pods && stages.every((stage) => stage === 2);
  });
  terminal.dispose();
}

const quantile = (sorted: readonly number[], part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? NaN;

/** In ms. Only the nightly run sets it: in other runs the machine has other load. */
const longestP95 = Number(process.env['KRUISE_TREE_LONGEST_P95'] ?? Infinity);

function report(sorted: readonly number[]): void {
  if (process.env['KRUISE_TREE_REPORT'] !== '1') return;
  const [half, most, all] = [0.5, 0.95, 1].map((part) => `${Math.round(quantile(sorted, part))} ms`);
  process.stderr.write(`event to screen of ${sorted.length} events: p50 ${half}, p95 ${most}, maximum ${all}\n`);
}

async function createCloneSet(): Promise<void> {
  await installCloneSets(plane);
  const { metadata } = (await post(cloneSetsPath, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
    },
  })) as Pod;
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: metadata.uid, controller: true };
  for (const number of [1, 2])
    await post('/apis/apps/v1/namespaces/default/controllerrevisions', {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `web-${number}`, labels, ownerReferences: [owner] },
      revision: number,
      data: {},
    });
  await patchStatus();
  await forEachPod((index) =>
    post(`${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: nameOf(index), labels: { ...labels, 'controller-revision-hash': 'web-1' }, ownerReferences: [owner] },
      spec: {
        nodeName: `simulated-${index % nodes}`,
        containers: [{ name: 'main', image: 'nginx:1' }],
        automountServiceAccountToken: false,
      },
    }),
  );
}

const status = {
  observedGeneration: 1,
  replicas: pods,
  readyReplicas: pods,
  availableReplicas: pods,
  updatedReplicas: 0,
  updatedReadyReplicas: 0,
  updateRevision: 'web-2',
  currentRevision: 'web-1',
};
const patchStatus = (): Promise<unknown> =>
  plane.api.request(`${cloneSetsPath}/web/status`, {
    method: 'PATCH',
    body: { status },
    contentType: 'application/merge-patch+json',
  });

beforeAll(async () => {
  plane = await startControlPlane({ simulatedNodes: nodes });
  await createCloneSet();
});
afterAll(() => plane.stop());

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

skipUnless(
  existsSync('/usr/bin/script'),
  'needs script of util-linux, which makes a terminal',
  describe,
)('tree -w on a terminal', () => {
  it(`draws each event of an update of ${pods} Pods in place`, async () => {
    const readPods = async (): Promise<readonly Pod[]> =>
      ((await plane.api.request(`${namespace}/pods?labelSelector=app%3Dweb`)) as { readonly items: readonly Pod[] }).items;
    await eventually(async () => (await readPods()).filter(isReady).length === pods);

    const events: Timed<Pod>[] = [];
    const stop = new AbortController();
    const onEvent = ({ object }: { readonly object: unknown }): void => void events.push({ atMs: performance.now(), what: object as Pod });
    const watching = plane.api.watch(`${namespace}/pods?watch=1&labelSelector=app%3Dweb`, onEvent, stop.signal);
    const tree = new WatchedTree();
    await eventually(() => tree.text.includes(nameOf(pods - 1)));

    await forEachPod((index) =>
      patch(`${namespace}/pods/${nameOf(index)}`, {
        metadata: { labels: { 'controller-revision-hash': 'web-2' } },
        spec: { containers: [{ name: 'main', image: 'nginx:2' }] },
      }),
    );
    await eventually(() => new Set(events.filter(({ what }) => stageOf(what) === 2).map(({ what }) => what.metadata.name)).size === pods);
    stop.abort();
    await watching;
    await untilAllDrawn(tree);
    expect(await tree.interrupt()).toBe(130);
    const drawn = await drawnAt(tree.output);

    const firstAt = new Map<string, number>();
    for (const { atMs, what } of events) {
      const key = `${what.metadata.name} ${stageOf(what)}`;
      if (stageOf(what) > 0 && !firstAt.has(key)) firstAt.set(key, atMs);
    }
    const delays = [...firstAt].map(([key, atMs]) => {
      const [name = '', stage] = key.split(' ');
      return Math.max(0, (drawn.get(name)?.[Number(stage)] ?? NaN) - atMs);
    });
    expect(firstAt.size).toBeGreaterThanOrEqual(2 * pods);
    expect(delays.filter(Number.isNaN)).toEqual([]);
    const sorted = delays.toSorted((a, b) => a - b);
    report(sorted);
    expect(quantile(sorted, 0.95)).toBeLessThanOrEqual(longestP95);
  });
});
