/** The annotations that an object passes on to one of another kind. */
import type { Untyped } from './untyped.ts';

/** Of controllers of the kind, and of clients that compare the object with what they wrote. */
const left = [
  'deployment.kubernetes.io/',
  'deprecated.daemonset.template.generation',
  'kubectl-kruise/',
  'kubectl.kubernetes.io/last-applied-configuration',
  'rollouts.kruise.io/',
];

/** Returns the annotations without those that describe the object itself; undefined when none remains. */
export function keptAnnotations({ metadata }: Untyped): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !left.some((prefix) => name.startsWith(prefix)));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
