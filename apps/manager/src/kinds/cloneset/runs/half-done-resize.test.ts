import { describeHalfDoneResize } from '../../../workloads/half-done-resize.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

describeHalfDoneResize(
  'CloneSet',
  'sample',
  (template, options) => new CloneSetCluster({ replicas: 3, rollingUpdate: { maxUnavailable: 1 }, spec: { template } }, options),
);
