/**
 * Module hooks of the process that tries mutants: projects are taken from the sandbox (`node_modules` leads to the originals), `@jest/globals` and
 * `fast-check` are replaced, and a generation in the URL makes everything in the sandbox load again, which mutants of module scope need.
 */
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const here = pathToFileURL(import.meta.dirname).href;
const root = pathToFileURL(dirname(dirname(import.meta.dirname))).href;
/** Stryker's process changes into it after this file is loaded. */
const sandboxUrl = (): string => `${pathToFileURL(process.cwd()).href}/`;

let generation = 0;

/** Every module that is imported from now on is loaded again. */
export const newGeneration = (): number => ++generation;

const replaced: ReadonlyMap<string, string> = new Map([
  ['@jest/globals', `${here}/jest-globals.ts`],
  ['fast-check', `${here}/quick-fast-check.ts`],
]);

function inSandbox(url: string): string {
  const sandbox = sandboxUrl();
  const isOurs = url.startsWith(`${root}/`) && !url.startsWith(sandbox) && !url.includes('/node_modules/');
  return isOurs ? `${sandbox}${url.slice(root.length + 1)}` : url;
}

registerHooks({
  resolve(specifier, context, next) {
    const fromHere = context.parentURL?.startsWith(`${here}/`) ?? false;
    const other = fromHere ? undefined : replaced.get(specifier);
    if (other !== undefined) return { url: other, shortCircuit: true };
    const found = next(specifier, context);
    if (found.url.startsWith(`${here}/`) || found.url.startsWith('node:')) return found;
    const url = inSandbox(found.url);
    return { ...found, url: generation > 0 && url.startsWith(sandboxUrl()) ? `${url}?generation=${generation}` : url };
  },
});
