/** `rest_client_requests_total`. @see spec/manager.md 3.1, spec/daemon.md 7 */
import type { RequestRecord } from '@kruise/kube';
import { Counter, type Registry } from 'prom-client';

/** Creates the metric once. The returned function counts one request to an API server. */
export function createRequestMetrics(registry: Registry): (record: RequestRecord) => void {
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server.',
    labelNames: ['code', 'host', 'method'],
    registers: [registry],
  });
  return ({ code, host, method }) => requests.inc({ code: code === undefined ? '<error>' : String(code), host, method });
}
