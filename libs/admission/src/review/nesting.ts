/** Guards against JSON that is nested so deeply that recursive code would exhaust the stack. */

import { admissionLimits } from '@kruise/objects';

/** Deeper than any object that the API server stores for a known kind. */
export const maxNesting: number = admissionLimits.nestedLevels.value;

const quote = 0x22;
const backslash = 0x5c;

/** Returns how deep arrays and objects nest in the JSON bytes. Stops counting above `limit`. Strings are skipped, syntax is not checked. */
export function nestingOf(json: Uint8Array, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < json.length && deepest <= limit; at++) {
    const byte = json[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return deepest;
}
