/** Commands that print a text: `completion`, `__complete`, `options`, `version`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { serverVersion } from '@kruise/kube';
import { buildInfo } from '../../build-info.ts';
import { UsageError, UserError } from '../../failure.ts';
import type { Run } from '../../cli/command.ts';
import { completionPlace, loginShell } from '../../cli/completion-place.ts';
import { completionRequest, type CompletionRequest } from '../../cli/completion-request.ts';
import { completions, completionScript } from '../../cli/completion-script.ts';
import { optionsText } from '../../cli/help.ts';
import { yamlText } from '../../objects/documents.ts';
import { indented } from '../../print/print-object.ts';
import type { Session } from '../../session.ts';
import { installKubectlCompletion } from './kubectl-completion.ts';

function scriptOf(shell: string): string {
  const script = completionScript(shell);
  if (script === undefined) throw new UserError(`unsupported shell type ${JSON.stringify(shell)}`);
  return script;
}

/** Writes the script to the place where the shell looks for it; a second time changes nothing. */
function install(shell: string, session: Session): undefined {
  if (shell === '') throw new UserError('name the shell: bash, zsh, fish or powershell');
  const script = scriptOf(shell);
  const place = completionPlace(shell, session.env);
  if (place === undefined) throw new UserError(`unsupported shell type ${JSON.stringify(shell)}`);
  const { path, note } = place;
  try {
    if (existsSync(path) && readFileSync(path, 'utf8') === script) session.out(`${path} is up to date\n`);
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, script);
      session.out(`${path} written\n`);
    }
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
  session.out(`${note}\n`);
  session.out(installKubectlCompletion(session));
  return undefined;
}

export const completion: Run = async ({ args, path }, session) => {
  const [shell, ...rest] = args;
  if (shell === undefined) throw new UsageError('shell not specified', path);
  const isInstall = shell === 'install';
  if (rest.length > (isInstall ? 1 : 0)) throw new UsageError('too many arguments. Expected only the shell type', path);
  if (isInstall) return install(rest[0] ?? loginShell(session.env), session);
  session.out(scriptOf(shell));
  return undefined;
};

/** The names of the cluster; none without a kubeconfig or a connection. */
async function namesFor(session: Session, request: CompletionRequest): Promise<readonly string[]> {
  if (request.kind === 'Known') return [];
  const { completedNames } = await import('../../session/complete-names.ts');
  return session.within(request.flags, (opened) => completedNames(opened, request)).catch(() => []);
}

export const complete: Run = async ({ args, root }, session) => {
  for (const line of completions(root, args)) session.out(`${line}\n`);
  for (const name of await namesFor(session, completionRequest(root, args))) session.out(`${name}\n`);
  return undefined;
};

export const options: Run = async (_call, session) => {
  session.out(optionsText());
  return undefined;
};

export const nothing: Run = async () => undefined;

export const version: Run = async ({ flags }, session) => {
  // Before the server is asked: it may not answer.
  if (flags.text('output') === '') session.out(`Client Version: ${buildInfo.gitVersion}\n`);
  const server = flags.bool('client') ? undefined : await serverVersion(session.client(), { signal: session.signal });
  const all = {
    clientVersion: buildInfo,
    ...(server === undefined ? {} : { serverVersion: { ...server, major: String(server.major), minor: String(server.minor) } }),
  };
  switch (flags.text('output')) {
    case '':
      if (server !== undefined) session.out(`Server Version: ${server.gitVersion}\n`);
      return undefined;
    case 'json':
      session.out(`${indented(all)}\n`);
      return undefined;
    case 'yaml':
      session.out(yamlText(all));
      return undefined;
    default:
      throw new UserError("--output must be 'yaml' or 'json'");
  }
};
