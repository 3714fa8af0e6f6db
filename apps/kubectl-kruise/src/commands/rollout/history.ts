/** `rollout history`. */
import { joined, UserError } from '../../failure.ts';
import type { Call } from '../../cli/command.ts';
import { podTemplateText } from '../../print/pod-template.ts';
import { historyTable, revisionNumbered, templateWithCause, type Revision } from '../../rollout/revisions.ts';
import { historyOf } from '../../session/history.ts';
import { printResult } from '../../session/print-result.ts';
import { forEachTarget, selectTargets } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

const textOf = (revisions: readonly Revision[], number: number): string =>
  number > 0
    ? `with revision #${number}\n${podTemplateText(templateWithCause(revisionNumbered(revisions, number)))}`
    : `\n${historyTable(revisions)}`;

export async function run(call: Call, session: Session): Promise<undefined> {
  const number = call.flags.number('revision');
  if (number < 0) throw new UserError(`revision must be a positive integer: ${number}`);
  const targets = await selectTargets(call, session, call.args, { wholeKind: true });
  const failures = await forEachTarget(session, targets, async (selected) => {
    const operation = textOf(await historyOf(session, selected), number);
    await printResult(call, session, { type: selected.type, object: selected.object, operation });
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
}
