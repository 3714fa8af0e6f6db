/** Deletions that wait for a finalizer of the manager, and how they end. */
import { numberAt } from '@kruise/objects';
import { patchCommand } from '../objects/patch-command.ts';
import type { Untyped } from '../objects/untyped.ts';
import { fault, named, shownNames, type Verdict } from './check.ts';
import type { HeldFact } from './facts.ts';
import { areOutside, failsClosed, isScaledUp, ownEntries } from './installation.ts';
import { deleteWebhooks } from './left-webhooks.ts';

/** The facts that decide how a deletion ends. */
export interface HeldDeletions {
  readonly terminating: readonly HeldFact[];
  readonly managers: readonly Untyped[];
  readonly mutating: readonly Untyped[];
  readonly validating: readonly Untyped[];
}

/** Returns the objects in words. */
export const heldNames = (terminating: readonly HeldFact[]): string =>
  named(terminating.map(({ type, namespace, name }) => `${type.kind} ${namespace}/${name}`));

/** The webhooks also refuse the write that removes a finalizer, so that they have to be deleted before it. */
function stepsWithoutManager({ terminating, ...configurations }: HeldDeletions): string {
  const shown = terminating.slice(0, shownNames);
  const more = terminating.length - shown.length;
  return [
    ...(ownEntries(configurations).some(failsClosed) ? [deleteWebhooks] : []),
    ...shown.map((object) => {
      const finalizers = object.otherFinalizers.length === 0 ? null : object.otherFinalizers;
      return patchCommand(object, { metadata: { finalizers } });
    }),
    ...(more > 0 ? [`The same for ${more} more ${more === 1 ? 'object' : 'objects'}; run the check again to see them.`] : []),
  ].join('\n');
}

/** Returns the fault that says how deletions end; undefined when there is none, and while a manager runs, which ends them. */
export function heldFault(seen: HeldDeletions): Verdict | undefined {
  const { terminating, managers } = seen;
  if (terminating.length === 0 || areOutside(ownEntries(seen))) return undefined;
  const said = `Deletions wait for a manager that does not run: ${heldNames(terminating)}.`;
  const running = managers.filter(isScaledUp);
  if (running.some((manager) => (numberAt(manager, 'status', 'availableReplicas') ?? 0) > 0)) return undefined;
  if (running.length > 0) return fault(said, 'kubectl kruise check shows why no Pod of the manager is available.');
  const [stopped] = managers;
  return stopped === undefined
    ? fault(said, stepsWithoutManager(seen))
    : fault(said, `kubectl scale deployment ${stopped.metadata.name} -n ${stopped.metadata.namespace ?? ''} --replicas=2`);
}
