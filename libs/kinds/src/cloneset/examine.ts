import { cloneSetObstacle } from '@kruise/api';
import { examineBy } from '@kruise/workloads';

/** Returns whether the rules can work with a CloneSet that admission may not have checked. */
export const examine = examineBy(cloneSetObstacle);
