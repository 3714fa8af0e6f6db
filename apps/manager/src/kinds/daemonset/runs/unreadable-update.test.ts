import { describeUnreadableUpdate } from '../../../workloads/unreadable-update.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 } as const;

describeUnreadableUpdate('DaemonSet', 1, () => new DaemonSetCluster({ rollingUpdate }, { nodes: ['n1', 'n2', 'n3'] }));
