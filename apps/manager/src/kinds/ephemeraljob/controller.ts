/** What the controller of EphemeralJobs reads, and which rules it follows. @see spec/ephemeraljob.md 5 */
import { ephemeralJobDeclaration, ephemeralJobs, eventReasons, type EphemeralJob } from '@kruise/api';
import { watchInformer, type StoreReader } from '@kruise/kube';
import { isNodeLost, labelMatcherOf, nodes, pods, type Node, type Pod } from '@kruise/objects';
import { noneRefused, podsByNode } from '@kruise/workloads';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { newFailureOf } from '../../workloads/passes/run-paced.ts';
import { execute } from './execute.ts';
import { plan, stagesOf, subjectsOf, type Action, type Plan, type Snapshot, specOf } from '@kruise/kinds/ephemeraljob';
import { jobsOfNode } from './node-triggers.ts';
import { jobsOfPod, requestsForJob } from './triggers.ts';

interface Known {
  readonly jobs: StoreReader<EphemeralJob>;
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

interface Types {
  readonly object: EphemeralJob;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
}

const nodeOf = ({ spec }: Pod): string => spec.nodeName ?? '';

function observe(stores: Known, job: EphemeralJob, { refusals }: PassView): Snapshot {
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

export const ephemeralJobController = planController<Types>({
  name: ephemeralJobDeclaration.controllerName,
  workers: 10,
  type: ephemeralJobs,
  sources: ({ caches }) => {
    const sources = { jobs: caches.of(ephemeralJobs), pods: caches.of(pods, podsByNode), nodes: caches.of(nodes) };
    const known = { jobs: sources.jobs.store, pods: sources.pods.store, nodes: sources.nodes.store };
    return {
      objects: sources.jobs,
      known,
      requestsOf: requestsForJob,
      watches: [
        watchInformer(sources.pods, (event) => jobsOfPod(event, known.jobs)),
        watchInformer(sources.nodes, (event) => jobsOfNode(event, known)),
      ],
    };
  },
  rules: { observe, plan },
  status: 'Newest',
  stages: stagesOf,
  subjectsOf,
  execute,
  announce: ({ recorder, object }, result) => {
    const error = newFailureOf(result, 'inject');
    if (error !== undefined) recorder.event(object, 'Warning', eventReasons.createFailed, error.message);
  },
});
