#!/usr/bin/env node
/** Entry point of resourcedistributiongenerator: an exec plugin of kustomize, which reads a ResourceList on stdin and writes one. */
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { UserError } from './failure.ts';
import { generate } from './generator/generate.ts';

/** A configuration may name files below the working directory only, also by links. */
function readFile(path: string): Uint8Array {
  try {
    const root = realpathSync('.');
    const real = realpathSync(resolve(root, path));
    const way = relative(root, real);
    if (way.split(/[/\\]/, 1)[0] === '..' || isAbsolute(way)) throw new UserError(`security; file '${path}' is not in or below '${root}'`);
    return readFileSync(real);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read file ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
}

try {
  process.stdout.write(generate(readFileSync(0, 'utf8'), { readFile, env: process.env }));
} catch (error) {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
