/**
 * JSON to objects and back so that what is read and written again is what the server had.
 *
 * Integers beyond 2^53 (int64 fields, quantities written as numbers, custom resources) do not survive a JavaScript number. They come back
 * as raw JSON values (`JSON.isRawJSON`), which `JSON.stringify` writes digit by digit as they were; every other number is a plain number.
 * A raw value is a frozen object with the digits in `rawJSON`: code that copies objects passes it on as it is, and must not rebuild it.
 */
import type { KubeObject } from '@kruise/objects';
import { cutManagedFields } from './managed-fields.ts';

interface SourceTextJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
/** The proposal "JSON.parse source text access", which Node 24 has and TypeScript's library does not describe yet. */
const sourceJson = JSON as unknown as SourceTextJson;

const RUN = 16;
const INTEGER = /^-?\d+$/;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Whether `bytes` hold 16 digits in a row anywhere, strings included: only then can there be an integer beyond 2^53. Reads every 16th byte. */
export function hasLongDigitRun(bytes: Uint8Array): boolean {
  for (let probe = RUN - 1; probe < bytes.length; probe += RUN) {
    if (!isDigit(bytes[probe])) continue;
    let start = probe;
    let end = probe + 1;
    while (isDigit(bytes[start - 1])) start--;
    while (isDigit(bytes[end])) end++;
    if (end - start >= RUN) return true;
  }
  return false;
}

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context.source === undefined) return value;
  return INTEGER.test(context.source) ? sourceJson.rawJSON(context.source) : value;
}

/** The value of a whole JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return hasLongDigitRun(bytes) ? sourceJson.parse(text, keepDigits) : (JSON.parse(text) as unknown);
}

/** Whether a value read from the server is an integer beyond 2^53, kept as its digits. */
export const isLongInteger = (value: unknown): value is { readonly rawJSON: string } => sourceJson.isRawJSON(value);

type Mutable = { metadata?: { managedFields?: unknown } | null };

/**
 * One API object from its bytes, which the caller gives away (they may be overwritten).
 *
 * @param keepManagedFields false drops `metadata.managedFields`
 */
export function parseObject<T extends KubeObject>(bytes: Buffer, keepManagedFields: boolean): T {
  if (keepManagedFields) return parseJson(bytes) as T;
  const object = parseJson(cutManagedFields(bytes)) as T & Mutable;
  const metadata = (object as Mutable | null)?.metadata;
  if (metadata?.managedFields !== undefined) delete metadata.managedFields;
  return object;
}
