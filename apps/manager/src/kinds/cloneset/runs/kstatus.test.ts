import { cloneSets } from '@kruise/api';
import { describeKstatus } from '../../../workloads/kstatus.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

describeKstatus({
  type: cloneSets,
  make: (options) => new CloneSetCluster({ replicas: 2, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } }, options),
  pause: (workload, paused) => {
    const { updateStrategy } = workload.cloneSet.spec;
    workload.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, paused } } });
  },
});
