/**
 * Cutting `metadata.managedFields` out of an object's bytes before they are parsed: nearly half of a Pod's text that nobody here reads.
 * Only the top-level `metadata` of the object is looked into, so a `managedFields` key in an annotation, in `data` or in a template stays.
 */
import { findMember, skipSpace } from './json-walk.ts';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const NEVER = { start: 0, end: 0 };

/** From where to where the bytes go; an empty span when there is nothing to cut or the text is not as expected. */
function managedFieldsSpan(bytes: Uint8Array): { readonly start: number; readonly end: number } {
  const metadata = findMetadata(bytes);
  if (metadata < 0) return NEVER;
  const member = findMember(bytes, metadata, 'managedFields');
  if (member === undefined || member === -1) return NEVER;
  let before = member.keyStart - 1;
  while (before > metadata && bytes[before] !== COMMA && bytes[before] !== OPEN_BRACE) before--;
  if (bytes[before] === COMMA) return { start: before, end: member.valueEnd };
  const after = skipSpace(bytes, member.valueEnd);
  return { start: member.keyStart, end: bytes[after] === COMMA ? after + 1 : member.valueEnd };
}

/** Where the object's own metadata opens, or -1. */
function findMetadata(bytes: Uint8Array): number {
  const open = skipSpace(bytes, 0);
  return bytes[open] === OPEN_BRACE ? metadataStart(bytes, open) : -1;
}

function metadataStart(bytes: Uint8Array, open: number): number {
  const member = findMember(bytes, open, 'metadata');
  return member === undefined || member === -1 ? -1 : member.valueStart;
}

/**
 * The object without `metadata.managedFields`.
 *
 * @param bytes one JSON object, compact or not. OVERWRITTEN: the rest is moved over the gap, so the caller must own the bytes
 * @returns a view of `bytes`; the same length when there was nothing to cut or the text was not what an API server sends (then parse and
 *   delete the member instead)
 */
export function cutManagedFields(bytes: Buffer): Buffer {
  const { start, end } = managedFieldsSpan(bytes);
  if (start === end) return bytes;
  bytes.copyWithin(start, end);
  return bytes.subarray(0, bytes.length - (end - start));
}
