import { describeStatusWrites } from '../../workloads/status-writes.testing.ts';
import { World } from './world.testing.ts';

describeStatusWrites('DaemonSet', (options) => new World({ rollingUpdate: { maxUnavailable: 2 } }, { nodes: ['n1', 'n2'], ...options }));
