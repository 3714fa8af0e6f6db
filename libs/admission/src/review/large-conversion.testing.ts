/** A thread that converts a large review of small objects. Its creator sets its memory limit. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerConversionReview } from './conversion-review.ts';

const { objects, padding } = workerData as { readonly objects: number; readonly padding: number };
const object = `{"metadata":{"name":"a"},"list":[${Array.from({ length: padding }, () => '{}').join()}]}`;
const body = Buffer.from(`{"request":{"uid":"u","desiredAPIVersion":"g/v1","objects":[${object}${`,${object}`.repeat(objects - 1)}]}}`);
const answer = await answerConversionReview(body, {
  convert: (given, apiVersion) => ({ kind: 'Converted', object: { ...given, apiVersion } }),
  objectLimit: 100_000,
  turn: () => new Promise((resolve) => void setImmediate(resolve)),
});
const bytes = answer.kind === 'Answered' ? answer.pieces.reduce((sum, { length }) => sum + length, 0) : 0;
parentPort?.postMessage({ kind: answer.kind, bodyBytes: body.length, bytes });
