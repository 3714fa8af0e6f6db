/** `diff`: two revisions of a workload. Exit codes as of kubectl: 0 nothing differs, 1 something does, 2 a failure. */
import { revisionDiff, type ComparedRevision } from '@kruise/insight';
import type { Call, Run } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';
import { drawDiff } from '../../print/draw-diff.ts';
import { indented } from '../../print/print-object.ts';
import { comparedRevisions } from '../../rollout/choose-revisions.ts';
import type { Revision } from '../../rollout/revisions.ts';
import { historyOf } from '../../session/history.ts';
import { hasFiles } from '../../session/read-files.ts';
import { readTarget, selectTargets } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

const [same, different] = [0, 1];

function sideOf({ object, number, template }: Revision): ComparedRevision {
  if (template === undefined) throw new UserError(`revision ${number} contains no Pod template`);
  return { name: object.metadata.name, number, template };
}

async function compare(call: Call, session: Session): Promise<number> {
  const { args, flags } = call;
  const format = flags.text('output');
  if (!['', 'json'].includes(format))
    throw new UserError(`unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json`);
  const nameEnd = args[0]?.includes('/') === true ? 1 : 2;
  const [target] = await selectTargets(call, session, args.slice(0, nameEnd), { selectorFlag: '' });
  if (target === undefined) throw new UserError('name one object, such as clone/web');
  const selected = await readTarget(session, target);
  const words = [...flags.list('revision'), ...args.slice(nameEnd)];
  const { from, to } = comparedRevisions(selected.object, await historyOf(session, selected), words);
  const diff = revisionDiff(selected.object, sideOf(from), sideOf(to));
  const lines = drawDiff(diff, { columns: undefined, color: session.terminal()?.color === true });
  session.out(format === 'json' ? `${indented(diff)}\n` : lines.map((line) => `${line}\n`).join(''));
  return diff.changes.length === 0 ? same : different;
}

/** Files are compared by kubectl. */
export const run: Run = async (call, session) =>
  hasFiles(call.flags) || call.args.length === 0 ? (await session.kubectl(['diff', ...call.raw])).code : compare(call, session);
