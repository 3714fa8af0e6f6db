/** Admission: the number of requests, how quickly they are answered, and the Pods that no webhook answered for. */
import { type Dashboard, graph, stat } from '../grafana.ts';
import { ours, p99, rate, undecided, webhookErrorShare } from '../queries.ts';

const only = ',webhook=~"$webhook"';
const requests = 'controller_runtime_webhook_requests_total';

export const webhooks: Dashboard = {
  uid: 'kruise-webhooks',
  title: 'Kruise / webhooks',
  variables: [{ name: 'webhook', label: 'Webhook', query: `label_values(${requests}{${ours}}, webhook)`, multi: true }],
  panels: [
    stat('Requests without a decision', 'percentunit', webhookErrorShare),
    stat(
      'Certificates that could not be read, in an hour',
      'none',
      `sum(increase(certwatcher_read_certificate_errors_total{${ours}}[1h]))`,
    ),
    graph('Admission requests', 'reqps', `sum by (webhook) (${rate(requests, only)})`, '{{webhook}}'),
    graph(
      'Admission requests without a decision',
      'reqps',
      `sum by (webhook, code) (${rate(requests, `${only},${undecided}`)})`,
      '{{webhook}} {{code}}',
    ),
    graph(
      'Admission requests whose caller is unknown (401) or disconnected (499)',
      'reqps',
      `sum by (webhook, code) (${rate(requests, `${only},code=~"401|499"`)})`,
      '{{webhook}} {{code}}',
    ),
    graph('Admission, p99', 's', p99('controller_runtime_webhook_latency_seconds', 'webhook', only), '{{webhook}}'),
    graph(
      'Requests that wait for an answer',
      'none',
      `sum by (webhook) (controller_runtime_webhook_requests_in_flight{${ours}${only}})`,
      '{{webhook}}',
    ),
    graph('Handlers that threw', 'reqps', `sum by (instance) (${rate('controller_runtime_webhook_panics_total')})`, '{{instance}}'),
    graph('Requests by replica', 'reqps', `sum by (instance) (${rate(requests, only)})`, '{{instance}}'),
    graph(
      'Pods that missed the Pod webhook, in an hour',
      'none',
      `sum by (reason) (increase(kruise_pod_webhook_missed_total{${ours}}[1h]))`,
      '{{reason}}',
    ),
    graph(
      'Event loop of the managers, p99 of its lag',
      's',
      `max by (instance) (nodejs_eventloop_lag_p99_seconds{job=~".*kruise-controller-manager.*"})`,
      '{{instance}}',
    ),
  ],
};
