/**
 * ConversionReview in, ConversionReview out, served at `/convert`.
 * @see spec/manager.md 4.8; Kubernetes "Versions in CustomResourceDefinitions"
 */
import { parseLossless, stringifyLossless, type KubeObject } from '@kruise/objects';
import { maxNesting, nestingOf } from './nesting.ts';

/** The object in the version asked for, or why there is none; one failure fails the whole review. */
export type Conversion =
  { readonly kind: 'Converted'; readonly object: KubeObject } | { readonly kind: 'Failed'; readonly message: string };

/** Converts one object to `desiredApiVersion`; pure, never writes to its input. */
export type Convert = (object: KubeObject, desiredApiVersion: string) => Conversion;

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** `undefined`: not a ConversionReview at all, to be answered with HTTP 400. */
function parse(body: Buffer): { readonly apiVersion: string; readonly request: ConversionRequest } | undefined {
  if (nestingOf(body, maxNesting) > maxNesting) return undefined;
  try {
    const review = parseLossless(body.toString('utf8')) as { apiVersion?: unknown; request?: Partial<ConversionRequest> } | null;
    const request = review?.request;
    if (typeof request?.uid !== 'string' || typeof request.desiredAPIVersion !== 'string' || !Array.isArray(request.objects))
      return undefined;
    return {
      apiVersion: typeof review?.apiVersion === 'string' ? review.apiVersion : 'apiextensions.k8s.io/v1',
      request: request as ConversionRequest,
    };
  } catch {
    return undefined;
  }
}

function convertAll({ objects, desiredAPIVersion }: ConversionRequest, convert: Convert): object {
  const convertedObjects: KubeObject[] = [];
  for (const object of objects) {
    const conversion = convert(object, desiredAPIVersion);
    if (conversion.kind === 'Failed') return { result: { status: 'Failure', message: conversion.message } };
    convertedObjects.push(conversion.object);
  }
  return { convertedObjects, result: { status: 'Success' } };
}

/** @returns the answer's JSON, or undefined when the body is no ConversionReview; one object that cannot be converted fails the whole request */
export function answerConversionReview(body: Buffer, convert: Convert): string | undefined {
  const review = parse(body);
  if (review === undefined) return undefined;
  const response = { uid: review.request.uid, ...convertAll(review.request, convert) };
  return stringifyLossless({ kind: 'ConversionReview', apiVersion: review.apiVersion, response });
}
