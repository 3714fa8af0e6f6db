/** What the launcher of the image passes to a program: Node's flags, and the environment of the C library. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const launcher = join(import.meta.dirname, '../../../../deploy/launcher/launcher.c');

/** Returns the strings in a list of C, with macros of strings expanded. */
function textsIn(list: string, macros: ReadonlyMap<string, string>): readonly string[] {
  return [...list.matchAll(/"([^"]+)"|([A-Z_]+)/g)].flatMap(([, text, macro]) =>
    text === undefined ? textsIn(macros.get(macro ?? '') ?? '', macros) : [text],
  );
}

/** Returns whether the launcher allows the program to run others because of this argument. */
const namesPlugins = (argument: string): boolean => /^--?plugin-config-file/.test(argument);

/**
 * Returns the flags of a program, without the one that depends on the memory of the container.
 *
 * @param program as the image calls it, e.g. `kruise-daemon`
 * @param args of the program. A `--kubeconfig`, which every test has and an installation has not, is ignored.
 */
export function shippedFlags(program: string, args: readonly string[] = []): readonly string[] {
  const source = readFileSync(launcher, 'utf8');
  const [, flags] = new RegExp(`^ *\\{"${program}", [^{]*\\{([^}]*)\\}\\}`, 'm').exec(source) ?? [];
  if (flags === undefined) throw new Error(`deploy/launcher/launcher.c names no flags for ${program}`);
  const macros = new Map([...source.matchAll(/^ *#define ([A-Z_]+) (".*")/gm)].map(([, name = '', texts = '']) => [name, texts]));
  return [...textsIn(flags, macros), ...(args.some(namesPlugins) ? textsIn('MAY_RUN_PROGRAMS', macros) : [])];
}

/** Returns the environment, which is the same for every program. */
export const shippedEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(launcher, 'utf8').matchAll(/setenv\("(MALLOC_\w+)", "(\w+)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
