/**
 * For each alert, a course of the metrics in which it fires and clears. Values of a series are one minute apart, in promtool's notation: `0+2x3` is 0, 2,
 * 4, 6, and `_` is no sample.
 */
import { type FleetKind, fleetKinds } from './stuck.ts';

export interface Drill {
  readonly alert: string;
  /** What happens. */
  readonly name: string;
  readonly series: Readonly<Record<string, string>>;
  /** In minutes, in rising order: it does not fire at `quiet`, fires at `fires`, and has cleared at `cleared`. */
  readonly quiet: number;
  readonly fires: number;
  readonly cleared: number;
  /** Of the firing alert, beside the severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

const manager = (pod: string): string => `job="kruise-controller-manager",namespace="kruise-system",pod="${pod}",instance="${pod}:8080"`;
const exporter = (pod: string): string => `job="kruise-state-metrics",namespace="kruise-system",pod="${pod}",instance="${pod}:8081"`;
const [outage, healthy] = ['1+0x3 0+0x5 1+0x10', '1+0x20'];

const requests = (code: number): string =>
  `controller_runtime_webhook_requests_total{${manager('a')},webhook="/mutate-pod",code="${code}"}`;
const controller = 'controller="cloneset-controller"';
const reconciles = (result: string): string => `controller_runtime_reconcile_total{${manager('a')},${controller},result="${result}"}`;

const managerDrills: readonly Drill[] = [
  {
    alert: 'KruiseManagerDown',
    name: 'no replica answers a scrape',
    series: { [`up{${manager('a')}}`]: outage, [`up{${manager('b')}}`]: '0+0x20' },
    quiet: 5,
    fires: 6,
    cleared: 10,
    labels: {},
    summary: 'No Kruise manager can be scraped.',
  },
  {
    alert: 'KruiseManagerDown',
    name: 'Prometheus no longer knows a replica',
    series: { [`up{${manager('a')}}`]: '1+0x3 stale _x5 1+0x10' },
    quiet: 5,
    fires: 6,
    cleared: 12,
    labels: {},
    summary: 'No Kruise manager can be scraped.',
  },
  {
    alert: 'KruiseNoLeader',
    name: 'no replica holds the lease',
    series: { [`kruise_manager_is_leader{${manager('a')}}`]: outage, [`kruise_manager_is_leader{${manager('b')}}`]: '0+0x20' },
    quiet: 5,
    fires: 6,
    cleared: 10,
    labels: {},
    summary: '0 Kruise managers lead; there must be exactly one.',
  },
  {
    alert: 'KruiseNoLeader',
    name: 'two replicas lead',
    series: { [`kruise_manager_is_leader{${manager('a')}}`]: healthy, [`kruise_manager_is_leader{${manager('b')}}`]: '0+0x3 1+0x5 0+0x10' },
    quiet: 5,
    fires: 6,
    cleared: 10,
    labels: {},
    summary: '2 Kruise managers lead; there must be exactly one.',
  },
  {
    alert: 'KruiseWebhookErrors',
    name: 'a handler throws for ten minutes',
    series: { [requests(200)]: '0+600x40', [requests(500)]: '0+0x5 60+60x9 600+0x30' },
    quiet: 10,
    fires: 15,
    cleared: 20,
    labels: {},
    summary: '9.091% of the admission requests get no decision.',
  },
  {
    alert: 'KruiseReconcileErrors',
    name: 'a fifth of the passes fail for 40 minutes',
    series: {
      [reconciles('success')]: '0+8x60',
      [reconciles('error')]: '0+2x40 80+0x20',
      [`controller_runtime_reconcile_errors_total{${manager('a')},${controller}}`]: '0+2x40 80+0x20',
    },
    quiet: 29,
    fires: 32,
    cleared: 55,
    labels: { controller: 'cloneset-controller' },
    summary: '20% of the reconciles of cloneset-controller fail.',
  },
  {
    alert: 'KruiseReconcileErrors',
    name: 'the only object that is reconciled fails for 50 minutes, with 17 minutes between its last retries',
    series: {
      [reconciles('success')]: '0+0x52 1+0x40',
      [reconciles('error')]: '0 13+0x16 14+0x16 15+0x16 16+0x40',
      [`controller_runtime_reconcile_errors_total{${manager('a')},${controller}}`]: '0 13+0x16 14+0x16 15+0x16 16+0x40',
    },
    quiet: 29,
    fires: 32,
    cleared: 75,
    labels: { controller: 'cloneset-controller' },
    summary: '100% of the reconciles of cloneset-controller fail.',
  },
  {
    alert: 'KruiseQueueBacklog',
    name: 'the queue does not empty for 20 minutes',
    series: { [`workqueue_depth{${manager('a')},${controller},name="cloneset-controller"}`]: '150+0x20 3+0x20' },
    quiet: 14,
    fires: 15,
    cleared: 21,
    labels: { name: 'cloneset-controller' },
    summary: '150 objects wait for cloneset-controller.',
  },
  {
    alert: 'KruiseReconcilesHeldBack',
    name: 'one retry is delayed',
    series: { [`kruise_reconciles_held_back_total{${manager('a')},${controller}}`]: '0+0x5 1+0x30' },
    quiet: 6,
    fires: 7,
    cleared: 22,
    labels: { job: 'kruise-controller-manager', controller: 'cloneset-controller' },
    summary: 'cloneset-controller of kruise-controller-manager requests an immediate retry although nothing changed.',
  },
];

/** Metrics of one workload of five Pods, by name: its course over 120 min. */
export const workloadSeries = (
  { label, desired }: FleetKind,
  metrics: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ [desired]: '5+0x120', spec_strategy_paused: '0+0x120', ...metrics }).map(([name, values]) => {
      const [metric, more = ''] = name.split('{');
      return [
        `kruise_${label}_${metric}{job="kruise-state-metrics",namespace="shop",${label}="web"${more === '' ? '}' : `,${more}`}`,
        values,
      ];
    }),
  );

const [full, twoMissing] = ['5+0x120', '3+0x80 5+0x40'];

const workloadDrills: readonly Drill[] = fleetKinds.flatMap((kind) => {
  const { ready, updated, label } = kind;
  const common = {
    alert: 'KruiseWorkloadStuck',
    quiet: 59,
    fires: 60,
    cleared: 81,
    labels: { kind: kind.kind, namespace: 'shop', [label]: 'web' },
    summary: `2 Pods of ${kind.kind} shop/web have not been ready or updated for an hour.`,
  };
  return [
    { ...common, name: `${kind.kind}: Pods are not updated`, series: workloadSeries(kind, { [ready]: full, [updated]: twoMissing }) },
    {
      ...common,
      name: `${kind.kind}: Pods are not ready while the update is paused`,
      series: workloadSeries(kind, { [ready]: twoMissing, [updated]: '0+0x120', spec_strategy_paused: '1+0x120' }),
    },
    {
      ...common,
      name: `${kind.kind}: Pods are not updated although the partition is 0`,
      series: workloadSeries(kind, { [ready]: full, [updated]: twoMissing, 'spec_strategy_partition{partition="0"}': '0+0x120' }),
    },
  ];
});

const calls = (call: 'list' | 'watch', result: string): string =>
  `kruise_state_metrics_${call}_total{${exporter('a')},result="${result}",resource="*v1alpha1.CloneSet"}`;
const shards = (pod: string): string => `kruise_state_metrics_total_shards{${exporter(pod)}}`;
const ordinal = (shard: number): string => `kruise_state_metrics_shard_ordinal{${exporter(String(shard))},shard_ordinal="${shard}"}`;

const exporterDrills: readonly Drill[] = [
  ...(['list', 'watch'] as const).map((call) => ({
    alert: `KruiseStateMetrics${call === 'list' ? 'List' : 'Watch'}Errors`,
    name: `a tenth of the ${call} calls fail for 40 minutes`,
    series: { [calls(call, 'success')]: '0+9x60', [calls(call, 'error')]: '0+1x40 40+0x20' },
    quiet: 15,
    fires: 20,
    cleared: 50,
    labels: {},
    summary: `10% of the ${call} calls of kruise-state-metrics fail.`,
  })),
  {
    alert: 'KruiseStateMetricsShardingMismatch',
    name: 'one replica still knows of three shards',
    series: { [shards('0')]: '2+0x40', [shards('1')]: '3+0x20 2+0x20' },
    quiet: 14,
    fires: 15,
    cleared: 21,
    labels: {},
    summary: 'The replicas of kruise-state-metrics differ in the number of shards.',
  },
  {
    alert: 'KruiseStateMetricsShardsMissing',
    name: 'the second of two shards has no process',
    series: { [shards('0')]: '2+0x40', [ordinal(0)]: '0+0x40', [ordinal(1)]: '_x20 1+0x20' },
    quiet: 14,
    fires: 15,
    cleared: 21,
    labels: {},
    summary: 'A shard of kruise-state-metrics is missing.',
  },
];

export const drills: readonly Drill[] = [...managerDrills, ...workloadDrills, ...exporterDrills];
