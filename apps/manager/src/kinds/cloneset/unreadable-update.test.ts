import { describeUnreadableUpdate } from '../../workloads/unreadable-update.testing.ts';
import { RunningCloneSet } from './world.testing.ts';

describeUnreadableUpdate('CloneSet', 1, () => new RunningCloneSet({ replicas: 3, rollingUpdate: { maxUnavailable: 2 } }));
