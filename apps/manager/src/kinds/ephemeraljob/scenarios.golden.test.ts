/** Golden scenarios of EphemeralJobs; the kubelet of the test runs each new ephemeral container for a second. */
import { describe } from '@jest/globals';
import { ephemeralJobs } from '@kruise/api';
import { pods, type Pod } from '@kruise/objects';
import { aJob, aTarget, at, reported, type JobShape, type State } from '@kruise/kinds/ephemeraljob/testing';
import { asNew } from '../../module/controller-process.testing.ts';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { ephemeralJobController } from './controller.ts';

class DebugCluster extends InMemoryCluster {
  /** Pods whose ephemeral containers fail. */
  readonly failing = new Set<string>();

  constructor(podCount: number) {
    super(ephemeralJobController);
    for (let index = 0; index < podCount; index++)
      this.api.seed(pods, asNew(aTarget(`web-${index}`, 'absent', undefined, { createdAt: at(index - 100) })));
  }

  debug(what: string, shape: JobShape): void {
    this.timeline.note(what);
    this.api.seed(ephemeralJobs, asNew(aJob({ finalized: false, ...shape })));
  }

  /** A container begins in one second and ends in the next. */
  protected override runKubelets(): Promise<void> {
    return this.runPods(this.api.peekAll(pods), (pod) => {
      const [status] = pod.status?.ephemeralContainerStatuses ?? [];
      if ((pod.spec.ephemeralContainers ?? []).length === 0 || status?.state?.terminated !== undefined) return undefined;
      const ended = this.failing.has(pod.metadata.name) ? 'failed' : 'succeeded';
      return withState(pod, status === undefined ? 'running' : ended);
    });
  }
}

const withState = (pod: Pod, state: State): Pod => ({
  ...pod,
  status: { ...pod.status, ephemeralContainerStatuses: reported(['debug'], state) },
});

/** Longer than the hour in which nothing may be written. */
const kept = 7200;

const scenarios: readonly GoldenScenario<DebugCluster>[] = [
  {
    name: 'one-pod-after-the-other',
    then: async (cluster) => {
      cluster.debug('a user debugs two of three Pods, one at a time', {
        spec: { replicas: 2, parallelism: 1, ttlSecondsAfterFinished: kept },
      });
      await cluster.ticks(8);
    },
  },
  {
    name: 'one-fails-and-the-job-is-deleted-after-its-end',
    then: async (cluster) => {
      cluster.failing.add('web-1');
      cluster.debug('a user debugs all Pods, and web-1 fails', { spec: { parallelism: 3, ttlSecondsAfterFinished: 5 } });
      await cluster.ticks(12);
    },
  },
  {
    name: 'paused-and-resumed',
    then: async (cluster) => {
      cluster.debug('a user creates a job that is paused', { spec: { paused: true, ttlSecondsAfterFinished: kept } });
      await cluster.ticks(3);
      cluster.timeline.note('the user resumes it');
      await cluster.api.patch(ephemeralJobs, { namespace: 'default', name: 'job' }, { spec: { paused: false } }, { type: 'merge' });
      await cluster.ticks(8);
    },
  },
];

describe('jobs', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new DebugCluster(3), scenarios);
});
