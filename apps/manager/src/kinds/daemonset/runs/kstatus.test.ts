import { daemonSets } from '@kruise/api';
import { describeKstatus } from '../../../workloads/kstatus.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

describeKstatus({
  type: daemonSets,
  make: (options) => new DaemonSetCluster({ rollingUpdate: { maxUnavailable: 1 } }, { nodes: ['n1', 'n2'], ...options }),
  pause: (workload, paused) => {
    const { updateStrategy } = workload.set.spec;
    workload.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, paused } } });
  },
});
