/** `describe rollout`. */
import { isFailure } from '@kruise/kube';
import { messageOf, pods } from '@kruise/objects';
import { failureText, UserError } from '../failure.ts';
import type { Call, Run } from '../cli/command.ts';
import { rolloutPods, rolloutText, type RolloutParts } from '../describe/rollout-text.ts';
import { typeOfObject } from '../objects/served-types.ts';
import type { Untyped } from '../objects/untyped.ts';
import { workloadRefOf } from '../rollout/changes.ts';
import { readTarget, servedType, type Selected, type Target } from '../session/select-objects.ts';
import type { Session } from '../session.ts';
import { watchObject } from '../session/watch-object.ts';

async function workloadOf(session: Session, rollout: Untyped): Promise<Selected> {
  const ref = workloadRefOf(rollout);
  const type = ref === undefined ? undefined : typeOfObject(await session.types(), ref);
  if (ref === undefined || type === undefined) throw new UserError(`the workload ${ref?.kind ?? ''} is not served`);
  return readTarget(session, { type, namespace: rollout.metadata.namespace ?? '', name: ref.name });
}

async function partsOf(call: Call, session: Session, rollout: Untyped): Promise<RolloutParts> {
  const color = !call.flags.bool('no-color');
  const now = session.clock.now();
  let workload: Selected;
  try {
    workload = await workloadOf(session, rollout);
  } catch (error) {
    if (session.signal.aborted) throw error;
    const why = isFailure(error, 'NotFound', 'Forbidden') ? failureText(error) : messageOf(error);
    return { workload: undefined, workloadFailure: why, pods: [], now, color };
  }
  const { hash, step } = rolloutPods(rollout);
  const label = workload.type.kind === 'Deployment' ? 'pod-template-hash' : 'controller-revision-hash';
  const batch = call.flags.bool('all') || step === 0 ? '' : `,rollouts.kruise.io/rollout-batch-id=${step}`;
  const labelSelector = `${label}=${hash}${batch}`;
  const { items } =
    hash === ''
      ? { items: [] }
      : await session.client().list(pods, { namespace: workload.namespace, labelSelector, signal: session.signal });
  return { workload: workload.object, pods: items as unknown as readonly Untyped[], now, color };
}

const clearScreen = '\u001B[2J\u001B[H';

export const rollout: Run = async (call, session) => {
  const { args, flags } = call;
  const [name = ''] = args;
  if (name === '') throw new UserError('required rollout name not specified');
  const type = await servedType(session, 'rollouts.rollouts.kruise.io');
  const target: Target = { type, namespace: session.namespace(), name: name.replace(/^.*\//, '') };
  const watch = flags.bool('watch');
  const end = await watchObject(session, target, { watch, timeoutMs: flags.number('timeout') * 1000 }, async (object) => {
    const text = rolloutText(object, await partsOf(call, session, object));
    session.out(watch ? clearScreen + text : text);
    return false;
  });
  if (end === 'TimedOut') throw new UserError('timed out waiting for the condition');
  if (end === 'Deleted') throw new UserError('object has been deleted');
  return undefined;
};
