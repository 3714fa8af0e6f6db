import { daemonSetObstacle, type DaemonSet } from '@kruise/api';
import { isEmptyLabelSelector, isJsonObject, memberAt } from '@kruise/objects';
import { examineBy } from '@kruise/workloads';

/** Returns whether the rules can work with a DaemonSet that admission may not have checked. */
export const examine = examineBy(daemonSetObstacle);

/** Whether its selector is present and empty, which a separate event reports. */
export const selectsAll = ({ spec }: DaemonSet): boolean => {
  const selector = memberAt(spec, 'selector');
  return isJsonObject(selector) && isEmptyLabelSelector(selector);
};
