import { expect, it } from '@jest/globals';
import { planScan } from './plan-scan.ts';

it('the summary has a line for every path: what is there or why not', () => {
  const { summary } = planScan(
    [],
    [
      { kind: 'Usable', socket: '/run/containerd.sock', name: 'containerd', version: '1.7.0', connection: 1 },
      { kind: 'Unusable', socket: '/run/crio.sock', why: 'nobody listens' },
    ],
  );
  expect(summary).toBe('/run/containerd.sock: containerd 1.7.0; /run/crio.sock: nobody listens');
});
