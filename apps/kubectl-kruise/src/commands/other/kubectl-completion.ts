/** The program that kubectl asks to complete `kubectl kruise`. kubectl looks for it in the PATH by its name. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Session } from '../../session.ts';

const isWindows = process.platform === 'win32';

const name = isWindows ? 'kubectl_complete-kruise.cmd' : 'kubectl_complete-kruise';
const script = isWindows ? '@kubectl-kruise __complete %*\r\n' : '#!/bin/sh\nexec kubectl-kruise __complete "$@"\n';

/** Names under which Windows and other systems find the plugin. */
const plugins = isWindows ? ['kubectl-kruise.exe', 'kubectl-kruise.cmd'] : ['kubectl-kruise'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const manual = (why: string): string =>
  `kubectl cannot complete kubectl kruise: ${why}. Put an executable file ${name} into a folder of the PATH, with this content:\n${script}`;

/**
 * Writes the program beside the plugin in the PATH, unless the PATH has it already. Krew and other installers link the plugin alone.
 *
 * @returns what was done, or what the user must do
 */
export function installKubectlCompletion({ env }: Pick<Session, 'env'>): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const present = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (present !== undefined) return `kubectl completes kubectl kruise with ${present}\n`;
  const folder = folders.find((one) => plugins.some((plugin) => isExecutable(join(one, plugin))));
  if (folder === undefined) return manual('kubectl-kruise is not in the PATH');
  const path = join(folder, name);
  try {
    writeFileSync(path, script, { mode: 0o755 });
    return `${path} written\nkubectl completes kubectl kruise with it.\n`;
  } catch (error) {
    return manual(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
}
