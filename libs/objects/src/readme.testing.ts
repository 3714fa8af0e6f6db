/** The example of README.md. */
import { labelMatcherOf, scaleIntOrPercent, type KubeObject, type LabelSelector } from './index.ts';

/** Returns how many objects that `selector` matches may be unavailable; percentages round down. @throws for a field that admission refuses */
export function disruptionsAllowed(objects: readonly KubeObject[], selector: LabelSelector, maxUnavailable: number | string): number {
  const parsed = labelMatcherOf(selector);
  if (parsed.kind === 'Illegal') throw new Error(parsed.why);
  const matched = objects.filter(({ metadata }) => parsed.matcher.matches(metadata.labels));
  const scaled = scaleIntOrPercent(maxUnavailable, matched.length, 'down');
  if (scaled.kind === 'Illegal') throw new Error(`maxUnavailable ${scaled.why}`);
  return scaled.value;
}
