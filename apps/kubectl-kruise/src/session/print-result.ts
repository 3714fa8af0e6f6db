/** Writes what a command did to an object. */
import { readFileSync } from 'node:fs';
import type { Call } from '../cli/command.ts';
import { UserError } from '../cli/failure.ts';
import { dryRunOf, resultText, type DryRun, type Printed } from '../print/print-object.ts';
import type { Session } from './session.ts';

/** The file of a template. */
export function readTemplate(path: string): string {
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

export const printResult = (call: Call, session: Session, printed: Printed): void =>
  session.out(resultText(printed, call.flags, readTemplate));
