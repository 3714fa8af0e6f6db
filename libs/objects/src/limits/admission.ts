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
  listedFaults: {
    value: 1000,
    unit: 'entries',
    bounds: 'Faults that one refusal lists',
    beyond: 'The refusal ends with `and more`.',
    enforcedBy: 'webhooks, manager',
  },
  faultValue: {
    value: 1024,
    unit: 'characters',
    bounds: 'The value of one fault in a refusal, a condition or an event, as JSON',
    beyond: 'The text is cut and ends with `…`. The field names the whole value.',
    enforcedBy: 'webhooks, manager',
  },
  warnings: {
    value: 100,
    unit: 'entries',
    bounds: 'Warnings of one answer to an AdmissionReview',
    beyond: 'The webhook server leaves out the others.',
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
    value: 3072,
    unit: 'connections',
    bounds: 'Open connections to the webhook server; an idle one takes 56 KiB of memory',
    beyond:
      'The address with the most connections loses its oldest one without a request under way. A new one is refused when all have a request.',
    enforcedBy: 'webhook server',
  },
  addressConnections: {
    value: 1536,
    unit: 'connections',
    bounds:
      'Open connections to the webhook server from one address; an API server opens one for each review under way, and several may share an address',
    beyond:
      'The webhook server closes the oldest connection of the address without a request under way. A new one is refused when all have a request.',
    enforcedBy: 'webhook server',
  },
  streams: {
    value: 250,
    unit: 'entries',
    bounds: 'Requests at a time on one HTTP/2 connection',
    beyond: 'The client waits or opens another connection. API servers do the latter.',
    enforcedBy: 'webhook server',
  },
  liveListPage: {
    value: 500,
    unit: 'entries',
    bounds: 'Objects in one page of a list that a webhook reads live, while a review waits',
    beyond: 'The webhook reads the next page, within the time of the review.',
    enforcedBy: 'webhooks',
  },
  narrowedNamespaces: {
    value: 1000,
    unit: 'entries',
    bounds: 'Namespaces that the conditions of a Pod webhook name for one reason, such as WorkloadSpreads',
    beyond: 'The API server asks about the Pods of workloads of that kind in every namespace.',
    enforcedBy: 'manager',
  },
  needsAhead: {
    value: 20,
    unit: 'entries',
    bounds: 'Sorts of Pods that new objects of 5 s make the API server ask about ahead of time',
    beyond: 'For 10 s the API server asks about every Pod of the namespaces that ask for the most.',
    enforcedBy: 'webhooks',
  },
  needsAheadCharacters: {
    value: 32_768,
    unit: 'characters',
    bounds: 'All of these sorts of Pods as text',
    beyond: 'For 10 s the API server asks about every Pod of these namespaces; about every Pod when their names alone are longer.',
    enforcedBy: 'webhooks',
  },
  protectionSeries: {
    value: 1000,
    unit: 'series',
    bounds: 'Series of `*_deletion_protection` and `pod_unavailable_budget` together',
    beyond: 'The manager counts a refusal under the name and the user `other`. The protection log names both.',
    enforcedBy: 'manager',
  },
  protectionSeriesOfNamespace: {
    value: 50,
    unit: 'series',
    bounds: 'Of these, those of one namespace',
    beyond: 'The manager counts a refusal under the name and the user `other`.',
    enforcedBy: 'manager',
  },
  protectionCharacters: {
    value: 253,
    unit: 'characters',
    bounds: 'A kind, namespace, name or user in protection metrics and log',
    beyond: 'The manager cuts it and ends it with `…`.',
    enforcedBy: 'manager',
  },
  protectionLogBytes: {
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    bounds: '`protection.log`',
    beyond: 'The manager renames it to `protection.log.1`, in place of the one before, and begins it again.',
    enforcedBy: 'manager',
  },
  protectionLogWaiting: {
    value: 1000,
    unit: 'entries',
    bounds: 'Refusals that wait to be written to the protection log',
    beyond: 'The manager leaves out the refusal and logs how many it left out.',
    enforcedBy: 'manager',
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
