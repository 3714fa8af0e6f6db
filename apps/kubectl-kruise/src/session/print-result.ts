/** Writes what a command did to an object. */
import { readFileSync } from 'node:fs';
import { apiVersionOf, stringifyLossless } from '@kruise/objects';
import type { Call } from '../cli/command.ts';
import { Exit, UserError } from '../failure.ts';
import { dryRunOf, goTemplateArguments, resultText, withoutManagedFields, type DryRun, type Printed } from '../print/print-object.ts';
import type { Session } from '../session.ts';

/** The file of a template. */
function readTemplate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`error reading template ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
}

/** What `--dry-run` says; a deprecated spelling is reported. */
export function dryRun(call: Call, session: Session): DryRun {
  const { dryRun: value, warning } = dryRunOf(call.flags);
  if (warning !== undefined) session.warn(warning);
  return value;
}

/** @throws Exit with the code of kubectl when it cannot execute a template */
export async function printResult(call: Call, session: Session, printed: Printed): Promise<void> {
  const words = goTemplateArguments(call.flags);
  if (words === undefined) {
    session.out(resultText(printed, call.flags, readTemplate));
    return;
  }
  const { type, object } = printed;
  const whole = {
    ...withoutManagedFields(object, call.flags),
    apiVersion: object.apiVersion ?? apiVersionOf(type),
    kind: object.kind ?? type.kind,
  };
  const { code, stdout } = await session.kubectl(words, { capture: true, input: stringifyLossless(whole) });
  session.out(stdout);
  if (code !== 0) throw new Exit(code);
}
