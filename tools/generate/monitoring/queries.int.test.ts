/** Every query of every dashboard and alert, asked of a real Prometheus that scrapes the programs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets, containerRecreateRequests, daemonSets, labels, podUnavailableBudgets, statefulSets } from '@kruise/api';
import { customResourceDefinitions, type KubeObject, namespaces, type ObjectKey, pods, type ResourceType } from '@kruise/objects';
import { eventually, expositionFault } from '@kruise/testing';
import { cloneSetOf } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { daemonSetOf } from '../../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { statefulSetOf } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { alerts, ruleGroups } from './alerts.ts';
import { dashboards } from './generator.ts';
import { Installation } from './installation.testing.ts';
import { PrometheusProcess } from './prometheus.testing.ts';

const image = 'registry.example/app:1';
const guarded = { labels: { [labels.deleteProtection]: 'Always' } };
/** No node has it, so that Pods with it wait. */
const nowhere = { nodeSelector: { 'kubernetes.io/hostname': 'nowhere' } };

let installation: Installation;
let prometheus: PrometheusProcess;

const create = (type: ResourceType, object: unknown): Promise<KubeObject> =>
  installation.client.create<KubeObject>(type, object as KubeObject);

/** Created again until the webhooks of the new manager answer. */
async function createWorkload(type: ResourceType, object: KubeObject): Promise<void> {
  await eventually(() =>
    create(type, object).then(
      () => true,
      (error: Error) => {
        if (error.message.includes('failed calling webhook')) return false;
        throw error;
      },
    ),
  );
}

/** Workloads of each kind: `web`, whose Pods become ready, and `waiting`, whose Pods never do. */
async function createWorkloads(): Promise<void> {
  await create(namespaces, { metadata: { name: 'shop' } });
  const [web, waiting] = [
    { name: 'web', replicas: 2, image },
    { name: 'waiting', replicas: 2, image },
  ];
  // Pods learn of their budget when they are created.
  const budget = { metadata: { name: 'web', namespace: 'shop' }, spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } };
  await createWorkload(podUnavailableBudgets, budget);
  const template = { metadata: { labels: { app: 'waiting' } }, spec: { containers: [{ name: 'main', image }], ...nowhere } };
  await createWorkload(
    cloneSets,
    cloneSetOf('shop', { ...web, spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } } }),
  );
  await createWorkload(statefulSets, statefulSetOf('shop', { ...web, rollingUpdate: { partition: 1 } }));
  await createWorkload(daemonSets, daemonSetOf('shop', { ...web, rollingUpdate: { maxUnavailable: 1, partition: 1 } }));
  await createWorkload(cloneSets, cloneSetOf('shop', { ...waiting, spec: { template } }));
  await createWorkload(statefulSets, statefulSetOf('shop', { ...waiting, podSpec: nowhere }));
}

/** A DaemonSet wants Pods only on nodes that can run them, so that a readiness gate keeps its Pods from being ready. */
async function createUnreadyDaemonSet(): Promise<void> {
  const readinessGates = [{ conditionType: 'example.com/never' }];
  await createWorkload(daemonSets, daemonSetOf('shop', { name: 'waiting', image, podSpec: { readinessGates } }));
}

/** Refused deletions of a namespace, a CRD and a workload, and of a Pod by a budget, as dry runs. */
async function beRefused(): Promise<void> {
  const { client } = installation;
  const isRefused = (type: ResourceType, key: ObjectKey): Promise<boolean> =>
    client.delete(type, key, { dryRun: true }).then(
      () => false,
      () => true,
    );
  const crd = {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'games', singular: 'game', kind: 'Game', listKind: 'GameList' },
  };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  await create(customResourceDefinitions, { metadata: { name: 'games.example.org', ...guarded }, spec: { ...crd, versions } });
  await create(namespaces, { metadata: { name: 'guarded', ...guarded } });
  const set = cloneSetOf('guarded', { name: 'web', replicas: 0, image });
  await create(cloneSets, { ...set, metadata: { ...set.metadata, ...guarded } });
  for (const [type, name, namespace] of [
    [namespaces, 'guarded', ''],
    [customResourceDefinitions, 'games.example.org', ''],
    [cloneSets, 'web', 'guarded'],
    [pods, 'web-0', 'shop'],
  ] as const)
    await eventually(() => isRefused(type, { namespace, name }));
}

async function recreateContainer(): Promise<void> {
  const isRunning = async (): Promise<boolean> =>
    (await installation.client.list(pods, { namespace: 'shop' })).items.some(
      ({ metadata, status }) => metadata.name === 'web-0' && status?.phase === 'Running',
    );
  await eventually(isRunning);
  const spec = { podName: 'web-0', containers: [{ name: 'main' }] };
  await create(containerRecreateRequests, { metadata: { name: 'restart', namespace: 'shop' }, spec });
}

beforeAll(async () => {
  installation = await Installation.start();
  prometheus = await PrometheusProcess.start(installation.targets, ruleGroups());
  await createWorkloads();
  await createUnreadyDaemonSet();
  await recreateContainer();
  await beRefused();
  await eventually(async () => (await prometheus.faults()).length === 0);
});
afterAll(async () => {
  await prometheus?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const chosen: Readonly<Record<string, string>> = { webhook: '.*', namespace: 'shop', name: 'web' };

/** As Grafana asks, with a value for each variable. */
const asked = (expr: string): string => expr.replaceAll(/\$([a-z]+)/g, (_, name: string) => chosen[name] ?? '');

/** Whether at least one series has a number. */
const hasData = async (expr: string): Promise<boolean> =>
  (await prometheus.query(expr)).some(({ value }) => Number.isFinite(Number(value[1])));

/** What an expression compares: its selectors, without what selects only faults or unusual settings. */
const measured = (expr: string): readonly string[] =>
  [...expr.matchAll(/([a-z_]+\{job=~"[^"]*")[^}]*\}/g)].map(([, selector = '']) => `${selector}}`);

describe('the queries of the dashboard', () => {
  const queries = dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) => panel.queries.map(({ expr }, at) => ({ title, panel: `${panel.title} ${at + 1}`, expr }))),
  );

  it.each(queries)('$title return data: $panel', async ({ expr }) => {
    await eventually(() => hasData(asked(expr)), 60_000);
    expect(await hasData(asked(expr))).toBe(true);
  });
});

describe('the alert', () => {
  it.each(alerts)('$alert compares metrics that are scraped', async ({ expr }) => {
    const selectors = measured(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) await eventually(() => hasData(selector), 60_000);
    expect(await Promise.all(selectors.map(hasData))).toEqual(selectors.map(() => true));
  });
});

describe('an exposition', () => {
  const expositions: Readonly<Record<string, () => Promise<string>>> = {
    'the manager': () => installation.manager.metrics(),
    'the agent': () => installation.daemon.metrics(),
    'the exporter': () => installation.exporter.text(),
    'the exporter about itself': () => installation.exporter.metrics(),
  };

  it.each(Object.keys(expositions))('of %s is parsed by promtool to its last byte', async (program) => {
    const text = await expositions[program]!();
    expect(await expositionFault(text)).toBe('');
  });

  it('that is cut off or has a label twice is refused by promtool', async () => {
    const text = await installation.exporter.text();
    expect(await expositionFault(`${text}kruise_cut{a="b`)).toContain('unexpected end of input');
    expect(await expositionFault(`${text}kruise_twice{a="1",a="2"} 1\n`)).toContain('duplicate label names');
  });

  it('is ingested by Prometheus without a refused sample', async () => {
    expect(await prometheus.faults()).toEqual([]);
    expect(prometheus.log).toBe('');
  });
});
