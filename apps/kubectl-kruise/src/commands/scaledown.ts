/** `scaledown`: deletes chosen Pods of a CloneSet. */
import { conflictPresets, isFailure, retryOnConflict } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { serverMessage, UserError } from '../failure.ts';
import type { Run } from '../cli/command.ts';
import type { Untyped } from '../objects/untyped.ts';
import { slashName, workloadKindOf } from '../objects/workload-kind.ts';
import { podNames, scaledDown } from '../migrate/plan-scaledown.ts';
import { readTarget, selectTargets, type Selected } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

async function podsNamed(session: Session, namespace: string, names: readonly string[]): Promise<readonly Untyped[]> {
  const found = await Promise.all(
    names.map((name) =>
      session
        .client()
        .get(pods, { namespace, name }, { signal: session.signal })
        .catch((error: unknown) => {
          if (isFailure(error, 'NotFound')) return undefined;
          throw error;
        }),
    ),
  );
  return found.filter((pod) => pod !== undefined) as unknown as readonly Untyped[];
}

async function write(session: Session, first: Selected, names: readonly string[]): Promise<void> {
  const { type, namespace, name } = first;
  await retryOnConflict(conflictPresets.defaultRetry, { clock: session.clock, signal: session.signal }, async (from) => {
    const { object } = from === 'Cache' ? first : await readTarget(session, { type, namespace, name });
    const next = scaledDown(object, names, await podsNamed(session, namespace, names));
    if (next !== object) await session.client().update(type, next, { fieldManager: 'kubectl-scaledown', signal: session.signal });
  });
}

export const run: Run = async (call, session) => {
  const names = podNames(call.flags.list('pods'));
  const targets = await selectTargets(call, session, call.args, { bareName: 'clonesets.apps.kruise.io' });
  for (const target of targets) {
    if (workloadKindOf(target.type) !== 'CloneSet') throw new UserError('currently only supported CloneSet selective pods deletion');
    const { name } = target;
    try {
      await write(session, await readTarget(session, target), names);
    } catch (error) {
      if (session.signal.aborted) throw error;
      throw new UserError(`scaledown cloneset ${name} failed, error is ${error instanceof Error ? serverMessage(error) : String(error)}`);
    }
    session.out(`# ${name} delete pods [${names.join(' ')}] successfully\n${slashName(target.type, name)} selective pod deletion\n`);
  }
  return undefined;
};
