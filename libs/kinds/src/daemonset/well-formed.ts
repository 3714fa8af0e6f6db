/** Whether the rules can work with a DaemonSet that admission may not have checked. */
import type { DaemonSet } from '@kruise/api';
import { isEmptyLabelSelector, isJsonObject } from '@kruise/objects';
import { examineWorkload, nodeTermsRule, templateRule, type Examined, type SpecRule } from '@kruise/workloads';

const wholeNumberRule =
  (name: string): SpecRule =>
  ({ [name]: value }) =>
    value === undefined || value === null || (Number.isInteger(value) && (value as number) >= 0)
      ? undefined
      : `spec.${name}: Invalid value: ${JSON.stringify(value)}: must be a whole number of at least 0`;

const rules: readonly SpecRule[] = [
  templateRule,
  nodeTermsRule,
  wholeNumberRule('minReadySeconds'),
  wholeNumberRule('revisionHistoryLimit'),
];

export const examine = (set: DaemonSet): Examined => examineWorkload(set, 'DaemonSet', rules);

/** Whether its selector is present and empty, which a separate event reports. */
export const selectsAll = ({ spec }: DaemonSet): boolean => {
  const selector: unknown = (spec as DaemonSet['spec'] | null | undefined)?.selector;
  return isJsonObject(selector) && isEmptyLabelSelector(selector);
};
