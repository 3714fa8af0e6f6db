/** The stages of a job's plan, and what their results mean to events and status. @see spec/broadcastjob.md 5.3 */
import type { BroadcastJob, BroadcastJobStatus } from '@kruise/api';
import type { Outcome } from '@kruise/kube';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import { type Action, type Note, waitsForRemovals, type Plan, afterActions } from '@kruise/kinds/broadcastjob';
import type { BroadcastJobTypes } from './io.ts';

export async function carryOut(
  next: Plan,
  { pass, events, snapshot }: Round<BroadcastJob, BroadcastJobStatus, Action, BroadcastJobTypes>,
): Promise<Outcome> {
  const announce = (notes: readonly Note[]): void => {
    for (const note of notes) events.announce(note);
  };
  const refused = next.verdict === undefined ? undefined : await pass.writeFirst(next.verdict);
  if (refused !== undefined) return refused;
  if (next.verdict !== undefined) announce(next.notes);
  const { stages, error } = await pass.run([
    { name: 'remove', actions: next.remove, onFailure: waitsForRemovals(next, snapshot) ? 'Stop' : 'Collect', pace: 'ByKind' },
    { name: 'create', actions: next.create, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
  ]);
  const done = (stage: string): number => stages.get(stage)?.done ?? 0;
  const notes = [...(next.verdict === undefined ? next.notes : []), ...(error === undefined ? next.notesAfter : [])];
  return pass.conclude(
    {
      ...next,
      status: afterActions(next.status, { created: done('create'), removed: done('remove') }),
      announce: () => announce(notes),
      housekeeping: [],
    },
    { scale: error },
  );
}
