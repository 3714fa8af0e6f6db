/**
 * The command line of kruise-manager.
 * @see spec/manager.md 2.2
 */
import { milliseconds, seconds } from '@kruise/objects';
import {
  boolFlag,
  durationFlag,
  intFlag,
  logFlags,
  profilingFlags,
  stringFlag,
  type Flag,
  type FlagDefinitions,
  type FlagValues,
} from '@kruise/process';

const workers = (kind: string, extra?: { readonly aliases: readonly string[] }): Extract<Flag, { kind: 'int' }> =>
  intFlag(3, `Objects of ${kind} that are reconciled at the same time.`, extra);

const workerFlags = {
  'advancedcronjob-workers': workers('AdvancedCronJob'),
  'broadcastjob-workers': workers('BroadcastJob'),
  'cloneset-workers': workers('CloneSet', { aliases: ['concurrent-cloneset-syncs'] }),
  'crr-workers': workers('ContainerRecreateRequest'),
  'daemonset-workers': workers('DaemonSet'),
  'imagepulljob-workers': workers('ImagePullJob'),
  'nodeimage-workers': workers('NodeImage'),
  'nodepodprobe-workers': workers('NodePodProbe'),
  'persistentpodstate-workers': workers('PersistentPodState'),
  'podprobemarker-workers': workers('PodProbeMarker'),
  'podunavailablebudget-workers': workers('PodUnavailableBudget'),
  'resourcedistribution-workers': workers('ResourceDistribution'),
  'sidecarset-workers': workers('SidecarSet'),
  'sidecarterminator-workers': workers('the sidecar terminator'),
  'statefulset-workers': workers('StatefulSet'),
  'uniteddeployment-workers': workers('UnitedDeployment'),
  'workloadspread-workers': workers('WorkloadSpread'),
} as const;

/** Every flag of the manager with its default. */
export const managerFlags = {
  'metrics-addr': stringFlag(':8080', 'Address of /metrics (plain HTTP); 0 switches it off.'),
  'health-probe-addr': stringFlag(':8000', 'Address of /healthz and /readyz.'),
  'allow-privileged': boolFlag(true, 'Whether templates may request privileged containers.'),
  'enable-leader-election': boolFlag(true, 'Run the controllers only while holding the Lease.'),
  'leader-election-namespace': stringFlag('kruise-system', 'Namespace of the Lease; empty for that of the service account.'),
  'leader-election-id': stringFlag('kruise-manager', 'Name of the Lease.'),
  'leader-election-resource-lock': stringFlag('leases', 'Kind of the lock; leases is the only one.'),
  'leader-election-lease-duration': durationFlag(seconds(15), 'How long others wait for a holder that does not renew.'),
  'leader-election-renew-deadline': durationFlag(seconds(10), 'How long the holder tries to renew before it gives up.'),
  'leader-election-retry-period': durationFlag(seconds(2), 'Time between two tries to acquire or renew.'),
  namespace: stringFlag('', 'Restrict the caches to one namespace; empty for all.'),
  ...profilingFlags(8090),
  'sync-period': stringFlag('', 'Time between two passes over everything that is cached; empty for 10h, 0 for never.'),
  'controller-cache-sync-timeout': durationFlag(seconds(120), 'How long a controller waits for its caches before the process ends.'),
  'webhook-initialize-timeout': durationFlag(seconds(60), 'How long certificates and webhooks may take at start before the process ends.'),
  'webhook-client-ca-file': stringFlag(
    '',
    "File with the authorities (PEM) of the API servers' client certificates, without which reviews are refused; empty: anybody may ask.",
  ),
  'default-ttlseconds-for-always-nodeimage': intFlag(300, 'Seconds that an image pull task with policy Always is kept, 0 to 2678400.'),
  'rest-config-qps': intFlag(0, 'Client-side requests a second; 0 leaves the limit to the API server (its 429 answers are obeyed).'),
  'rest-config-burst': intFlag(0, 'Burst of requests that --rest-config-qps allows.'),
  kubeconfig: stringFlag('', 'Path of a kubeconfig; empty for $KUBECONFIG, the service account, ~/.kube/config, in this order.'),
  'feature-gates': stringFlag('', 'Name=true or Name=false, separated by commas; AllAlpha and AllBeta set all gates of that maturity.'),
  'disable-no-deepcopy': boolFlag(false, 'Accepted, without effect: cached objects are frozen.'),
  'protection-log-path': stringFlag('/log', 'Directory of protection.log, the record of refused deletions.'),
  'expectation-timeout': durationFlag(
    seconds(300),
    'How long the effect of an own write may stay out of sight before it is checked and reported.',
  ),
  'rate-limiter-base-delay': durationFlag(milliseconds(5), 'First wait after a failed reconcile; doubles with each failure.'),
  'rate-limiter-max-delay': durationFlag(seconds(1000), 'Longest wait after a failed reconcile.'),
  'rate-limiter-qps': intFlag(10, 'Failed reconciles that are tried again per second, over all objects of a kind.'),
  'rate-limiter-bucket-size': intFlag(100, 'Burst of failed reconciles that --rate-limiter-qps allows.'),
  'ws-enabled-versioned-status': stringFlag('deployment,replicaset', 'Workloads whose versions a WorkloadSpread counts apart.'),
  'cloneset-scaling-exclude-preparing-delete': boolFlag(false, 'CloneSets do not count Pods in PreparingDelete as replicas.'),
  'assign-pods-by-scheduler': boolFlag(true, 'Pods of an Advanced DaemonSet are placed by the scheduler.'),
  'assign-bcj-pods-by-scheduler': boolFlag(true, 'Pods of a BroadcastJob are placed by the scheduler.'),
  'nodeimage-creation-delay': durationFlag(seconds(30), 'Time between a Node turning ready and its NodeImage.'),
  ...workerFlags,
  ...logFlags,
} as const satisfies FlagDefinitions;

export type ManagerFlags = FlagValues<typeof managerFlags>;

const maxAlwaysTtlSeconds = 2_678_400;

/** A rule over one or more values: what is wrong with them, or undefined. */
type Rule = (flags: ManagerFlags) => string | undefined;

const rules: readonly Rule[] = [
  (flags) =>
    flags['leader-election-resource-lock'] === 'leases'
      ? undefined
      : `--leader-election-resource-lock must be leases, not "${flags['leader-election-resource-lock']}"`,
  (flags) =>
    ['text', 'json'].includes(flags['logging-format'])
      ? undefined
      : `--logging-format must be text or json, not "${flags['logging-format']}"`,
  ({ 'default-ttlseconds-for-always-nodeimage': ttl }) =>
    ttl >= 0 && ttl <= maxAlwaysTtlSeconds
      ? undefined
      : `--default-ttlseconds-for-always-nodeimage must be 0 to ${maxAlwaysTtlSeconds}, not ${ttl}`,
  (flags) =>
    flags['leader-election-lease-duration'] > flags['leader-election-renew-deadline']
      ? undefined
      : '--leader-election-lease-duration must be greater than --leader-election-renew-deadline',
  (flags) =>
    flags['leader-election-renew-deadline'] > 1.2 * flags['leader-election-retry-period']
      ? undefined
      : '--leader-election-renew-deadline must be greater than 1.2 times --leader-election-retry-period',
  (flags) => (flags['leader-election-retry-period'] > 0 ? undefined : '--leader-election-retry-period must be greater than 0'),
  ...(Object.keys(workerFlags) as (keyof typeof workerFlags)[]).map(
    (name): Rule =>
      (flags) =>
        flags[name] >= 1 ? undefined : `--${name} must be 1 or more, not ${flags[name]}`,
  ),
];

/** Every value that parses but makes no sense, each as one line naming the flag, the value and what is allowed. */
export const faultsOf = (flags: ManagerFlags): readonly string[] => rules.flatMap((rule) => rule(flags) ?? []);
