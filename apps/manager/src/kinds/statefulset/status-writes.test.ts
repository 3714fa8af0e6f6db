import { describeStatusWrites } from '../../workloads/status-writes.testing.ts';
import { World } from './world.testing.ts';

const shape = { replicas: 2, parallel: true, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } } as const;

describeStatusWrites('StatefulSet', (options) => new World(shape, options));
