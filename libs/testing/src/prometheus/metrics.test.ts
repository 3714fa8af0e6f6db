import { expect, it } from '@jest/globals';
import { parseMetrics } from './metrics.ts';

const metrics = parseMetrics(`# HELP rest_client_requests_total Requests.
# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",host="a:1",method="GET"} 3
rest_client_requests_total{code="409",host="a:1",method="PATCH"} 2
rest_client_requests_total{code="200",host="a:1",method="PATCH"} 5
text_total{note="a \\"b\\" c"} 1.5e3
# TYPE unseen counter
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5",path="/a"} 1
took_seconds_bucket{le="1e-8",path="/a"} 0
took_seconds_bucket{le="+Inf",path="/a"} 1
took_seconds_sum{path="/a"} 0.2
took_seconds_count{path="/a"} 1
# TYPE leader gauge
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

it('reads type, labels and buckets of the metrics that have samples', () => {
  expect(metrics.families).toEqual([
    { name: 'rest_client_requests_total', type: 'counter', labels: ['code', 'host', 'method'], buckets: [] },
    { name: 'took_seconds', type: 'histogram', labels: ['path'], buckets: [1e-8, 0.5] },
    { name: 'leader', type: 'gauge', labels: [], buckets: [] },
  ]);
});
