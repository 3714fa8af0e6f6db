import { describeUnreadableUpdate } from '../../../workloads/unreadable-update.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

describeUnreadableUpdate('CloneSet', 1, () => new CloneSetCluster({ replicas: 3, rollingUpdate: { maxUnavailable: 2 } }));
