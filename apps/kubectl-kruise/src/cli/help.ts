/** `--help` of a command, from the table. */
import type { Command, Flag } from './command.ts';
import { globalFlags } from './flags.ts';

const groupOrder = [
  'Basic Commands:',
  'Troubleshooting and Debugging Commands:',
  'CloneSet and Advanced StatefulSet Commands:',
  'Scaledown Commands:',
  'Advanced Commands:',
  'Other Commands:',
] as const;

/** Two columns, the second one aligned; 2 spaces before the first. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}\n`).join('');
}

const visible = <T extends { readonly hidden?: boolean }>(items: readonly T[] | undefined): readonly T[] =>
  (items ?? []).filter(({ hidden }) => hidden !== true);

/** `--name=default:` as kubectl writes it, before the text of the flag. */
function flagText(flag: Flag): string {
  const shown = flag.kind === 'bool' || flag.kind === 'int' || flag.kind === 'duration' ? flag.default : `'${flag.default}'`;
  const value = flag.kind === 'list' || flag.kind === 'texts' ? '[]' : shown;
  return `    ${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.name}=${value}:\n\t${flag.help}\n`;
}

const flagsText = (flags: readonly Flag[]): string => visible(flags).map(flagText).join('\n');

const commandRows = (commands: readonly Command[]): string => columns(commands.map(({ name, short }) => [name, short] as const));

function commandsText({ commands }: Command): string {
  const shown = visible(commands);
  const grouped = groupOrder.filter((heading) => shown.some(({ group }) => group === heading));
  if (grouped.length === 0) return `Available Commands:\n${commandRows(shown)}`;
  return grouped.map((heading) => `${heading}\n${commandRows(shown.filter(({ group }) => group === heading))}`).join('\n');
}

/** The line below `Usage:`. */
export const usageLine = (command: { readonly usage?: string | undefined; readonly commands?: unknown }, path: string): string =>
  command.commands === undefined
    ? `${path}${command.usage === undefined ? '' : ` ${command.usage}`} [options]`
    : `${path} [flags] [options]`;

/** @param path the words of the command, e.g. `kubectl-kruise rollout status` */
export function helpText(command: Command, path: string): string {
  const parts = [`${command.long ?? command.short}\n`];
  const examples = command.examples ?? [];
  if (examples.length > 0) parts.push(`Examples:\n${examples.map((line) => `  ${line}\n`).join('')}`);
  if (command.aliases !== undefined) parts.push(`Aliases:\n${[command.name, ...command.aliases].join(', ')}\n`);
  if (command.commands !== undefined) parts.push(commandsText(command));
  if (visible(command.flags).length > 0) parts.push(`Options:\n${flagsText(command.flags ?? [])}`);
  parts.push(`Usage:\n  ${usageLine(command, path)}\n`);
  const root = path.split(' ')[0] ?? path;
  if (command.commands !== undefined) parts.push(`Use "${path} <command> --help" for more information about a given command.`);
  parts[parts.length - 1] += `\nUse "${root} options" for a list of global command-line options (applies to all commands).\n`;
  return parts.join('\n');
}

/** The text of `options`. */
export const optionsText = (): string => `The following options can be passed to any command:\n\n${flagsText(globalFlags)}`;
