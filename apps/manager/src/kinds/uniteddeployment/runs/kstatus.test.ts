import { unitedDeployments } from '@kruise/api';
import { describeKstatus } from '../../../workloads/kstatus.testing.ts';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

describeKstatus({
  type: unitedDeployments,
  make: (options) => new UnitedDeploymentCluster({ replicas: 2 }, options),
  hasPods: false,
});
