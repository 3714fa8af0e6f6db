/** Puts ephemeral containers into Pods and follows how they end. @see spec/ephemeraljob.md 5 */
import { ephemeralJobDeclaration, ephemeralJobs, eventReasons, type EphemeralJob } from '@kruise/api';
import { isFailure, onEvent, settled, watchInformer, type Outcome, type Stage, type StoreReader } from '@kruise/kube';
import { formatKey, isNodeLost, keyOf, labelMatcherOf, nodes, pods, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { noneRefused } from '@kruise/workloads';
import { podsByNode } from '../../caches/pods-by-node.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { runPaced, type PacedResult } from '../../workloads/run-paced.ts';
import { execute } from './execute.ts';
import { plan, type Action, type Plan, type Snapshot } from './plan.ts';
import { specOf } from './template.ts';
import { jobsOfNode } from './wake-of-node.ts';
import { jobsOfPod, requestsForJob } from './wake.ts';

const name = ephemeralJobDeclaration.controllerName;

interface Stores {
  readonly jobs: StoreReader<EphemeralJob>;
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

const nodeOf = ({ spec }: Pod): string => spec.nodeName ?? '';

const subjectsOf = (action: Action): readonly string[] =>
  action.kind === 'InjectContainers' && action.pod.metadata.uid !== undefined ? [action.pod.metadata.uid] : [];

const injection = ({ inject }: Plan): Stage<Action> => ({
  name: 'inject',
  actions: inject,
  onFailure: 'EndStage',
  pace: 'ByKind',
  slowly: ['InjectContainers'],
});

function observe(job: EphemeralJob, stores: Stores, refusals: RefusedObjects): Snapshot {
  const parsed = labelMatcherOf(specOf(job).selector);
  if (parsed.kind === 'Illegal') return { job, pods: { illegal: parsed.why }, lostNodes: new Set(), refused: noneRefused };
  const selector = (labels: Readonly<Record<string, string>>): boolean => parsed.matcher.matches(labels);
  const found = stores.pods.list({ namespace: job.metadata.namespace ?? '', selector });
  const refused = refusals.of(job.metadata.uid ?? '', () => new Set(found.flatMap(({ metadata }) => metadata.uid ?? [])));
  const isLost = (name: string): boolean => {
    const node = stores.nodes.get({ namespace: '', name });
    return node !== undefined && isNodeLost(node);
  };
  return { job, pods: found, lostNodes: new Set([...new Set(found.map(nodeOf))].filter(isLost)), refused };
}

interface Pass extends ControllerDependencies {
  readonly job: EphemeralJob;
  readonly stores: Stores;
  readonly refusals: RefusedObjects;
}

/** Says of every refusal once that a Pod gets no containers: a write that still waits is no news. */
function report({ fresh }: PacedResult<Action>, { job, recorderFor }: Pass): void {
  if (fresh === undefined || isFailure(fresh, 'Conflict')) return;
  recorderFor(name).event(job, 'Warning', eventReasons.createFailed, fresh.message);
}

/** Containers are put into a few Pods at first and into more when that works. */
async function carryOut(next: Plan, pass: Pass, signal: AbortSignal): Promise<Outcome> {
  const { client, job, logger, refusals, stores } = pass;
  const about = { ephemeralJob: formatKey(keyOf(job)) };
  const tools = { execute: (action: Action, during: AbortSignal) => execute(action, { client, job }, during), logger, about };
  const paced = { refusals, owner: job, subjectsOf };
  const outcome = (fresh: Error | undefined): Outcome => refusals.outcome(job.metadata.uid ?? '', fresh, [next.lookAgainAfter]);
  const begun = await runPaced([{ name: 'job', actions: next.job, onFailure: 'Stop' }], tools, paced, signal);
  if (begun.error !== undefined) return outcome(begun.fresh);
  const { status } = next;
  const write = (): Promise<unknown> =>
    status === undefined
      ? Promise.resolve()
      : writeNewestStatus(ephemeralJobs, { object: job, status }, { client, store: stores.jobs }, signal);
  const written = await refusals.writeStatus(job, write);
  if (written.error !== undefined) return outcome(written.fresh);
  const injected = await runPaced([injection(next)], tools, paced, signal);
  report(injected, pass);
  return outcome(injected.fresh);
}

/** A job that is gone needs nothing. */
async function reconcile(
  key: ObjectKey,
  { stores, refusals }: Pick<Pass, 'stores' | 'refusals'>,
  dependencies: ControllerDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  const job = stores.jobs.get(key);
  if (job === undefined) return settled;
  refusals.begin(job);
  const next = plan(observe(job, stores, refusals), dependencies.clock.now());
  return carryOut(next, { ...dependencies, job, stores, refusals }, signal);
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = { jobs: caches.of(ephemeralJobs), pods: caches.of(pods, podsByNode), nodes: caches.of(nodes) };
  const stores: Stores = { jobs: sources.jobs.store, pods: sources.pods.store, nodes: sources.nodes.store };
  const refusals = new RefusedObjects(dependencies.clock);
  return {
    watches: [
      onEvent(sources.jobs, (event) => {
        if (event.kind === 'Deleted') refusals.forget(event.object.metadata.uid ?? '');
      }),
      watchInformer(sources.jobs, requestsForJob),
      watchInformer(sources.pods, (event) => jobsOfPod(event, stores.jobs)),
      watchInformer(sources.nodes, (event) => jobsOfNode(event, stores)),
    ],
    reconcile: (key, signal) => reconcile(key, { stores, refusals }, dependencies, signal),
  };
}

export const ephemeralJobController: ControllerModule = { name, workers: 10, define };
