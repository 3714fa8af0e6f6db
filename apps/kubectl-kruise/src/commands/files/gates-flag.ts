/** The flag `--feature-gates`. */
import { parseGates, type Gates } from '@kruise/api';
import type { Call } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';

/** Returns the gates that the flag names; undefined when it is absent. @throws UserError for what is no gate */
export function gatesOf(call: Call): Gates | undefined {
  const text = call.flags.text('feature-gates');
  if (text === '') return undefined;
  const parsed = parseGates(text);
  if (parsed.kind !== 'Parsed') throw new UserError(`--feature-gates: ${parsed.message}`);
  return parsed.gates;
}
