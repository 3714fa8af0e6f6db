/** `rollout restart`. */
import { joined } from '../../failure.ts';
import type { Call } from '../../cli/command.ts';
import { conflictPresets, retryOnConflict } from '@kruise/kube';
import { formatTime } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import { quotedName, workloadKindOf } from '../../objects/workload-kind.ts';
import { restartChange } from '../../rollout/changes.ts';
import { printResult } from '../../session/print-result.ts';
import { forEachTarget, selectTargets, type Selected } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';
import { named } from './pause.ts';

async function restart(session: Session, { type, namespace, name, object }: Selected, now: string): Promise<Untyped> {
  const client = session.client();
  const options = { fieldManager: 'kubectl-rollout', signal: session.signal };
  const written = await retryOnConflict(conflictPresets.defaultRetry, { clock: session.clock, signal: session.signal }, async (from) => {
    const seen = from === 'Cache' ? object : ((await client.get(type, { namespace, name }, { signal: session.signal })) as Untyped);
    const change = named(() => restartChange(workloadKindOf(type), seen, now), quotedName(type, name));
    if (change.kind === 'Patch') return client.patch(type, { namespace, name }, change.patch, { ...options, type: 'merge' });
    return client.update(type, change.object, options);
  });
  return written as Untyped;
}

export async function run(call: Call, session: Session): Promise<undefined> {
  const targets = await selectTargets(call, session, call.args, { wholeKind: true });
  const now = formatTime(session.clock.now());
  const failures = await forEachTarget(session, targets, async (selected) => {
    await printResult(call, session, { type: selected.type, object: await restart(session, selected, now), operation: 'restarted' });
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
}
