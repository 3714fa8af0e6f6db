import { describeHalfDoneResize } from '../../../workloads/half-done-resize.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 } as const;

describeHalfDoneResize(
  'DaemonSet',
  'agent',
  (template, options) => new DaemonSetCluster({ rollingUpdate, spec: { template } }, { nodes: ['n1', 'n2', 'n3'], ...options }),
);
