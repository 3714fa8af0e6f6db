/** The flag `--feature-gates`. */
import { defaultGates, parseGates, type Gates } from '@kruise/api';
import type { Call } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';

/** Returns the gates of the manager; the defaults when the flag is absent. @throws UserError for what is no gate */
export function gatesOf(call: Call): Gates {
  const text = call.flags.text('feature-gates');
  if (text === '') return defaultGates;
  const parsed = parseGates(text);
  if (parsed.kind !== 'Parsed') throw new UserError(`--feature-gates: ${parsed.message}`);
  return parsed.gates;
}
