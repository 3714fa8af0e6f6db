/** What shells need to complete command lines: a script that asks the program itself. */
import type { Command } from './command.ts';
import { flagsOf } from './parse-arguments.ts';

const program = 'kubectl-kruise';

const bash = `# bash completion for ${program}
__kubectl_kruise() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${program} __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F __kubectl_kruise ${program}
`;

const zsh = `#compdef ${program}
_kubectl_kruise() {
  local -a found
  found=("\${(@f)$(${program} __complete "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  _describe '${program}' found
}
# As a file of fpath it is called to complete; read by source, it only registers.
if [ "\${funcstack[1]}" = "_${program}" ]; then _kubectl_kruise; else compdef _kubectl_kruise ${program}; fi
`;

const fish = `# fish completion for ${program}
complete -c ${program} -f -a '(${program} __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`;

const powershell = `# PowerShell completion for ${program}
Register-ArgumentCompleter -Native -CommandName '${program}' -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  & ${program} __complete @words 2>$null | ForEach-Object {
    $name, $help = $_ -split "\\t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $(if ($help) { $help } else { $name }))
  }
}
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };

/** @returns undefined for a shell that is not known */
export const completionScript = (shell: string): string | undefined => (Object.hasOwn(scripts, shell) ? scripts[shell] : undefined);

const isCalled = ({ name, aliases = [] }: Command, word: string): boolean => name === word || aliases.includes(word);

/**
 * The words that can follow, with their help after a tab.
 *
 * @param words of the command line without the program; the last one is being typed and may be ''
 */
export function completions(root: Command, words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? '';
  let command = root;
  for (const word of words.slice(0, -1)) command = command.commands?.find((one) => isCalled(one, word)) ?? command;
  const shown = (item: { readonly hidden?: boolean }): boolean => item.hidden !== true;
  if (typed.startsWith('-'))
    return flagsOf(command)
      .filter((flag) => shown(flag) && `--${flag.name}`.startsWith(typed))
      .map(({ name, help }) => `--${name}\t${help}`);
  return (command.commands ?? []).filter((one) => shown(one) && one.name.startsWith(typed)).map(({ name, short }) => `${name}\t${short}`);
}
