/**
 * Removes `metadata.managedFields` from an object's text before it is parsed: nearly half of a Pod's text, which this project does not read. Only the
 * top-level `metadata` of the object is searched, so a `managedFields` key in an annotation, in `data` or in a template is kept.
 *
 * The end of the array is not searched by walking. It is assumed to be its first `]`, because entries contain no arrays. A wrong assumption is
 * detected: if that `]` was in a string, an odd number of quotes was removed (an escaped quote is no quote outside strings either); if it closed an
 * inner array, more brackets were opened than closed in what was removed. In both cases the rest is not valid JSON.
 */
import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from './json-bytes.ts';
import { findMember, skipSpace } from './json-walk.ts';

/** A half-open range of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the range of an object's bytes to remove.
 *
 * @param bytes one JSON object, compact or not
 * @returns undefined when there is no such range or the text is not what an API server sends. Otherwise the rest of the text is the object without
 * its managedFields, or no valid JSON (then parse the whole text and delete the field).
 */
export function managedFieldsSpan(bytes: Buffer): Span | undefined {
  const metadata = findMetadata(bytes);
  if (metadata < 0) return undefined;
  const member = findMember(bytes, metadata, 'managedFields', firstBracket);
  if (member === undefined || member === -1) return undefined;
  let before = member.keyStart - 1;
  while (bytes[before] !== COMMA && bytes[before] !== OPEN_BRACE) before--;
  if (bytes[before] === COMMA) return { start: before, end: member.valueEnd };
  const after = skipSpace(bytes, member.valueEnd);
  return { start: member.keyStart, end: bytes[after] === COMMA ? after + 1 : member.valueEnd };
}

/** Returns the position after the first `]` behind the `[` at `at`, or -1. */
function firstBracket(bytes: Uint8Array, at: number): number {
  return bytes[at] === OPEN_BRACKET ? bytes.indexOf(CLOSE_BRACKET, at) + 1 || -1 : -1;
}

/** Returns where the object's own metadata opens, or -1. */
function findMetadata(bytes: Uint8Array): number {
  const open = skipSpace(bytes, 0);
  const member = findMember(bytes, open, 'metadata', (_bytes, at) => at);
  return member === undefined || member === -1 ? -1 : member.valueStart;
}
