import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createRequestMetrics } from './request-metrics.ts';

it('requests are counted by status code, host and method; one without an answer has the code <error>', async () => {
  const registry = new Registry();
  const count = createRequestMetrics(registry);
  const request = { host: '10.0.0.1:443', method: 'GET', durationMs: 1 };
  for (const code of [200, 200, 409, undefined]) count({ ...request, code });
  count({ ...request, method: 'PATCH', code: 200 });
  const text = await registry.metrics();
  expect(text.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'))).toEqual([
    'rest_client_requests_total{code="200",host="10.0.0.1:443",method="GET"} 2',
    'rest_client_requests_total{code="409",host="10.0.0.1:443",method="GET"} 1',
    'rest_client_requests_total{code="<error>",host="10.0.0.1:443",method="GET"} 1',
    'rest_client_requests_total{code="200",host="10.0.0.1:443",method="PATCH"} 1',
  ]);
});
