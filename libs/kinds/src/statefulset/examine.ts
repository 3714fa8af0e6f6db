import { statefulSetObstacle } from '@kruise/api';
import { examineBy } from '@kruise/workloads';

/** Returns whether the rules can work with a StatefulSet that admission may not have checked. */
export const examine = examineBy(statefulSetObstacle);
