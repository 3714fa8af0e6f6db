/** The scenarios of `npm run bench`, in the order in which they run. Each has a file of its name in `scenarios/`. Pure. */
import type { Sizes } from './scenario.ts';

interface Scenario {
  /** For `--help`. */
  readonly what: string;
  /** The sizes that it reads, and their defaults. */
  readonly sizes?: Partial<Sizes>;
  /** It takes an hour, or needs more than this program starts with. */
  readonly onlyNamed?: true;
}

const thousandPods = { pods: 1_000 };

const scenarios = {
  store: { what: 'Pods listed, held and watched, beside other informers', sizes: { stored: 10_000 } },
  client: { what: 'CPU of a write, beside @kubernetes/client-node' },
  manager: { what: 'the manager process: its start and its memory', sizes: { stored: 10_000 } },
  rollout: {
    what: 'a CloneSet on simulated nodes, from creation to deletion: wall time, CPU, API calls, admission meanwhile',
    sizes: thousandPods,
  },
  stateful: { what: 'the same phases of a StatefulSet beside those of a CloneSet, and 200 Pods one by one', sizes: thousandPods },
  podstates: { what: 'Pods steered by a PersistentPodState with 5,000 records', sizes: { pods: 5_000 } },
  spread: { what: 'Pods of a CloneSet created under a WorkloadSpread with three subsets, and without', sizes: thousandPods },
  pernode: {
    what: 'a DaemonSet and a BroadcastJob on simulated nodes, nodes that come and go; memory with five times as many nodes',
    sizes: { nodes: 1_000 },
  },
  cron: { what: '1,000 AdvancedCronJobs of the same minute: how late their jobs are' },
  united: { what: 'a UnitedDeployment of 20 subsets: calls a change, children that scaling by one touches', sizes: { pods: 2_000 } },
  budget: {
    what: 'evictions of Pods under PodUnavailableBudgets of 100 Pods: latency; what a changed Pod costs in small and large budgets',
    sizes: { pods: 10_000 },
  },
  distribute: {
    what: 'a ResourceDistribution to many namespaces: writes, requests at rest, how soon a new namespace has its copy',
    sizes: { namespaces: 1_000 },
  },
  hostile: { what: 'Pods created and a CloneSet scaled while another tenant submits objects as large as the bounds allow' },
  sidecars: {
    what: 'a sidecar injected into as many Pods, and its image replaced in them: wall time, CPU, API calls',
    sizes: thousandPods,
  },
  daemon: { what: 'the node agent within the limits of a small container: idle with 100 Pods on its node' },
  images: { what: 'the same agent pulling 200 images: parallelism, status writes, CPU, memory' },
  pulljob: { what: 'an image pulled on simulated nodes by a job: wall time, API writes, memory', sizes: { nodes: 500 } },
  admission: {
    what: 'Pods reviewed with 200 SidecarSets of which 20 match: CPU, latency, memory',
    sizes: { reviews: 20_000, ...thousandPods },
  },
  exporter: { what: 'kruise-state-metrics with 50,000 CloneSets: memory, time of a scrape' },
  churn: {
    what: 'memory over a long time in which Pods change and are replaced, and connections break',
    sizes: { ...thousandPods, minutes: 60, rate: 20 },
    onlyNamed: true,
  },
  recreate: { what: 'a container recreated beside its Pod deleted, on real nodes; needs root', onlyNamed: true },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as readonly ScenarioName[];

/** As the type of the table is: the entries do not all have the same members. */
export const scenarioOf = (name: ScenarioName): Scenario => scenarios[name];
