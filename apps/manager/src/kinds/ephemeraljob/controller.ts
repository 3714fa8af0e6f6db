/** Puts ephemeral containers into Pods and follows how they end. @see spec/ephemeraljob.md 5 */
import { controllerNames, ephemeralJobs, type EphemeralJob } from '@kruise/api';
import {
  afterFailure,
  isFailure,
  lookAgain,
  nextLook,
  settled,
  watchInformer,
  type Clock,
  type Outcome,
  type StoreReader,
} from '@kruise/kube';
import { labelMatcherOf, pods, unreachable, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { addFinalizer, deleteJob, inject, letGo, writeStatus, type Io } from './execute.ts';
import { plan, type Plan, type Snapshot } from './plan.ts';
import { specOf } from './template.ts';
import { jobsOfPod, requestsForJob } from './wake.ts';

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

async function run(job: EphemeralJob, next: Extract<Plan, { readonly kind: 'Run' }>, io: Io, signal: AbortSignal): Promise<Outcome> {
  const held = next.addFinalizer ? await addFinalizer(job, io, signal) : job;
  await writeStatus(held, next.status, io, signal);
  const error = await inject(next.inject, held, { containers: next.containers, io }, signal);
  if (error !== undefined) throw error;
  return nextLook(next.lookAgainAfter);
}

async function carryOut(job: EphemeralJob, next: Plan, io: Io, signal: AbortSignal): Promise<Outcome> {
  switch (next.kind) {
    case 'Nothing':
      return settled;
    case 'RemoveFinalizer':
      await letGo(job, io, signal);
      return settled;
    case 'Delete':
      await deleteJob(job, io, signal);
      return settled;
    case 'Wait':
      return lookAgain(next.lookAgainAfter);
    case 'Run':
      return run(job, next, io, signal);
    default:
      return unreachable(next);
  }
}

async function reconcile(key: ObjectKey, stores: Stores, io: Io & { readonly clock: Clock }, signal: AbortSignal): Promise<Outcome> {
  const job = stores.jobs.get(key);
  if (job === undefined) return settled;
  try {
    return await carryOut(job, plan(observe(job, stores), io.clock.now()), io, signal);
  } catch (error) {
    if (isFailure(error, 'NotFound')) return settled;
    return afterFailure(error);
  }
}

function define({ client, clock, caches, recorderFor }: ControllerDependencies): ControllerWork {
  const sources = { jobs: caches.of(ephemeralJobs), pods: caches.of(pods) };
  const stores: Stores = { jobs: sources.jobs.store, pods: sources.pods.store };
  const io = { client, clock, recorder: recorderFor(controllerNames.ephemeralJob) };
  return {
    watches: [watchInformer(sources.jobs, requestsForJob), watchInformer(sources.pods, (event) => jobsOfPod(event, stores.jobs))],
    reconcile: (key, signal) => reconcile(key, stores, io, signal),
  };
}

export const ephemeralJobController: ControllerModule = {
  name: controllerNames.ephemeralJob,
  workers: 10,
  define,
};
