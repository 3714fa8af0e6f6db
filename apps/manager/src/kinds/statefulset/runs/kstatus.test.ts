import { statefulSets } from '@kruise/api';
import { describeKstatus } from '../../../workloads/kstatus.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

describeKstatus({
  type: statefulSets,
  make: (options) => new StatefulSetCluster({ replicas: 2 }, options),
  pause: (workload, paused) => {
    const { updateStrategy } = workload.set.spec;
    workload.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, paused } } });
  },
});
