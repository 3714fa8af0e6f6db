/**
 * Returns the candidate that was probably meant: at most two edits away (one for texts of up to four characters), ignoring case.
 *
 * @returns the first of the closest candidates; undefined when none is close
 */
export function closestText(text: string, candidates: readonly string[]): string | undefined {
  const wanted = text.toLowerCase().slice(0, maxLength);
  let best: string | undefined;
  let bestDistance = wanted.length <= 4 ? 2 : 3;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase().slice(0, maxLength);
    // A lower bound of the distance, and much faster to compute.
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Bounds the cost for any input. */
const maxLength = 64;

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
