/** Checks of Pod templates for members that are not part of a Pod: no facts of a Pod, of a policy or of a server matter to them. */
import type { FieldError } from '@kruise/objects';
import { newestKubernetes, type Check } from './checks/check.ts';
import { podFactsOf } from './checks/pod-facts.ts';

/** Returns the faults that `check` finds in a value of any origin. Never throws. */
export function faultsBy(check: Check, value: unknown, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  check(value, path, { faults, allowPrivileged: true, kubernetes: newestKubernetes, pod: podFactsOf({}, []) });
  return faults;
}
