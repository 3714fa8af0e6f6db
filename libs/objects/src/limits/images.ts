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
} as const satisfies Limits;
