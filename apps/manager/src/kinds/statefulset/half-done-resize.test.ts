import { describeHalfDoneResize } from '../../workloads/half-done-resize.testing.ts';
import { World } from './world.testing.ts';

describeHalfDoneResize('StatefulSet', 'web', (template, options) => new World({ spec: { template } }, options), { isOrdered: true });
describeHalfDoneResize(
  'StatefulSet with Parallel',
  'web',
  (template, options) => new World({ parallel: true, spec: { template } }, options),
);
