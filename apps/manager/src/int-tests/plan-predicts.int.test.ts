/** The plan of a change predicts what the manager does on a real API server with simulated kubelets, Pod by Pod. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '@kruise/kube';
import { memberAt } from '@kruise/objects';
import { casesOf, type ControlPlane } from '@kruise/testing';
import fc from 'fast-check';
import { generatedChanges, growingChanges } from './fixtures/generated-changes.testing.ts';
import { wrongSizes } from './fixtures/predicted-claims.testing.ts';
import { PredictedWorkload, type Outcome } from './fixtures/predicted-pods.testing.ts';
import { PredictedSidecarSet, sidecarChanges, type SidecarChange, type SidecarOutcome } from './fixtures/predicted-sidecars.testing.ts';
import { SimulatedStorage } from './fixtures/simulated-storage.testing.ts';
import { openNamespace } from './fixtures/workload-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const namespace = 'predicted';
/** Workloads whose changes run at the same time. */
const atOnce = 8;

const dir = mkdtempSync(join(tmpdir(), 'kruise-predicted-'));
let plane: ControlPlane;
let manager: ManagerProcess;
let client: Client;
let storage: SimulatedStorage;

beforeAll(async () => {
  plane = await startInstalledPlane({ simulatedNodes: 3 });
  const flags = ['--feature-gates=PodUnavailableBudgetUpdateGate=true,StatefulSetAutoResizePVCGate=true'];
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
  await manager.start();
  client = await openNamespace(plane.kubeconfigPath, namespace);
  storage = await SimulatedStorage.start(client, namespace);
});

afterAll(async () => {
  await storage.stop();
  client.close();
  await manager.signal('SIGKILL');
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Case extends Outcome {
  readonly name: string;
  readonly change: string;
  readonly refusedField: string | undefined;
  readonly hasBudget: boolean;
}

/** Pods whose fate was not the predicted one, in words; a wrong number of new Pods counts as so many Pods. */
function wrongPods({ predicted, happened, created }: Outcome): readonly string[] {
  const wrong = [...predicted].filter(([name, fate]) => happened.get(name) !== fate);
  const missing = Math.abs(created.predicted - created.happened);
  return [
    ...wrong.map(([name, fate]) => `Pod ${name}: ${fate} was predicted, and it is ${String(happened.get(name))}`),
    ...Array.from({ length: missing }, () => `${created.predicted} new Pods were predicted, and there are ${created.happened}`),
  ];
}

/** Pods that were acted on before a Pod of an earlier batch. */
function outOfOrder({ plan, order }: Outcome): readonly string[] {
  const batches = plan.workloads[0]?.batches ?? [];
  const batchOf = (name: string): number =>
    batches.findIndex(({ inPlace, recreated, deleted }) => [...inPlace, ...recreated, ...deleted].includes(name));
  return order.filter((name, index) => order.slice(index + 1).some((later) => batchOf(later) < batchOf(name)));
}

/** Whether the plan names exactly the field that was changed and that no update in place can change. */
function namesField({ plan, refusedField }: Case): boolean {
  const { wantsInPlace = false, recreations = [], operation } = plan.workloads[0] ?? {};
  const named = recreations.flatMap(({ fields }) => fields.map(({ path }) => path));
  if (refusedField === undefined || !wantsInPlace || operation === 'None') return true;
  return named.some((path) => path.startsWith(refusedField));
}

async function runCase(index: number, named: ReturnType<typeof generatedChanges.generate>['value']): Promise<Case> {
  const name = `case-${index}`;
  const change = named(name);
  const workload = new PredictedWorkload(client, { namespace, name }, change);
  await workload.create();
  const outcome = await workload.compare();
  await workload.delete();
  return {
    ...outcome,
    name,
    change: JSON.stringify([change.after, change.budget ?? 'no budget']),
    refusedField: change.refusedField,
    hasBudget: change.budget !== undefined,
  };
}

/** Whether a claim that was there requests another size. */
const isResized = ({ claims: { before, happened } }: Case): boolean =>
  [...before].some(([name, size]) => happened.has(name) && happened.get(name) !== size);

/** A change that is made in every run: a budget keeps all Pods. */
const budgetCase: SidecarChange = {
  replicas: 2,
  image: 'side:2',
  isExtended: false,
  strategy: { maxUnavailable: 1 },
  budget: { maxUnavailable: 0 },
};

/** Calls the work for each item, {@link atOnce} at a time. @returns the results, and what failed */
async function forEach<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<{ readonly results: readonly R[]; readonly failures: readonly unknown[] }> {
  const waiting = items.map((item, index) => ({ item, index }));
  const results: R[] = [];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await work(next.item, next.index).then(
        (result) => results.push(result),
        (error: unknown) => failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { results, failures };
}

const mistakesOf = (one: Case, wrong: readonly string[]): readonly string[] =>
  wrong.length === 0 ? [] : [`${one.name} ${one.plan.kind}: ${wrong.join('; ')}; after: ${one.change}`];

it('predicts at least 99 of 100 Pods, their order, the size of each claim and the field that forces recreation', async () => {
  const changes = [
    ...fc.sample(generatedChanges, { numRuns: casesOf(12, 500) }),
    ...fc.sample(growingChanges, { numRuns: casesOf(3, 100) }),
  ];
  const { results: cases, failures } = await forEach(changes, (named, index) => runCase(index, named));
  expect(failures).toEqual([]);
  const pods = cases.reduce((sum, { predicted, created }) => sum + predicted.size + created.happened, 0);
  const wrong = cases.map(wrongPods);
  const share = 1 - wrong.flat().length / pods;
  const mistakes = cases.flatMap((one, index) => mistakesOf(one, wrong[index] ?? []));
  expect(share < 0.99 ? mistakes : []).toEqual([]);
  const early = cases.map((one) => outOfOrder(one).map((name) => `Pod ${name} comes too early`));
  // A Pod that is ready sooner than others makes room for one of the next batch. One that a budget has refused waits, and the next one comes first.
  const tooMany = early.flat().length > Math.ceil(pods / 100);
  expect(tooMany ? cases.flatMap((one, index) => mistakesOf(one, early[index] ?? [])) : []).toEqual([]);
  expect(cases.filter((one) => !namesField(one)).map(({ name, plan, change }) => `${name} ${plan.kind} ${change}`)).toEqual([]);
  expect(cases.flatMap((one) => mistakesOf(one, wrongSizes(one.claims.predicted, one.claims.happened)))).toEqual([]);
  expect(cases.filter(isResized).length).toBeGreaterThanOrEqual(cases.length / 20);
  expect(pods).toBeGreaterThan(cases.length);
  expect(cases.filter(({ hasBudget }) => hasBudget).length).toBeGreaterThanOrEqual(cases.length / 4);
}, 3_600_000);

async function runSidecarCase(index: number, change: SidecarChange): Promise<SidecarOutcome> {
  const sidecarSet = new PredictedSidecarSet(client, { namespace, name: `sidecar-${index}` }, change);
  await sidecarSet.create();
  const outcome = await sidecarSet.compare();
  await sidecarSet.delete();
  return outcome;
}

/** Which of the Pods that a budget refuses for a moment the partition keeps depends on the time of the refusals, and only their number is predicted. */
const isByChance = ({ budget, strategy }: SidecarChange): boolean => budget !== undefined && memberAt(strategy, 'partition') !== 0;

/** The number of Pods whose fate was not the predicted one. */
function wrongSidecars({ change, predicted, happened }: SidecarOutcome): number {
  if (isByChance(change)) return Math.abs(predicted.length - happened.length);
  return predicted.filter((name) => !happened.includes(name)).length + happened.filter((name) => !predicted.includes(name)).length;
}

it('predicts which Pods a SidecarSet updates, and which ones a budget keeps', async () => {
  const changes = fc.sample(sidecarChanges, { numRuns: casesOf(6, 60) });
  const { results, failures } = await forEach([budgetCase, ...changes], (change, index) => runSidecarCase(index, change));
  expect(failures).toEqual([]);
  const pods = results.reduce((sum, one) => sum + one.pods, 0);
  const wrong = results.filter((one) => wrongSidecars(one) > 0);
  const mistakes = wrong.map(({ change, predicted, happened }) => JSON.stringify({ change, predicted, happened }));
  const share = 1 - wrong.reduce((sum, one) => sum + wrongSidecars(one), 0) / pods;
  expect(share < 0.99 ? mistakes : []).toEqual([]);
  expect(results.some(({ plan }) => plan.workloads[0]?.endedBy.kind === 'Budget')).toBe(true);
  expect(results.some(({ happened }) => happened.length > 0)).toBe(true);
}, 3_600_000);
