import { describeHalfDoneResize } from '../../workloads/half-done-resize.testing.ts';
import { RunningCloneSet } from './world.testing.ts';

describeHalfDoneResize(
  'CloneSet',
  'sample',
  (template, options) => new RunningCloneSet({ replicas: 3, rollingUpdate: { maxUnavailable: 1 }, spec: { template } }, options),
);
