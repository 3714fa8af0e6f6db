/** Whether the rules can work with a CloneSet that admission may not have checked. */
import type { CloneSet } from '@kruise/api';
import { isJsonObject } from '@kruise/objects';
import { claimTemplatesRule, examineWorkload, replicasRule, templateRule, type Examined, type SpecRule } from '@kruise/workloads';

const scaleStrategyRule: SpecRule = ({ scaleStrategy }) => {
  const names: unknown = isJsonObject(scaleStrategy) ? scaleStrategy['podsToDelete'] : undefined;
  return names === undefined || names === null || Array.isArray(names)
    ? undefined
    : 'spec.scaleStrategy.podsToDelete: Invalid value: must be a list of Pod names';
};

const rules: readonly SpecRule[] = [replicasRule, templateRule, claimTemplatesRule, scaleStrategyRule];

export const examine = (cloneSet: CloneSet): Examined => examineWorkload(cloneSet, 'CloneSet', rules);
