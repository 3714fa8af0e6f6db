import { unitedDeploymentObstacle, type UnitedDeployment } from '@kruise/api';
import { isJsonObject, memberAt } from '@kruise/objects';
import { examineBy, type Examined } from '@kruise/workloads';
import { childKinds, type ChildKind } from './snapshot/child-kinds.ts';

export type WellFormedUnited = Extract<Examined, { kind: 'WellFormed' }> & { readonly childKind: ChildKind };
export type ExaminedUnited = WellFormedUnited | Extract<Examined, { kind: 'Malformed' }>;

const examineSelector = examineBy(unitedDeploymentObstacle);

/** Returns whether the rules can work with a UnitedDeployment that admission may not have checked, and the kind of its children. */
export function examine(object: UnitedDeployment): ExaminedUnited {
  const examined = examineSelector(object);
  if (examined.kind === 'Malformed') return examined;
  const childKind = childKinds.find(({ template }) => isJsonObject(memberAt(object, 'spec', 'template', template)));
  if (childKind === undefined) throw new Error('no child has the kind of a template that passed');
  return { ...examined, childKind };
}
