/** How much of an error text a status contains. Pure. @see spec/daemon.md 5.2 */
import { agentLimits } from '@kruise/objects';

const encoder = new TextEncoder();
const end = '…';

/**
 * Returns the beginning of a text, in as many bytes as a status may contain of one. The status of a node is one object with all its tags, and a
 * registry may answer with texts of any length.
 */
export function cutError(text: string): string {
  const longest = agentLimits.pullMessageBytes.value;
  const { read, written } = encoder.encodeInto(text, new Uint8Array(longest));
  if (read === text.length) return text;
  // A character of up to four bytes makes room for the mark.
  const { read: kept } = encoder.encodeInto(text, new Uint8Array(Math.min(written, longest - encoder.encode(end).length)));
  return `${text.slice(0, kept)}${end}`;
}
