/** Bounds of image pulling: NodeImage, ImagePullJob and ImageListPullJob. */
import type { Limits } from './limit.ts';

export const imageLimits = {
  imagesOfList: {
    value: 255,
    unit: 'entries',
    bounds: '`spec.images` of an ImageListPullJob',
    beyond: 'Admission refuses the object. Split the list into several ImageListPullJobs.',
    enforcedBy: 'validating webhook',
  },
  imagesOfNode: {
    value: 256,
    unit: 'entries',
    bounds: '`spec.images` of a NodeImage',
    beyond: 'Admission refuses the NodeImage.',
    enforcedBy: 'validating webhook',
  },
  pullWithoutDeadline: {
    value: 86_400_000,
    unit: 'milliseconds',
    bounds: 'The tries of one node for one image without `activeDeadlineSeconds`, together',
    beyond: 'The manager counts the node as failed for the job. Set `spec.completionPolicy.activeDeadlineSeconds` to allow more.',
    enforcedBy: 'manager',
  },
  silenceOfNode: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'The time in which a node that reports nothing about its task counts against `spec.parallelism` of an ImagePullJob',
    beyond: 'The job asks the next node. The silent node fails after 10 minutes.',
    enforcedBy: 'manager',
  },
} as const satisfies Limits;
