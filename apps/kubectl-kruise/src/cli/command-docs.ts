/** One Markdown and one YAML document for each command, with the file names and members of the original's `generate-docs`. */
import type { Command, Flag } from './command.ts';
import { globalFlags, helpFlag } from './flags.ts';
import { usageLine } from './help.ts';

/** A file below the folder of the documentation. */
export interface DocFile {
  readonly path: string;
  readonly text: string;
}

interface Named {
  readonly command: Command;
  /** e.g. `kubectl-kruise rollout status`. */
  readonly path: string;
  readonly parent: Named | undefined;
}

const visible = <T extends { readonly hidden?: boolean }>(items: readonly T[] = []): readonly T[] =>
  items.filter(({ hidden }) => hidden !== true);

const withChildren = (named: Named): readonly Named[] => [named, ...childrenOf(named).flatMap(withChildren)];

const childrenOf = (parent: Named): readonly Named[] =>
  visible(parent.command.commands).map((command) => ({ command, path: `${parent.path} ${command.name}`, parent }));

const fileOf = (path: string): string => path.replaceAll(' ', '_');

const optionLine = ({ name, short, kind, default: value, help }: Flag): string => {
  const spelled = `${short === undefined ? '    ' : `-${short}, `}--${name}${kind === 'bool' ? '' : ` ${kind}`}`;
  const isShown = value !== '' && value !== 'false';
  return `  ${spelled.padEnd(36)} ${help}${isShown ? ` (default ${value})` : ''}\n`;
};

const optionsBlock = (title: string, flags: readonly Flag[]): string =>
  flags.length === 0 ? '' : `### ${title}\n\n\`\`\`\n${flags.map(optionLine).join('')}\`\`\`\n\n`;

const related = (named: Named): readonly Named[] => [...(named.parent === undefined ? [] : [named.parent]), ...childrenOf(named)];

function markdown(named: Named): string {
  const { command, path } = named;
  const examples = command.examples ?? [];
  const links = related(named).map((one) => `* [${one.path}](${fileOf(one.path)}.md)\t - ${one.command.short}\n`);
  return [
    `## ${path}\n\n${command.short}\n\n### Synopsis\n\n${command.long ?? command.short}\n\n`,
    `\`\`\`\n${usageLine(command, path)}\n\`\`\`\n\n`,
    examples.length === 0 ? '' : `### Examples\n\n\`\`\`\n${examples.map((line) => `  ${line}\n`).join('')}\`\`\`\n\n`,
    optionsBlock('Options', [...visible(command.flags), helpFlag]),
    optionsBlock('Options inherited from parent commands', globalFlags),
    links.length === 0 ? '' : `### SEE ALSO\n\n${links.join('')}`,
  ].join('');
}

const optionObject = ({ name, short, default: value, help }: Flag): object => ({
  name,
  ...(short === undefined ? {} : { shorthand: short }),
  ...(value === '' ? {} : { default_value: value }),
  usage: help,
});

const yamlObject = (named: Named): object => ({
  name: named.path,
  synopsis: named.command.short,
  description: named.command.long ?? named.command.short,
  usage: usageLine(named.command, named.path),
  options: [...visible(named.command.flags), helpFlag].map(optionObject),
  inherited_options: globalFlags.map(optionObject),
  ...(named.command.examples === undefined ? {} : { example: named.command.examples.join('\n') }),
  see_also: related(named).map(({ path, command }) => `${path} - ${command.short}`),
});

/** @param yamlText writes an object as YAML */
export const commandDocs = (root: Command, yamlText: (value: object) => string): readonly DocFile[] =>
  withChildren({ command: root, path: root.name, parent: undefined }).flatMap((named) => [
    { path: `${fileOf(named.path)}.md`, text: markdown(named) },
    { path: `yaml/${fileOf(named.path)}.yaml`, text: yamlText(yamlObject(named)) },
  ]);
