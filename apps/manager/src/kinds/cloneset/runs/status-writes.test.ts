import { describeStatusWrites } from '../../../workloads/status-writes.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

describeStatusWrites(
  'CloneSet',
  (options) => new CloneSetCluster({ replicas: 2, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } }, options),
);
