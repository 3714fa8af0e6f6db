/** `rollout pause`, `resume`, `approve`: one merge patch for each object. */
import { joined, UserError } from '../../failure.ts';
import type { Call, Run } from '../../cli/command.ts';
import type { Untyped } from '../../objects/untyped.ts';
import { quotedName, workloadKindOf, type WorkloadKind } from '../../objects/workload-kind.ts';
import { approveChange, pauseChange, type Change } from '../../rollout/changes.ts';
import { printResult } from '../../session/print-result.ts';
import { forEachTarget, selectTargets } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

const patched =
  (operation: string, plan: (kind: WorkloadKind, object: Untyped) => Change): Run =>
  async (call: Call, session: Session) => {
    const targets = await selectTargets(call, session, call.args, { wholeKind: true, bareName: 'rollouts.rollouts.kruise.io' });
    const failures = await forEachTarget(session, targets, async ({ type, namespace, name, object }) => {
      const { patch, subresource } = named(() => plan(workloadKindOf(type), object), quotedName(type, name));
      const written = await session.client().patch(type, { namespace, name }, patch, {
        type: 'merge',
        fieldManager: 'kubectl-rollout',
        signal: session.signal,
        ...(subresource === undefined ? {} : { subresource }),
      });
      await printResult(call, session, { type, object: written as Untyped, operation });
    });
    if (failures.length > 0) throw joined(failures);
    return undefined;
  };

/** What `work` refuses, with the name of the object before it. */
export function named<T>(work: () => T, name: string): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${name} ${error.message}`) : error;
  }
}

export const pause: Run = patched('paused', (kind, object) => pauseChange(kind, object, true));
export const resume: Run = patched('resumed', (kind, object) => pauseChange(kind, object, false));
export const approve: Run = patched('approved', approveChange);
