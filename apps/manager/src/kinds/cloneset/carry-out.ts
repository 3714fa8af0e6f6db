/** The stages of a CloneSet's plan, and what their results mean to the status. @see spec/cloneset.md 5.1 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { mostSpecificError, type Outcome } from '@kruise/kube';
import type { Stage } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { updateGuardOf } from '../../workloads/admit-updates.ts';
import type { Round } from '../../workloads/passes/workload-controller.ts';
import type { Action, Note, Plan } from '@kruise/kinds/cloneset';
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

export async function carryOut(next: Plan, round: CloneSetRound): Promise<Outcome> {
  const { pass, events, dependencies } = round;
  for (const note of next.notes) announce(events, note);
  const { stages } = await pass.run(stagesOf(next, dependencies));
  const [ground, scaled, updated] = [stages.get('groundwork'), stages.get('scale'), stages.get('update')];
  const impossible = updated === undefined || next.updateFailure === undefined ? undefined : new Error(next.updateFailure);
  const scale = mostSpecificError([ground?.error, scaled?.error].filter((error) => error !== undefined));
  const update = updated?.error ?? impossible;
  return pass.conclude(next, { scale, update });
}
