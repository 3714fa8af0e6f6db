/** Alerts over metrics that the programs have. @see spec/operations.md 5.5 */
import { ours, reconcileErrorShare, webhookErrorShare } from './queries.ts';
import { fleetKinds, stuck } from './stuck.ts';

/** A rule; several may have the same name, and differ in their labels. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  /** Labels beside the severity. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** What the alert means, and what to look at first. The runbook says more. */
  readonly description: string;
}

/** Causes that stop rollouts or admission. */
const managerAlerts: readonly Alert[] = [
  {
    alert: 'KruiseManagerDown',
    expr: 'absent(up{job=~".*kruise-controller-manager.*"} == 1)',
    for: '2m',
    severity: 'critical',
    summary: 'No Kruise manager can be scraped.',
    description:
      'Without a manager, workloads make no progress, and requests that its webhooks must answer are refused. Look at the Deployment kruise-controller-manager.',
  },
  {
    alert: 'KruiseNoLeader',
    expr: `sum(kruise_manager_is_leader{${ours}}) != 1`,
    for: '2m',
    severity: 'critical',
    summary: '{{ $value }} Kruise managers lead; there must be exactly one.',
    description: 'Only the leader runs controllers. Look at the Lease kruise-manager, and at the clients that may write it.',
  },
  {
    alert: 'KruiseWebhookErrors',
    expr: `${webhookErrorShare} > 0.05`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the admission requests get no decision.',
    description:
      'Handlers throw, or do not decide while the API server waits. The log of the managers has a line "Admission handler threw" for each handler that throws.',
  },
  {
    // Retries of one object are up to 1000 s apart: each window contains one. The alert waits for longer than a window, so that errors of a moment
    // do not fire it.
    alert: 'KruiseReconcileErrors',
    expr: `${reconcileErrorShare('20m')} > 0.1`,
    for: '30m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} fail.',
    description: 'The log of the leader and the conditions and events of the objects give the reason.',
  },
  {
    alert: 'KruiseQueueBacklog',
    expr: `max by (name) (workqueue_depth{${ours}}) > 100`,
    for: '15m',
    severity: 'warning',
    summary: '{{ $value }} objects wait for {{ $labels.name }}.',
    description:
      'The controller does not keep up. Look at the CPU of the leader, the answers of the API server, and the flag for its workers.',
  },
  {
    alert: 'KruiseReconcilesHeldBack',
    expr: `sum by (job, controller) (increase(kruise_reconciles_held_back_total{${ours}}[15m])) > 0`,
    for: '1m',
    severity: 'warning',
    summary: '{{ $labels.controller }} of {{ $labels.job }} requests an immediate retry although nothing changed.',
    description:
      'This is a defect of the controller, which delays its retries. The line "Reconcile requeues immediately although nothing has changed; delaying it" in its log names the object. Please report both.',
  },
];

/** Needs kruise-state-metrics. */
const workloadAlerts: readonly Alert[] = fleetKinds.map((kind) => ({
  alert: 'KruiseWorkloadStuck',
  expr: stuck(kind),
  for: '1h',
  severity: 'warning',
  labels: { kind: kind.kind },
  summary: `{{ $value }} Pods of ${kind.kind} {{ $labels.namespace }}/{{ $labels.${kind.label} }} have not been ready or updated for an hour.`,
  description:
    'The workload makes no progress, and its update is neither paused nor limited by a partition. Look at its condition Blocked and its events, or run kubectl kruise describe.',
}));

/** Over the metrics of kruise-state-metrics about itself. */
const exporterAlerts: readonly Alert[] = [
  ...(['list', 'watch'] as const).map((call): Alert => {
    const total = `kruise_state_metrics_${call}_total`;
    return {
      alert: `KruiseStateMetrics${call === 'list' ? 'List' : 'Watch'}Errors`,
      expr: `sum(rate(${total}{${ours},result="error"}[5m])) / sum(rate(${total}{${ours}}[5m])) > 0.01`,
      for: '15m',
      severity: 'critical',
      summary: `{{ $value | humanizePercentage }} of the ${call} calls of kruise-state-metrics fail.`,
      description: 'Metrics of objects may be missing or old. The log of kruise-state-metrics gives the reason; look at its rights first.',
    };
  }),
  {
    alert: 'KruiseStateMetricsShardingMismatch',
    expr: `stdvar(kruise_state_metrics_total_shards{${ours}}) != 0`,
    for: '15m',
    severity: 'critical',
    summary: 'The replicas of kruise-state-metrics differ in the number of shards.',
    description: 'Metrics of objects are exported twice or not at all. All replicas must have the same --total-shards.',
  },
  {
    alert: 'KruiseStateMetricsShardsMissing',
    expr: `2 ^ max(kruise_state_metrics_total_shards{${ours}}) - 1 - sum(2 ^ max by (shard_ordinal) (kruise_state_metrics_shard_ordinal{${ours}})) != 0`,
    for: '15m',
    severity: 'critical',
    summary: 'A shard of kruise-state-metrics is missing.',
    description: 'A part of the objects has no metrics. Each shard from 0 to --total-shards less 1 needs a process.',
  },
];

/** By the name of their group. */
const alertGroups: readonly { readonly name: string; readonly alerts: readonly Alert[] }[] = [
  { name: 'kruise', alerts: managerAlerts },
  { name: 'kruise-workloads', alerts: workloadAlerts },
  { name: 'kruise-state-metrics', alerts: exporterAlerts },
];

/** Every rule. */
export const alerts: readonly Alert[] = alertGroups.flatMap((group) => group.alerts);

/** The page with a section for each alert, within the project. */
export const runbookPage = 'docs/runbooks.md';

/** The link of an alert to its section. The chart replaces the path of the page if it has the address at which the page is published. */
const runbookOf = ({ alert }: Alert): string => `${runbookPage}#${alert.toLowerCase()}`;

/** The rules as Prometheus reads them. @param change applied to each rule, for tests that cannot wait as long */
export const ruleGroups = (change: (alert: Alert) => Alert = (same) => same): object => ({
  groups: alertGroups.map((group) => ({
    name: group.name,
    rules: group.alerts.map((alert) => {
      const { severity, labels, summary, description, ...rule } = change(alert);
      return { ...rule, labels: { severity, ...labels }, annotations: { summary, description, runbook_url: runbookOf(alert) } };
    }),
  })),
});
