/**
 * Leaving `metadata.managedFields` out of an object's text before it is parsed: nearly half of a Pod's text that nobody here reads.
 * Only the top-level `metadata` of the object is looked into, so a `managedFields` key in an annotation, in `data` or in a template stays.
 *
 * Where the array ends is not walked to but taken to be its first `]`, as entries hold no arrays. A wrong guess shows: if that `]` stood in
 * a string, an odd number of quotes was left out (and one that is escaped is no quote outside of strings either); if it closed an inner
 * array, more brackets were opened than closed in what was left out. In both cases the rest is no JSON.
 */
import { findMember, skipSpace } from './json-walk.ts';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** A part of the bytes, half-open. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Which part of an object's bytes to leave out.
 *
 * @param bytes one JSON object, compact or not
 * @returns undefined when there is no such part or the text is not what an API server sends. Else the rest of the text is the object
 *   without its managedFields, or no JSON at all (then parse the whole and delete the member).
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

/** @returns the position after the first `]` behind the `[` at `at`, or -1 */
function firstBracket(bytes: Uint8Array, at: number): number {
  return bytes[at] === OPEN_BRACKET ? bytes.indexOf(CLOSE_BRACKET, at) + 1 || -1 : -1;
}

/** Where the object's own metadata opens, or -1. */
function findMetadata(bytes: Uint8Array): number {
  const open = skipSpace(bytes, 0);
  const member = findMember(bytes, open, 'metadata', (_bytes, at) => at);
  return member === undefined || member === -1 ? -1 : member.valueStart;
}
