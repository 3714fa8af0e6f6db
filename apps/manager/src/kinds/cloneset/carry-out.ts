/** The stages of a CloneSet's plan, and what their results mean to the status. @see spec/cloneset.md 5.1 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { mostSpecificError, type Outcome } from '@kruise/kube';
import { earliest, type Stage, type StageResult } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { refusedFor, updateGuardOf } from '../../workloads/admit-updates.ts';
import { causeOfRefusal } from '@kruise/workloads';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import { subjectOf, type Action, type Note, type Plan } from '@kruise/kinds/cloneset';
import type { CloneSetEvents } from './events.ts';
import type { CloneSetTypes } from './io.ts';

type CloneSetRound = Round<CloneSet, CloneSetStatus, Action, CloneSetTypes>;

/** What is refused for one object delays no other. When scaling fails before it writes anything, updates go on, and both failures are reported. */
const stagesOf = ({ groundwork, preDownload, scale, update }: Plan, dependencies: ControllerDependencies): readonly Stage<Action>[] => [
  { name: 'groundwork', actions: groundwork, onFailure: 'Collect', pace: 'ByKind' },
  { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
  { name: 'scale', actions: scale, onFailure: 'Collect', pace: 'ByKind', slowly: ['CreatePod'] },
  { name: 'update', actions: update, unless: ['scale'], onFailure: 'Collect', pace: 'ByKind', ...updateGuardOf(dependencies) },
];

function announce(events: CloneSetEvents, note: Note): void {
  if (note.kind === 'ScaleUpLimited') events.scaleUpLimited(note.limit);
  else events.waitingForNames(note.names);
}

/** What the guard refused in this pass or before it: the cause in the status, and when the guard is asked again. */
function refusedByGuard(
  { uid, refusals, known }: CloneSetRound,
  updated: StageResult<Action> | undefined,
): Partial<Pick<Plan, 'blockedBy' | 'requeueAfter'>> {
  for (const action of updated?.allRefused ?? []) refusals.note(uid, subjectOf(action));
  const isRefused = (action: Action): boolean => refusals.isRefused(uid, subjectOf(action));
  const refusal = known.guardRefusals.after(uid, updated, isRefused);
  return {
    ...(refusal === undefined ? {} : { blockedBy: causeOfRefusal(refusal) }),
    ...(updated?.refused === undefined ? {} : { requeueAfter: refusedFor }),
  };
}

export async function carryOut(next: Plan, round: CloneSetRound): Promise<Outcome> {
  const { pass, events, dependencies } = round;
  for (const note of next.notes) announce(events, note);
  const { stages } = await pass.run(stagesOf(next, dependencies));
  const [ground, scaled, updated] = [stages.get('groundwork'), stages.get('scale'), stages.get('update')];
  const refused = refusedByGuard(round, updated);
  const impossible = updated === undefined || next.updateFailure === undefined ? undefined : new Error(next.updateFailure);
  const scale = mostSpecificError([ground?.error, scaled?.error].filter((error) => error !== undefined));
  const update = updated?.error ?? impossible;
  return pass.conclude({ ...next, ...refused, ...earliest([next.requeueAfter, refused.requeueAfter]) }, { scale, update });
}
