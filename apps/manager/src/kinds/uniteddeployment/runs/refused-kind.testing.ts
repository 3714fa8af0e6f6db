/** Any write of the controllers of a UnitedDeployment and of its children may be refused, and their process may die between two writes. */
import fc from 'fast-check';
import type { RefusedKind } from '../../../refused-writes/refused-run.testing.ts';
import type { ChildKind } from '@kruise/kinds/uniteddeployment';
import { Fixture, subsetNames, type Change, type Shape } from './refused-writes.testing.ts';

const shares = fc.tuple(...subsetNames.map(() => fc.integer({ min: 1, max: 4 })));

const modes: Readonly<Record<ChildKind['name'], readonly Shape['mode'][]>> = {
  CloneSet: ['Fixed', 'Adaptive', 'Reservation'],
  AdvancedStatefulSet: ['Fixed', 'Adaptive'],
  Deployment: ['Fixed', 'Reservation'],
  StatefulSet: ['Fixed', 'Adaptive'],
};

const kindOver = (child: ChildKind['name'], mostly: readonly string[]): RefusedKind<Shape, Change> => ({
  shapes: fc.record({
    kind: fc.constant(child),
    mode: fc.constantFrom(...modes[child]),
    shares,
    maxUnavailable: fc.integer({ min: 1, max: 2 }),
    policy: fc.constantFrom<Shape['policy']>('ReCreate', 'InPlaceIfPossible'),
  }),
  changes: fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('Shares' as const), shares }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Partition' as const), partition: fc.integer({ min: 0, max: 4 }) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'NoSubsets' as const }) },
  ),
  mostly,
  resources: ['uniteddeployments', 'controllerrevisions'],
  begin: (shape, options) => new Fixture(shape, options),
});

/** A UnitedDeployment over each kind of child. */
export const refusedUnitedDeployments: readonly { readonly child: ChildKind['name']; readonly kind: RefusedKind<Shape, Change> }[] = [
  { child: 'CloneSet', kind: kindOver('CloneSet', ['pods', 'clonesets']) },
  { child: 'AdvancedStatefulSet', kind: kindOver('AdvancedStatefulSet', ['pods', 'statefulsets']) },
  { child: 'Deployment', kind: kindOver('Deployment', ['deployments']) },
  { child: 'StatefulSet', kind: kindOver('StatefulSet', ['statefulsets']) },
];
