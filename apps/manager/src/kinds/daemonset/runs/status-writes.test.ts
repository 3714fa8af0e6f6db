import { describeStatusWrites } from '../../../workloads/status-writes.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

describeStatusWrites(
  'DaemonSet',
  (options) => new DaemonSetCluster({ rollingUpdate: { maxUnavailable: 2 } }, { nodes: ['n1', 'n2'], ...options }),
);
