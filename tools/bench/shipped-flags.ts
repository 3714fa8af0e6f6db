/** What the launcher of the image gives to a program: V8's flags, and the environment of the C library. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const launcher = join(import.meta.dirname, '../../deploy/launcher/launcher.c');

/** @param program as the image calls it, e.g. `kruise-daemon` */
export function shippedFlags(program: string): readonly string[] {
  const [, flags] = new RegExp(`^ *\\{"${program}", [^{]*\\{([^}]*)\\}\\}`, 'm').exec(readFileSync(launcher, 'utf8')) ?? [];
  if (flags === undefined) throw new Error(`deploy/launcher/launcher.c names no flags for ${program}`);
  return [...flags.matchAll(/"([^"]+)"/g)].map(([, flag = '']) => flag);
}

/** The same for every program. */
export const shippedEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(launcher, 'utf8').matchAll(/setenv\("(MALLOC_\w+)", "(\w+)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
