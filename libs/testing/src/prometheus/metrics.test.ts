import { expect, it } from '@jest/globals';
import { parseMetrics } from './metrics.ts';

const metrics = parseMetrics(`# HELP rest_client_requests_total Requests.
# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",host="a:1",method="GET"} 3
rest_client_requests_total{code="409",host="a:1",method="PATCH"} 2
rest_client_requests_total{code="200",host="a:1",method="PATCH"} 5
text_total{note="a \\"b\\" c"} 1.5e3
leader 1
`);

it('sums samples by name and labels', () => {
  expect(metrics.sum('rest_client_requests_total')).toBe(10);
  expect(metrics.sum('rest_client_requests_total', { code: '409' })).toBe(2);
  expect(metrics.sum('leader')).toBe(1);
  expect(metrics.sum('text_total')).toBe(1500);
  expect(metrics.sum('absent')).toBe(0);
});

it('sums samples whose labels match a pattern', () => {
  expect(metrics.sum('rest_client_requests_total', { method: /^(?!GET)/ })).toBe(7);
  expect(metrics.sum('rest_client_requests_total', { method: /^(GET|PATCH)$/, code: '200' })).toBe(8);
  expect(metrics.sum('rest_client_requests_total', { verb: /GET/ })).toBe(0);
});
