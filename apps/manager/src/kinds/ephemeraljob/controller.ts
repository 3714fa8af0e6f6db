/** Puts ephemeral containers into Pods and follows how they end. @see spec/ephemeraljob.md 5 */
import { ephemeralJobDeclaration, ephemeralJobs, eventReasons, type EphemeralJob } from '@kruise/api';
import {
  afterFailure,
  isFailure,
  nextLook,
  runPlan,
  settled,
  watchInformer,
  type Outcome,
  type Stage,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, keyOf, labelMatcherOf, pods, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import { execute, type Io } from './execute.ts';
import { plan, type Action, type Plan, type Snapshot } from './plan.ts';
import { specOf } from './template.ts';
import { jobsOfPod, requestsForJob } from './wake.ts';

const name = ephemeralJobDeclaration.controllerName;

interface Stores {
  readonly jobs: StoreReader<EphemeralJob>;
  readonly pods: StoreReader<Pod>;
}

function observe(job: EphemeralJob, stores: Stores): Snapshot {
  const parsed = labelMatcherOf(specOf(job).selector);
  if (parsed.kind === 'Illegal') return { job, pods: { illegal: parsed.why } };
  const selector = (labels: Readonly<Record<string, string>>): boolean => parsed.matcher.matches(labels);
  return { job, pods: stores.pods.list({ namespace: job.metadata.namespace ?? '', selector }) };
}

interface Pass extends ControllerDependencies {
  readonly job: EphemeralJob;
  readonly stores: Stores;
}

/** Containers are put into a few Pods at first and into more when that works. */
async function carryOut(next: Plan, pass: Pass, signal: AbortSignal): Promise<Outcome> {
  const { client, job, logger, recorderFor } = pass;
  const refused: Error[] = [];
  const io: Io = { client, job, onRefused: (error) => void refused.push(error) };
  const about = { ephemeralJob: formatKey(keyOf(job)) };
  const tools = { execute: (action: Action, during: AbortSignal) => execute(action, io, during), logger, about };
  const begun = await runPlan([{ name: 'job', actions: next.job, onFailure: 'Stop' }], tools, signal);
  if (begun.error !== undefined) return afterFailure(begun.error);
  const { status } = next;
  if (status !== undefined) await writeNewestStatus(ephemeralJobs, { object: job, status }, { client, store: pass.stores.jobs }, signal);
  const stage: Stage<Action> = {
    name: 'inject',
    actions: next.inject,
    onFailure: 'EndStage',
    pace: 'ByKind',
    slowly: ['InjectContainers'],
  };
  const injected = await runPlan([stage], tools, signal);
  const error = injected.error ?? refused[0];
  if (error === undefined) return nextLook(next.lookAgainAfter);
  if (!isFailure(error, 'Conflict')) recorderFor(name).event(job, 'Warning', eventReasons.createFailed, error.message);
  return afterFailure(error);
}

/** A job that is gone needs nothing. */
async function reconcile(key: ObjectKey, stores: Stores, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const job = stores.jobs.get(key);
  if (job === undefined) return settled;
  const next = plan(observe(job, stores), dependencies.clock.now());
  return carryOut(next, { ...dependencies, job, stores }, signal);
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = { jobs: caches.of(ephemeralJobs), pods: caches.of(pods) };
  const stores: Stores = { jobs: sources.jobs.store, pods: sources.pods.store };
  return {
    watches: [watchInformer(sources.jobs, requestsForJob), watchInformer(sources.pods, (event) => jobsOfPod(event, stores.jobs))],
    reconcile: (key, signal) => reconcile(key, stores, dependencies, signal),
  };
}

export const ephemeralJobController: ControllerModule = { name, workers: 10, define };
