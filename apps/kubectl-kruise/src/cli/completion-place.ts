/** Where a shell looks for the completion script of a program, and what else its user must do. */

/** A place, and the text about what is left to do. */
export interface CompletionPlace {
  readonly path: string;
  readonly note: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const given = (value: string | undefined, otherwise: string): string => (value === undefined || value === '' ? otherwise : value);

const homeOf = (env: Environment): string => given(env['HOME'], given(env['USERPROFILE'], '.'));
const dataOf = (env: Environment): string => given(env['XDG_DATA_HOME'], `${homeOf(env)}/.local/share`);
const configOf = (env: Environment): string => given(env['XDG_CONFIG_HOME'], `${homeOf(env)}/.config`);

const places: Readonly<Record<string, (env: Environment) => CompletionPlace>> = {
  bash: (env) => ({
    path: `${given(env['BASH_COMPLETION_USER_DIR'], `${dataOf(env)}/bash-completion`)}/completions/kubectl-kruise`,
    note: 'New shells load it if the package bash-completion is installed.',
  }),
  zsh: (env) => {
    const folder = `${dataOf(env)}/zsh/site-functions`;
    return { path: `${folder}/_kubectl-kruise`, note: `New shells load it if ~/.zshrc has, before compinit: fpath=(${folder} $fpath)` };
  },
  fish: (env) => ({ path: `${configOf(env)}/fish/completions/kubectl-kruise.fish`, note: 'New shells load it.' }),
  powershell: (env) => {
    const path = `${configOf(env)}/powershell/kubectl-kruise.ps1`;
    return { path, note: `New shells load it if $PROFILE has: . ${path}` };
  },
};

/** Returns the place for a shell; undefined for a shell that is not known. */
export const completionPlace = (shell: string, env: Environment): CompletionPlace | undefined =>
  Object.hasOwn(places, shell) ? places[shell]?.(env) : undefined;

/** Returns the name of the shell that the user logs in with; '' when the environment does not say. `pwsh` is `powershell`. */
export function loginShell(env: Environment): string {
  const name = (env['SHELL'] ?? '').split('/').at(-1) ?? '';
  return name === 'pwsh' ? 'powershell' : name;
}
