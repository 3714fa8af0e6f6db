/** `rollout undo`. */
import { joined, UserError } from '../../failure.ts';
import type { Call } from '../../cli/command.ts';
import { typeOfObject } from '../../objects/served-types.ts';
import type { Untyped } from '../../objects/untyped.ts';
import { quotedName, workloadKindOf } from '../../objects/workload-kind.ts';
import { podTemplateText } from '../../print/pod-template.ts';
import type { DryRun } from '../../print/print-object.ts';
import { fastUndoChange, workloadRefOf } from '../../rollout/changes.ts';
import { planDeploymentRollback, planRollback } from '../../rollout/revisions.ts';
import { historyOf } from '../../session/history.ts';
import { dryRun, printResult } from '../../session/print-result.ts';
import { forEachTarget, readTarget, selectTargets, type Selected } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';
import { named } from './pause.ts';

/** A Rollout means the workload that it rolls out. */
async function workloadOf(session: Session, selected: Selected): Promise<Selected> {
  if (workloadKindOf(selected.type) !== 'Rollout') return selected;
  const ref = workloadRefOf(selected.object);
  if (ref === undefined) throw new UserError(`${quotedName(selected.type, selected.name)} refers to no workload`);
  const type = typeOfObject(await session.types(), ref);
  if (type === undefined)
    throw new UserError(`the server doesn't have a resource type ${JSON.stringify(ref.kind)} in version ${JSON.stringify(ref.apiVersion)}`);
  return readTarget(session, { type, namespace: selected.namespace, name: ref.name });
}

const undoable: readonly string[] = ['Deployment', 'DaemonSet', 'StatefulSet', 'CloneSet', 'AdvancedStatefulSet', 'AdvancedDaemonSet'];

async function undo(call: Call, session: Session, workload: Selected, how: DryRun): Promise<void> {
  const { type, namespace, name, object } = workload;
  const kind = workloadKindOf(type);
  if (!undoable.includes(kind))
    throw new UserError(`no rollbacker has been implemented for ${JSON.stringify(`${type.kind}.${type.group}`)}`);
  const revisions = await historyOf(session, workload);
  const toRevision = call.flags.number('to-revision');
  const plan = kind === 'Deployment' ? planDeploymentRollback(object, revisions, toRevision) : planRollback(object, revisions, toRevision);
  if (plan.kind === 'Skip') {
    await printResult(call, session, {
      type,
      object,
      operation: `skipped rollback (current template already matches revision ${plan.number})`,
      dryRun: how,
    });
    return;
  }
  if (how === 'client') {
    await printResult(call, session, { type, object, operation: `will roll back to ${podTemplateText(plan.template)}`, dryRun: how });
    return;
  }
  const written = await session.client().patch(type, { namespace, name }, plan.patch, {
    type: 'json',
    fieldManager: 'kubectl-rollout',
    dryRun: how === 'server',
    signal: session.signal,
  });
  await printResult(call, session, { type, object: written as Untyped, operation: 'rolled back', dryRun: how });
}

async function undoFast(call: Call, session: Session, { type, namespace, name, object }: Selected, how: DryRun): Promise<void> {
  const { patch } = named(() => fastUndoChange(workloadKindOf(type), object), quotedName(type, name));
  const key = { namespace, name };
  const options = {
    type: 'merge',
    subresource: 'status',
    fieldManager: 'kubectl-rollout',
    dryRun: how === 'server',
    signal: session.signal,
  } as const;
  const written = how === 'client' ? object : ((await session.client().patch(type, key, patch, options)) as Untyped);
  await printResult(call, session, { type, object: written, operation: 'rolled back', dryRun: how });
}

export async function run(call: Call, session: Session): Promise<undefined> {
  const how = dryRun(call, session);
  const targets = await selectTargets(call, session, call.args, { wholeKind: true });
  const done = new Set<string>();
  const failures = await forEachTarget(session, targets, async (selected) => {
    if (call.flags.bool('fast')) return undoFast(call, session, selected, how);
    const workload = await workloadOf(session, selected);
    const id = `${quotedName(workload.type, workload.name)} ${workload.namespace}`;
    if (done.has(id)) return;
    done.add(id);
    await undo(call, session, workload, how);
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
}
