import { describeStatusWrites } from '../../../workloads/status-writes.testing.ts';
import { StatefulSetCluster } from '../cluster.testing.ts';

const shape = { replicas: 2, parallel: true, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } } as const;

describeStatusWrites('StatefulSet', (options) => new StatefulSetCluster(shape, options));
