/** Bounds of the webhook server and of what admission reads. */
import type { Limits } from './limit.ts';

export const admissionLimits = {
  reviewBytes: {
    value: 7 * 1024 * 1024,
    unit: 'bytes',
    bounds: 'The body of one AdmissionReview',
    beyond: 'The webhook server answers 413. The API server itself refuses objects above 3 MiB.',
    enforcedBy: 'webhook server',
  },
  conversionBytes: {
    value: 64 * 1024 * 1024,
    unit: 'bytes',
    bounds: 'The body of one ConversionReview; all reviews at a time share twice as much',
    beyond:
      'The webhook server answers 413, and the API server reports that it cannot convert the list. Read large lists in pages (`--chunk-size`).',
    enforcedBy: 'webhook server',
  },
} as const satisfies Limits;
