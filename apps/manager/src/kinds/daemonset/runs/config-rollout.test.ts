import { daemonSets } from '@kruise/api';
import { describeConfigRollout } from '../../../workloads/configs/config-rollout.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

const template = {
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
};

describeConfigRollout({
  kind: 'DaemonSet',
  type: daemonSets,
  key: { namespace: 'default', name: 'agent' },
  make: (options) =>
    new DaemonSetCluster({ rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 }, spec: { template } }, options),
});
