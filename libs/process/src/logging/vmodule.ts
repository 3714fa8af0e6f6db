/** `--vmodule`: verbosity of single loggers. @see spec/manager.md 2.2 */

interface VerbosityRule {
  readonly pattern: RegExp;
  readonly verbosity: number;
}

/** Returns the verbosity of a logger by its name; 0 when no pattern matches. */
export type VerbosityOf = (name: string) => number;

export type ParsedVmodule =
  | { readonly kind: 'Parsed'; readonly verbosityOf: VerbosityOf }
  | { readonly kind: 'Failed'; /** Completes `must be`. */ readonly allowed: string };

const allowed = 'PATTERN=N,... with the name of a logger (* matches any characters, ? matches one) and a verbosity of 0 or more';

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[^*?\w-]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

/** Parses the flag as klog does: the first matching pattern decides, and empty parts between commas are ignored. */
export function parseVmodule(text: string): ParsedVmodule {
  const rules: VerbosityRule[] = [];
  for (const part of text.split(',').filter((part) => part !== '')) {
    const [, glob, verbosity] = /^([^=\s]+)=(\d{1,9})$/.exec(part) ?? [];
    if (glob === undefined || verbosity === undefined) return { kind: 'Failed', allowed };
    rules.push({ pattern: patternOf(glob), verbosity: Number(verbosity) });
  }
  return { kind: 'Parsed', verbosityOf: (name) => rules.find(({ pattern }) => pattern.test(name))?.verbosity ?? 0 };
}
