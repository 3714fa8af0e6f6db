import { describeHalfDoneResize } from '../../../workloads/half-done-resize.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

describeHalfDoneResize('StatefulSet', 'web', (template, options) => new StatefulSetCluster({ spec: { template } }, options), {
  isOrdered: true,
});
describeHalfDoneResize(
  'StatefulSet with Parallel',
  'web',
  (template, options) => new StatefulSetCluster({ parallel: true, spec: { template } }, options),
);
