/** What a shell asks to complete: words that the table knows, or names that the cluster knows. */
import type { Command, Flag } from './command.ts';
import type { FlagValues } from '../flag-values.ts';
import { flagsOf, parseArguments } from './parse-arguments.ts';

/** What is asked of the cluster. `typed` is what the answer starts with; `before` precedes each name that is printed. */
export type CompletionRequest =
  | { readonly kind: 'Known' }
  | { readonly kind: 'Types'; readonly typed: string; readonly flags: FlagValues }
  | { readonly kind: 'Namespaces'; readonly typed: string; readonly flags: FlagValues }
  | { readonly kind: 'Names'; readonly type: string; readonly typed: string; readonly before: string; readonly flags: FlagValues };

/** Which objects the arguments of a command name, by its usage line. */
function argumentsOf({ usage = '', commands }: Command): 'any' | 'pods' | 'clonesets' | undefined {
  if (commands !== undefined) return undefined;
  if (/\bCLONESET\b/.test(usage)) return 'clonesets';
  if (/\bPOD\b/.test(usage)) return 'pods';
  return /\b(TYPE|RESOURCE|KIND)\b/.test(usage) ? 'any' : undefined;
}

/** The flag that waits for its value at the end of the words. */
function openFlag(flags: readonly Flag[], word: string | undefined): Flag | undefined {
  if (word === undefined || !word.startsWith('-') || word.includes('=')) return undefined;
  const flag = flags.find(({ name, short }) => `--${name}` === word || (short !== undefined && `-${short}` === word));
  return flag?.kind === 'bool' || flag?.bare !== undefined ? undefined : flag;
}

/**
 * @param words of the command line without the program; the last one is being typed and may be ''
 */
export function completionRequest(root: Command, words: readonly string[]): CompletionRequest {
  const known = { kind: 'Known' } as const;
  const [typed, complete] = [words.at(-1) ?? '', words.slice(0, -1)];
  if (typed.startsWith('-') || complete.includes('--')) return known;
  const open = openFlag(flagsOf(root), complete.at(-1));
  const parsed = parseArguments(root, open === undefined ? complete : complete.slice(0, -1));
  if (parsed.kind !== 'Call') return known;
  const { command, args, flags } = parsed;
  if (command.passThrough === true || command.kubectl !== undefined) return known;
  if (open !== undefined) return open.name === 'namespace' ? { kind: 'Namespaces', typed, flags } : known;
  if (openFlag(flagsOf(command), complete.at(-1)) !== undefined) return known;
  const objects = argumentsOf(command);
  if (objects === undefined) return known;
  return objectRequest({ typed, args, flags, objects });
}

interface Positional {
  readonly typed: string;
  readonly args: readonly string[];
  readonly flags: FlagValues;
  readonly objects: 'any' | 'pods' | 'clonesets';
}

function objectRequest({ typed, args, flags, objects }: Positional): CompletionRequest {
  const slash = typed.indexOf('/');
  if (slash > 0) {
    const type = typed.slice(0, slash);
    return { kind: 'Names', type, typed: typed.slice(slash + 1), before: `${type}/`, flags };
  }
  const [first] = args;
  if (first !== undefined && first.includes('/')) return { kind: 'Known' };
  if (objects !== 'any') return first === undefined ? { kind: 'Names', type: objects, typed, before: '', flags } : { kind: 'Known' };
  return first === undefined ? { kind: 'Types', typed, flags } : { kind: 'Names', type: first, typed, before: '', flags };
}
