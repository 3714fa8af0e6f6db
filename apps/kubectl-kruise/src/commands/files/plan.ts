/** `plan`: what a changed file would do to Pods. Exit codes: 0, 2 when Pods are recreated although an update in place is requested, 1 on errors. */
import type { Gates } from '@kruise/api';
import { planChange, planReads, type ChangePlan } from '@kruise/insight/plan';
import type { Run } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';
import { withSortedMembers, yamlText } from '../../objects/documents.ts';
import type { Untyped } from '../../objects/untyped.ts';
import { planLines } from '../../print/plan-text.ts';
import { indented } from '../../print/print-object.ts';
import { dryRunApply, type Change } from '../../session/dry-run-apply.ts';
import { readManagerGates } from '../../session/manager-gates.ts';
import { missingText, ObjectSet } from '../../session/object-set.ts';
import { hasFiles, readFiles } from '../../session/read-files.ts';
import type { Session } from '../../session.ts';
import { gatesOf } from './gates-flag.ts';

const [kept, recreates] = [0, 2];
const formats: readonly string[] = ['', 'text', 'json', 'yaml'];

async function planOf(session: Session, { type, namespace, before, after }: Change, gates: Gates): Promise<ChangePlan> {
  const target = { type, namespace, name: after.metadata.name, object: after };
  const objects = new ObjectSet(session, target, planReads);
  await objects.read();
  for (const missing of objects.missing) session.warn(`Warning: the plan is not complete: ${missingText(missing)}`);
  return planChange(before, after, { objects: objects.objects, now: session.clock.now(), gates });
}

function textOf(plans: readonly ChangePlan[], format: string, session: Session): string {
  if (format === 'json') return `${indented(plans.length === 1 ? plans[0] : plans)}\n`;
  if (format === 'yaml') return plans.map((plan) => yamlText(withSortedMembers(plan as never))).join('---\n');
  const terminal = session.terminal();
  const drawing = { columns: terminal?.columns, color: terminal?.color === true };
  return plans
    .map((plan) =>
      planLines(plan, drawing)
        .map((line) => `${line}\n`)
        .join(''),
    )
    .join('\n');
}

/** Whether Pods are recreated, or cannot be updated at all, although the policy requests updates in place. */
const recreatesInPlace = ({ workloads }: ChangePlan): boolean =>
  workloads.some(({ wantsInPlace, counts, recreations, endedBy }) => {
    return wantsInPlace && recreations.length > 0 && (counts.recreated > 0 || endedBy.kind === 'Blocked');
  });

export const run: Run = async (call, session) => {
  const format = call.flags.text('output');
  if (!formats.includes(format))
    throw new UserError(
      `unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json,text,yaml`,
    );
  if (call.args.length > 0) throw new UserError('name the changed objects with -f: plan takes no arguments');
  if (!hasFiles(call.flags)) throw new UserError('must specify one of -f and -k');
  const given = gatesOf(call);
  const plans: ChangePlan[] = [];
  const files: readonly Untyped[] = await readFiles(call.flags, session);
  let read: Promise<Gates> | undefined;
  const gates = async (): Promise<Gates> => given ?? (await (read ??= readManagerGates(session)));
  for (const object of files) {
    const change = await dryRunApply(session, object, gates);
    if (change.localBecause !== undefined)
      session.warn(`Warning: using the defaults of this plugin, because no dry run is possible: ${change.localBecause}`);
    plans.push(await planOf(session, change, await gates()));
  }
  session.out(textOf(plans, format, session));
  return plans.some(recreatesInPlace) ? recreates : kept;
};
