/** The command line of `npm run bench`. Pure. */
import { parseArgs } from 'node:util';

const partNames = [
  'store',
  'client',
  'manager',
  'rollout',
  'stateful',
  'podstates',
  'spread',
  'pernode',
  'cron',
  'united',
  'budget',
  'distribute',
  'hostile',
  'sidecars',
  'daemon',
  'images',
  'pulljob',
  'admission',
  'exporter',
  'churn',
  'recreate',
] as const;
export type PartName = (typeof partNames)[number];

/** They take an hour, or need more than this program starts with: they run only when they are named. */
const onlyNamed: ReadonlySet<PartName> = new Set(['churn', 'recreate']);

export const usage = `usage: npm run bench [-- PART ...] [OPTION ...]

Measures the project on this machine and prints one table; every part starts what it needs and stops it afterwards.

parts (all but the last two unless named)
  store      pods listed, held and watched, beside other informers
  client     CPU of a write, beside @kubernetes/client-node
  manager    the manager process: its start and its memory
  rollout    a CloneSet's life on simulated nodes: wall time, CPU, API calls, admission meanwhile
  stateful   the same life of a StatefulSet beside a CloneSet's, and 200 Pods one by one
  podstates  Pods steered by a PersistentPodState with 5,000 records
  spread     Pods of a CloneSet created under a WorkloadSpread with three subsets, and without
  pernode    a DaemonSet's life and a BroadcastJob on simulated nodes, nodes that come and go; memory with 5,000 nodes
  cron       1,000 AdvancedCronJobs of the same minute: how late their jobs are
  united     a UnitedDeployment of 20 subsets and 2,000 Pods: calls a change, children that scaling by one touches
  budget     evictions of 10,000 Pods under 100 PodUnavailableBudgets: latency; what a changed Pod costs in small and large budgets
  distribute a ResourceDistribution to 1,000 namespaces: writes, requests at rest, how soon a new namespace has its copy
  hostile    Pods created and a CloneSet scaled while another tenant submits objects as large as the bounds allow: latency beside a quiet cluster
  sidecars   a sidecar injected into as many Pods, and its image replaced in them: wall time, CPU, API calls
  daemon     the node agent within the limits of a small container: idle with 100 Pods on its node
  images     the same agent pulling 200 images: parallelism, status writes, CPU, memory
  pulljob    an image pulled on simulated nodes by a job: wall time, API writes, memory
  admission  Pods reviewed with 200 SidecarSets of which 20 match: CPU, latency, memory
  exporter   kruise-state-metrics with 50,000 CloneSets: memory, time of a scrape
  churn      memory over a long time in which Pods change and are replaced, and connections break
  recreate   a container recreated beside its Pod deleted, on real nodes; needs root, so only when it is named

options
  --pods N         Pods of rollout, stateful, spread, sidecars, admission and churn (default 1000), of podstates (default 5000),
                   united (default 2000) and budget (default 10000)
  --nodes N        nodes of the pull job (default 500) and of pernode (default 1000)
  --namespaces N   namespaces of distribute (default 1000)
  --reviews N      Pods reviewed (default 20000)
  --minutes N      length of the churn (default 60)
  --rate N         changes a second of the churn (default 20)
  --stored N       Pods in the store for its memory (default 10000)
  --json FILE      also write every number to FILE
  --profile DIR    also write CPU profiles of the manager to DIR (it is slower then)
  --help
`;

export interface BenchCommand {
  readonly kind: 'Run';
  readonly parts: readonly PartName[];
  /** Each part has a default of its own. */
  readonly pods?: number;
  readonly stored: number;
  /** As for Pods. */
  readonly nodes?: number;
  readonly namespaces: number;
  readonly reviews: number;
  readonly minutes: number;
  /** Changes a second. */
  readonly rate: number;
  readonly jsonFile?: string;
  readonly profileFolder?: string;
}

export type Command = BenchCommand | { readonly kind: 'Help' } | { readonly kind: 'Wrong'; readonly message: string };

const options = {
  pods: { type: 'string' },
  stored: { type: 'string', default: '10000' },
  nodes: { type: 'string' },
  namespaces: { type: 'string', default: '1000' },
  reviews: { type: 'string', default: '20000' },
  minutes: { type: 'string', default: '60' },
  rate: { type: 'string', default: '20' },
  json: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const wrong = (message: string): Command => ({ kind: 'Wrong', message });
const isPart = (name: string): name is PartName => (partNames as readonly string[]).includes(name);
const isCount = (text: string): boolean => /^[1-9]\d{0,5}$/.test(text);

/** @param args after the program's name */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) return { kind: 'Help' };
    const named = positionals.filter((name) => name !== 'all');
    const unknown = named.find((name) => !isPart(name));
    if (unknown !== undefined) return wrong(`unknown part ${JSON.stringify(unknown)}: must be one of ${partNames.join(', ')}, all`);
    for (const name of ['pods', 'stored', 'nodes', 'namespaces', 'reviews', 'minutes', 'rate'] as const) {
      if (values[name] !== undefined && !isCount(values[name]))
        return wrong(`--${name} ${JSON.stringify(values[name])}: must be a number from 1 to 999999`);
    }
    const all = named.length === 0 || positionals.includes('all');
    return {
      kind: 'Run',
      parts: partNames.filter((name) => named.includes(name) || (all && !onlyNamed.has(name))),
      ...(values.pods === undefined ? {} : { pods: Number(values.pods) }),
      stored: Number(values.stored),
      ...(values.nodes === undefined ? {} : { nodes: Number(values.nodes) }),
      namespaces: Number(values.namespaces),
      reviews: Number(values.reviews),
      minutes: Number(values.minutes),
      rate: Number(values.rate),
      ...(values.json === undefined ? {} : { jsonFile: values.json }),
      ...(values.profile === undefined ? {} : { profileFolder: values.profile }),
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
