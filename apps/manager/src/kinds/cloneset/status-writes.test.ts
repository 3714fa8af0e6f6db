import { describeStatusWrites } from '../../workloads/status-writes.testing.ts';
import { RunningCloneSet } from './world.testing.ts';

describeStatusWrites(
  'CloneSet',
  (options) => new RunningCloneSet({ replicas: 2, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } }, options),
);
