import { describeUnreadableUpdate } from '../../workloads/unreadable-update.testing.ts';
import { World } from './world.testing.ts';

const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 2 } as const;

describeUnreadableUpdate('DaemonSet', 1, () => new World({ rollingUpdate }, { nodes: ['n1', 'n2', 'n3'] }));
