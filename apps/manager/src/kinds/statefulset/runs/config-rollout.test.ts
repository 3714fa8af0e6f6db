import { statefulSets } from '@kruise/api';
import { describeConfigRollout } from '../../../workloads/configs/config-rollout.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

describeConfigRollout({
  kind: 'StatefulSet',
  type: statefulSets,
  key: { namespace: 'default', name: 'web' },
  make: (options) => new StatefulSetCluster({}, options),
});
