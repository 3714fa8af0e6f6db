/** The result of one run of a probe. */
import { agentLimits } from '@kruise/objects';

export interface ProbeOutcome {
  readonly state: 'Succeeded' | 'Failed';
  /** At most `probeMessageBytes` of the limits. */
  readonly message: string;
}

/** Returns the text truncated to this many bytes, never within a character. Invalid bytes become replacement characters. */
export function cutMessage(text: string | Buffer, longest: number = agentLimits.probeMessageBytes.value): string {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let end = longest;
  // 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}

export const succeeded = (message: string | Buffer): ProbeOutcome => ({ state: 'Succeeded', message: cutMessage(message) });
export const failed = (message: string | Buffer): ProbeOutcome => ({ state: 'Failed', message: cutMessage(message) });
