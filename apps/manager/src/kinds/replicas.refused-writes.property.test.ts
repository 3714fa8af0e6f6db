/**
 * Any write of a kind that keeps a number of replicas may be refused, and its process may die between two writes. These kinds have one file: each file
 * loads and compiles all that they share once.
 */
import { describeRefusedWrites } from '../refused-writes/describe-refused-writes.testing.ts';
import { refusedCloneSets } from './cloneset/runs/refused-fixture.testing.ts';
import { refusedStatefulSets } from './statefulset/runs/refused-kind.testing.ts';
import { refusedUnitedDeployments } from './uniteddeployment/runs/refused-kind.testing.ts';

describeRefusedWrites('a CloneSet', refusedCloneSets);
describeRefusedWrites('a StatefulSet', refusedStatefulSets);
for (const { child, kind } of refusedUnitedDeployments)
  describeRefusedWrites(`a UnitedDeployment of ${child}s`, kind, { parts: refusedUnitedDeployments.length });
