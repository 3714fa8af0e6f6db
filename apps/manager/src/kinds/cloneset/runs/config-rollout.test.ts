import { cloneSets } from '@kruise/api';
import { describeConfigRollout } from '../../../workloads/configs/config-rollout.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

describeConfigRollout({
  kind: 'CloneSet',
  type: cloneSets,
  key: { namespace: 'default', name: 'sample' },
  make: (options) => new CloneSetCluster({ replicas: 3, rollingUpdate: { maxUnavailable: 1 } }, options),
});
