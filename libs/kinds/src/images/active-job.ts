/** When a job still works on its nodes. Pure. @see spec/image-pulling.md 5.4 */
import type { ImagePullJob } from '@kruise/api';

/** Neither completed nor being deleted. */
export const isActive = ({ metadata, status }: ImagePullJob): boolean =>
  metadata.deletionTimestamp === undefined && status?.completionTime === undefined;
