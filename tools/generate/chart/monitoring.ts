/** The dashboard and the alerts of the chart, over metrics that the programs really have. @see spec/operations.md 5.3 to 5.5 */
import { origin, withHashOrigin, type Generator } from '../generator.ts';
import { toYaml } from '../yaml.ts';

const source = 'tools/generate/chart/monitoring.ts';
const folder = 'charts/kruise/monitoring/generated';

/** Others have metrics under the same names; the jobs of ServiceMonitor and PodMonitor are called so. */
const ours = 'job=~".*kruise.*"';
const rate = (metric: string, more = ''): string => `rate(${metric}{${ours}${more}}[5m])`;
const p99 = (metric: string, by: string): string => `histogram_quantile(0.99, sum by (le, ${by}) (${rate(`${metric}_bucket`)}))`;
const reconcileErrors = `sum by (controller) (${rate('controller_runtime_reconcile_errors_total')}) / sum by (controller) (${rate('controller_runtime_reconcile_total')})`;
const webhookErrors = `sum(${rate('controller_runtime_webhook_requests_total', ',code=~"5.."')}) / sum(${rate('controller_runtime_webhook_requests_total')})`;

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly description: string;
}

/** Alerts for causes that stop rollouts or admission; each names what to look at. */
export const alerts: readonly Alert[] = [
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
    expr: `${webhookErrors} > 0.05`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the admission requests fail.',
    description: 'Handlers throw. The log of the managers has a line "Admission handler threw" for each failure.',
  },
  {
    alert: 'KruiseReconcileErrors',
    expr: `${reconcileErrors} > 0.1`,
    for: '15m',
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
      'This is a defect of the controller, which delays its retries. The line "Reconcile asks to run again immediately although nothing has changed; delaying it" in its log names the object. Please report both.',
  },
];

interface Series {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly kind: 'stat' | 'timeseries';
  readonly series: readonly Series[];
}

const one = (title: string, unit: string, expr: string, legend: string): Panel => ({
  title,
  unit,
  kind: 'timeseries',
  series: [{ expr, legend }],
});

const deletions = ['namespace_deletion_protection', 'crd_deletion_protection', 'workload_deletion_protection'];

/** In reading order, two in a row. */
export const panels: readonly Panel[] = [
  { title: 'Leaders', unit: 'none', kind: 'stat', series: [{ expr: `sum(kruise_manager_is_leader{${ours}})`, legend: '' }] },
  { title: 'Managers and agents up', unit: 'none', kind: 'stat', series: [{ expr: `sum by (job) (up{${ours}})`, legend: '{{job}}' }] },
  one('Objects that wait', 'none', `max by (name) (workqueue_depth{${ours}})`, '{{name}}'),
  one('Time in the queue, p99', 's', p99('workqueue_queue_duration_seconds', 'name'), '{{name}}'),
  one('Reconciles', 'reqps', `sum by (controller) (${rate('controller_runtime_reconcile_total')})`, '{{controller}}'),
  one('Reconciles that failed', 'percentunit', reconcileErrors, '{{controller}}'),
  one('Reconcile, p99', 's', p99('controller_runtime_reconcile_time_seconds', 'controller'), '{{controller}}'),
  one('Longest reconcile that runs', 's', `max by (name) (workqueue_longest_running_processor_seconds{${ours}})`, '{{name}}'),
  one('Admission requests', 'reqps', `sum by (webhook) (${rate('controller_runtime_webhook_requests_total')})`, '{{webhook}}'),
  one(
    'Admission requests that failed',
    'reqps',
    `sum by (webhook) (${rate('controller_runtime_webhook_requests_total', ',code!="200"')})`,
    '{{webhook}}',
  ),
  one('Admission, p99', 's', p99('controller_runtime_webhook_latency_seconds', 'webhook'), '{{webhook}}'),
  {
    title: 'Deletions refused, in an hour',
    unit: 'none',
    kind: 'timeseries',
    series: deletions.map((metric) => ({ expr: `sum(increase(${metric}{${ours}}[1h]))`, legend: metric })),
  },
  one(
    'Pods that missed the Pod webhook, in an hour',
    'none',
    `sum by (reason) (increase(kruise_pod_webhook_missed_total{${ours}}[1h]))`,
    '{{reason}}',
  ),
  one('Requests to the API server', 'reqps', `sum by (code) (${rate('rest_client_requests_total')})`, '{{code}}'),
  one('CPU', 'none', `sum by (pod) (${rate('process_cpu_seconds_total')})`, '{{pod}}'),
  one('Memory', 'bytes', `max by (pod) (process_resident_memory_bytes{${ours}})`, '{{pod}}'),
  one('Event loop, p99 of its lag', 's', `max by (pod) (nodejs_eventloop_lag_p99_seconds{${ours}})`, '{{pod}}'),
  one(
    'Certificates that could not be read, in an hour',
    'none',
    `sum(increase(certwatcher_read_certificate_errors_total{${ours}}[1h]))`,
    'errors',
  ),
];

const datasource = { type: 'prometheus', uid: '${datasource}' };
const [width, height] = [12, 8];

const panelOf = ({ title, unit, kind, series }: Panel, index: number): object => ({
  id: index + 1,
  title,
  type: kind,
  datasource,
  gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: series.map(({ expr, legend }, at) => ({ refId: String.fromCharCode(65 + at), datasource, expr, legendFormat: legend })),
});

/** A Grafana dashboard as its JSON model. */
export const dashboard = (): object => ({
  uid: 'kruise-control-plane',
  title: 'Kruise / control plane',
  description: origin(source),
  tags: ['kruise'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
  panels: panels.map(panelOf),
});

const ruleGroups = (): object => ({
  groups: [
    {
      name: 'kruise',
      rules: alerts.map(({ severity, summary, description, ...rule }) => ({
        ...rule,
        labels: { severity },
        annotations: { summary, description },
      })),
    },
  ],
});

export const monitoringGenerator: Generator = {
  name: 'dashboard and alerts',
  folders: [folder],
  files: () => [
    { path: `${folder}/control-plane.json`, content: `${JSON.stringify(dashboard(), undefined, 2)}\n` },
    { path: `${folder}/alerts.yaml`, content: withHashOrigin(source, toYaml(ruleGroups())) },
  ],
};
