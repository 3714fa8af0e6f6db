/** `kubectl kruise why` on states that something outside of the manager causes, each produced on a real API server, for a user who may only read. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { startDenyingWebhook, type DenyingWebhook } from '../processes/denying-webhook.testing.ts';
import { startInstalledPlane } from '../processes/installed-plane.testing.ts';
import { ManagerProcess } from '../processes/manager-process.testing.ts';
import { refusedStates } from './refused-states.testing.ts';
import { rivalStates } from './rival-states.testing.ts';
import { evidenceOf, runWhy, type Why } from './run-why.testing.ts';
import { StuckCluster } from './stuck-cluster.testing.ts';
import { other, type StuckState } from './stuck-state.testing.ts';
import { unscheduledStates } from './unscheduled-states.testing.ts';
import { denial } from './webhook-of-another-product.testing.ts';

const rbac = 'rbac.authorization.k8s.io';
const rolesFile = join(import.meta.dirname, '../../../../../deploy/manifests/generated/rbac/rbac.yaml');

/** Reading a workload of a thousand Pods takes as many: one request for each kind, whatever the number of objects. */
const mostRequests = 16;
const nodes = 3;

const dir = mkdtempSync(join(tmpdir(), 'plugin-why-'));
const states: readonly StuckState[] = [...refusedStates(() => webhook.clientConfig), ...unscheduledStates, ...rivalStates];
const arisen = new Map<string, Promise<void>>();

let webhook: DenyingWebhook;
let plane: ControlPlane;
let manager: ManagerProcess;
let reader: string;

/** The Rollouts of OpenKruise, as far as they are read: nothing runs that acts on them. */
const rolloutDefinition = other('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'rollouts.rollouts.kruise.io', {
  spec: {
    group: 'rollouts.kruise.io',
    names: { kind: 'Rollout', plural: 'rollouts' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

interface Listed {
  readonly items: readonly unknown[];
}

const viewOf = (name: string, apiGroups: readonly string[], resources: readonly string[], labels: object = {}): object => ({
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: [{ apiGroups, resources, verbs: ['get', 'list', 'watch'] }],
});

const bind = (user: string, role: string): object =>
  other(`${rbac}/v1`, 'ClusterRoleBinding', `${user}-${role}`, {
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  });

/** `view`, to which the installation adds the kinds of Kruise; and nodes, which `view` lacks. */
async function allowReading(cluster: StuckCluster): Promise<void> {
  const documents = parseAllDocuments(readFileSync(rolesFile, 'utf8')).map((one) => one.toJS() as { metadata: { name: string } });
  const aggregated = documents.find(({ metadata }) => metadata.name === 'aggregate-kruise-view');
  if (aggregated === undefined) throw new Error('the manifests have no role aggregate-kruise-view');
  await cluster.create(aggregated);
  await cluster.create(viewOf('rollouts-view', ['rollouts.kruise.io'], ['rollouts'], { [`${rbac}/aggregate-to-view`]: 'true' }));
  await cluster.create(viewOf('nodes-view', [''], ['nodes']));
  for (const [user, role] of [
    ['reader', 'view'],
    ['reader', 'nodes-view'],
    ['nodeless', 'view'],
  ] as const)
    await cluster.create(bind(user, role));
}

/** Produces a state. @returns once every sign of it shows */
async function produce({ namespace, prepare, objects, disturb, signs }: StuckState): Promise<void> {
  const cluster = new StuckCluster(plane, namespace);
  await cluster.open();
  await prepare?.(cluster);
  for (const object of objects) await cluster.create(object);
  await disturb?.(cluster);
  for (const sign of signs) await cluster.until(sign);
}

beforeAll(async () => {
  webhook = await startDenyingWebhook(() => denial);
  plane = await startInstalledPlane({ simulatedNodes: nodes });
  const flags = ['--feature-gates=ImagePullJobGate=true', '--nodeimage-creation-delay=0s'];
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
  await manager.start();
  const cluster = new StuckCluster(plane, 'default');
  await cluster.create(rolloutDefinition);
  await allowReading(cluster);
  // The controllers add the rules of the other two roles to it, and the API server serves the new kind.
  await eventually(async () => {
    const view = JSON.stringify(await plane.api.request(`/apis/${rbac}/v1/clusterroles/view`));
    const kinds = await plane.api.request('/apis/rollouts.kruise.io/v1beta1').catch(() => '');
    return (
      ['clonesets', 'rollouts'].every((resource) => view.includes(`"${resource}"`)) && JSON.stringify(kinds).includes('rollouts/status')
    );
  });
  // An ImagePullJob that is created before them finds no node and completes. Until the CRDs have the certificate of the manager, reads may fail.
  await eventually(async () => {
    const list = (await plane.api.request('/apis/apps.kruise.io/v1beta1/nodeimages').catch(() => undefined)) as Listed | undefined;
    return list?.items.length === nodes;
  });
  reader = plane.kubeconfigFor('reader');
  // The manager and the controllers work on all states at the same time; each test waits for its own one.
  for (const state of states) {
    const produced = produce(state);
    produced.catch(() => undefined); // its tests fail
    arisen.set(state.namespace, produced);
  }
});

afterAll(async () => {
  await Promise.allSettled(arisen.values());
  await manager.signal('SIGKILL');
  await plane.stop();
  await webhook[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** Asks `why` as the reader, once the state has arisen. */
async function ask(state: StuckState, target: string, kubeconfig = reader): Promise<Why> {
  await arisen.get(state.namespace);
  return runWhy(target, { kubeconfig, namespace: state.namespace, minutesLater: state.minutesLater });
}

const isReading = ({ methods }: Why): boolean => methods.every((method) => method === 'GET') && methods.length <= mostRequests;

describe('why names', () => {
  const cases = states.flatMap((state) => state.answers.map((answer) => ({ ...answer, state, name: state.name })));

  it.each(cases)('$name: $target is $reason', async ({ state, target, reason, message, evidence, next }) => {
    const why = await ask(state, target);
    const [first] = why.causes ?? [];
    expect({ ...why, first: first?.reason }).toMatchObject({ code: 1, kind: 'Stuck', first: reason, warnings: [] });
    expect(first?.message).toMatch(message);
    expect(evidenceOf(why).filter((text) => evidence.test(text))).not.toEqual([]);
    expect(first?.next).toMatch(next);
    expect([isReading(why), why.methods]).toEqual([true, why.methods]);
  });

  it('at least 12 kinds of states', () => {
    expect(states.length).toBeGreaterThanOrEqual(12);
  });
});

describe('why finds nothing wrong with', () => {
  it.each(states)('a CloneSet beside $name', async (state) => {
    const why = await ask(state, 'clone/sound');
    expect(why).toMatchObject({ code: 0, kind: 'Sound', warnings: [] });
    expect(isReading(why)).toBe(true);
  });
});

describe('without a right', () => {
  it('why still names the cause, and the right that is missing', async () => {
    const state = states.find(({ namespace }) => namespace === 'pull');
    if (state === undefined) throw new Error('no state of that name');
    const why = await ask(state, 'deployment/web', plane.kubeconfigFor('nodeless'));
    expect(why.causes?.[0]?.reason).toBe('ImageCannotBePulled');
    expect(why.code).toBe(1);
    expect(why.warnings).toEqual(['Warning: a cause may be hidden: you may not list nodes']);
  });
});
