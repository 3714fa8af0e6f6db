/** `why`: what prevents an object from making progress. Exit codes: 0 nothing, 1 a cause, 2 unknown. */
import { explain, whyReads, type Cause, type Verdict } from '@kruise/insight';
import type { Run } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { plainText } from '../print/display-width.ts';
import { missingText, ObjectSet } from '../session/object-set.ts';
import { readTarget, selectTargets } from '../session/select-objects.ts';

const [sound, stuck, cannotTell] = [0, 1, 2];

function causeText({ reason, message, next, evidence }: Cause): string {
  const seen = evidence.map(
    ({ object, field, text, time }) =>
      `  seen in: ${plainText(`${object}, ${field}${time === undefined ? '' : ` since ${time}`}: ${text}`)}\n`,
  );
  return `${reason}: ${plainText(message)}\n${seen.join('')}  next: ${plainText(next)}\n`;
}

function verdictText(verdict: Verdict): string {
  if (verdict.kind !== 'Stuck') return `${verdict.kind}: ${plainText(verdict.message)}\n`;
  const [first, ...rest] = verdict.causes;
  return `${causeText(first)}${rest.length === 0 ? '' : `\nAlso:\n${rest.map(causeText).join('')}`}`;
}

const codeOf = ({ kind }: Verdict, isPartial: boolean): number =>
  kind === 'Stuck' ? stuck : kind === 'Unknown' || isPartial ? cannotTell : sound;

export const run: Run = async (call, session) => {
  const format = call.flags.text('output');
  if (!['', 'json'].includes(format))
    throw new UserError(`unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json`);
  const targets = await selectTargets(call, session, call.args);
  const [first] = targets;
  if (first === undefined || targets.length > 1) throw new UserError('name one object, such as clone/web');
  const objects = new ObjectSet(session, await readTarget(session, first), whyReads);
  await objects.read();
  const { root, missing } = objects;
  if (root === undefined) throw new UserError('object has been deleted');
  const verdict = explain({ root, objects: objects.objects, now: session.clock.now() });
  for (const one of missing) session.warn(`Warning: a cause may be hidden: ${missingText(one)}`);
  session.out(format === 'json' ? `${JSON.stringify({ ...verdict, missing }, undefined, 2)}\n` : verdictText(verdict));
  return codeOf(verdict, missing.length > 0);
};
