/** The programs: managers, agents and the exporter. */
import { type Dashboard, graph, type Panel, stat } from '../grafana.ts';
import { ours, p99, rate, reconcileErrorShare } from '../queries.ts';

const deletions = ['namespace_deletion_protection', 'crd_deletion_protection', 'workload_deletion_protection'];

const managers: readonly Panel[] = [
  stat('Leaders', 'none', `sum(kruise_manager_is_leader{${ours}})`),
  stat('Programs up', 'none', `sum by (job) (up{${ours}})`, '{{job}}'),
  graph('Objects that wait', 'none', `max by (name) (workqueue_depth{${ours}})`, '{{name}}'),
  graph('Time in the queue, p99', 's', p99('workqueue_queue_duration_seconds', 'name'), '{{name}}'),
  graph('Reconciles', 'reqps', `sum by (controller) (${rate('controller_runtime_reconcile_total')})`, '{{controller}}'),
  graph('Reconciles that failed', 'percentunit', reconcileErrorShare(), '{{controller}}'),
  graph('Reconcile, p99', 's', p99('controller_runtime_reconcile_time_seconds', 'controller'), '{{controller}}'),
  graph('Longest reconcile that runs', 's', `max by (name) (workqueue_longest_running_processor_seconds{${ours}})`, '{{name}}'),
  {
    title: 'Deletions refused, in an hour',
    unit: 'none',
    kind: 'timeseries',
    queries: deletions.map((metric) => ({ expr: `sum(increase(${metric}{${ours}}[1h]))`, legend: metric })),
  },
  graph(
    'Pod operations refused by a budget, in an hour',
    'none',
    `sum by (kind_namespace_name) (increase(pod_unavailable_budget{${ours}}[1h]))`,
    '{{kind_namespace_name}}',
  ),
];

const agents: readonly Panel[] = [
  graph('Image pulls of the agents', 'reqps', `sum by (result) (${rate('kruise_daemon_image_pulls_total')})`, '{{result}}'),
  graph('Containers that the agents restarted', 'reqps', `sum(${rate('kruise_daemon_container_restarts_total')})`, 'restarts'),
];

const exporter: readonly Panel[] = [
  graph('Scrape of kruise-state-metrics, p99', 's', p99('http_request_duration_seconds', 'handler'), '{{handler}}'),
  ...(['list', 'watch'] as const).map((call) =>
    graph(
      `Calls of kruise-state-metrics: ${call}`,
      'reqps',
      `sum by (result) (${rate(`kruise_state_metrics_${call}_total`)})`,
      '{{result}}',
    ),
  ),
];

const processes: readonly Panel[] = [
  graph('Requests to the API server', 'reqps', `sum by (code) (${rate('rest_client_requests_total')})`, '{{code}}'),
  graph('CPU', 'none', `sum by (job, instance) (${rate('process_cpu_seconds_total')})`, '{{job}} {{instance}}'),
  graph('Memory', 'bytes', `max by (job, instance) (process_resident_memory_bytes{${ours}})`, '{{job}} {{instance}}'),
  graph('Event loop, p99 of its lag', 's', `max by (job, instance) (nodejs_eventloop_lag_p99_seconds{${ours}})`, '{{job}} {{instance}}'),
];

export const installation: Dashboard = {
  uid: 'kruise-control-plane',
  title: 'Kruise / control plane',
  panels: [...managers, ...processes, ...agents, ...exporter],
};
