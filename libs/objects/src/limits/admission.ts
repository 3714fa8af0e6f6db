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
  reviewShareBytes: {
    value: 64 * 1024 * 1024,
    unit: 'bytes',
    bounds: 'The bodies of all AdmissionReviews at a time, those that are still being sent included',
    beyond: 'The webhook server answers 429, and the API server asks again after a second. Reviews of at most 32 KiB are taken.',
    enforcedBy: 'webhook server',
  },
  addressShareBytes: {
    value: 32 * 1024 * 1024,
    unit: 'bytes',
    bounds: 'The bodies of all AdmissionReviews at a time that come from one address',
    beyond: 'The webhook server answers 429, and the API server asks again after a second. Reviews of at most 32 KiB are taken.',
    enforcedBy: 'webhook server',
  },
  smallReviewBytes: {
    value: 32 * 1024,
    unit: 'bytes',
    bounds: 'The body of an AdmissionReview that is taken whatever other reviews hold',
    beyond: 'The review needs room in the shares above.',
    enforcedBy: 'webhook server',
  },
  reviews: {
    value: 2048,
    unit: 'entries',
    bounds: 'AdmissionReviews at a time; those of one address are at most half as many',
    beyond: 'The webhook server answers 429, and the API server asks again after a second.',
    enforcedBy: 'webhook server',
  },
  connections: {
    value: 1024,
    unit: 'connections',
    bounds: 'Open connections to the webhook server',
    beyond: 'The address with the most connections loses its oldest one, or is refused a new one.',
    enforcedBy: 'webhook server',
  },
  addressConnections: {
    value: 256,
    unit: 'connections',
    bounds: 'Open connections to the webhook server from one address',
    beyond: 'The webhook server closes a new connection.',
    enforcedBy: 'webhook server',
  },
  streams: {
    value: 250,
    unit: 'entries',
    bounds: 'Requests at a time on one HTTP/2 connection',
    beyond: 'The client waits or opens another connection. API servers do the latter.',
    enforcedBy: 'webhook server',
  },
  bodyPaceBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    bounds: 'The least that a body which is not complete brings in 5 s',
    beyond:
      'After two such intervals in a row the webhook server ends the request. API servers send a body at once, and wait 10 s for most answers.',
    enforcedBy: 'webhook server',
  },
} as const satisfies Limits;
