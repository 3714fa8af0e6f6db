/** Any write of the StatefulSet controller may be refused, and its process may die between two writes. */
import fc from 'fast-check';
import { hookShapes } from '../../../refused-writes/hook-program.testing.ts';
import type { RefusedKind } from '../../../refused-writes/refused-run.testing.ts';
import { Fixture, type Change, type Shape } from './refused-writes.testing.ts';

const ordinal = fc.nat({ max: 5 });

export const refusedStatefulSets: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    parallel: fc.boolean(),
    replicas: fc.integer({ min: 1, max: 6 }),
    policy: fc.constantFrom<Shape['policy']>('ReCreate', 'InPlaceIfPossible'),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    hook: fc.constantFrom<Shape['hook']>('None', 'None', 'preDelete', ...hookShapes),
    markPodNotReady: fc.boolean(),
    whenScaled: fc.constantFrom<Shape['whenScaled']>('Retain', 'Delete', 'Delete', 'NoClaims'),
    terminationSeconds: fc.constantFrom(0, 5, 5),
    partition: fc.constantFrom(0, 0, 0, 1, 2, 3),
    whenDeleted: fc.constantFrom<Shape['whenDeleted']>('Retain', 'Delete'),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Image' as const), number: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Replicas' as const), number: fc.integer({ min: 1, max: 6 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('Partition' as const, 'Fail' as const, 'Stick' as const), number: ordinal }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('Drain' as const), number: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Reserve' as const), ordinals: fc.uniqueArray(ordinal, { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('Free' as const, 'LetGo' as const, 'Recreate' as const) }) },
  ),
  // Owners of claims are written before Pods are deleted.
  often: [
    { verb: 'change', subresource: '', resource: 'persistentvolumeclaims' },
    { verb: 'change', subresource: '', resource: 'persistentvolumeclaims' },
    { verb: 'create', subresource: '', resource: 'persistentvolumeclaims' },
    { verb: 'delete', subresource: '', resource: 'pods' },
  ],
  resources: ['controllerrevisions', 'statefulsets'],
  losesNews: true,
  begin: (shape, options) => new Fixture(shape, options),
};
