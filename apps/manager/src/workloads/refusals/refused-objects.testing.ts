/** RefusedObjects for tests of plans. */
import type { RefusedBefore } from '@kruise/workloads';

/** The API server has refused writes for these objects, in this order. */
export const refusedFor = (...subjects: readonly string[]): RefusedBefore =>
  new Map(subjects.map((subject, index) => [subject, index + 1]));
