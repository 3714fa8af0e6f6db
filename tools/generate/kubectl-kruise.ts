/** The reference of the kubectl plugin: every command and flag of its table. */
import type { Command, Flag } from '../../apps/kubectl-kruise/src/cli/command.ts';
import { globalFlags } from '../../apps/kubectl-kruise/src/cli/flags.ts';
import { usageLine } from '../../apps/kubectl-kruise/src/cli/help.ts';
import { rootCommand } from '../../apps/kubectl-kruise/src/commands/table.ts';
import { withMarkdownOrigin, type Generator } from './generator.ts';

const page = 'docs/reference/kubectl-kruise.md';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

const flagRow = (flag: Flag): string => {
  const short = flag.short === undefined ? '' : `\`-${flag.short}\`, `;
  const value = flag.default === '' ? '' : `\`${flag.default}\``;
  return `| ${short}\`--${flag.name}\` | ${value} | ${cell(flag.help)} |\n`;
};

const flagTable = (flags: readonly Flag[]): string => {
  const shown = flags.filter(({ hidden }) => hidden !== true);
  return shown.length === 0 ? '' : `\n| flag | default | what it does |\n| --- | --- | --- |\n${shown.map(flagRow).join('')}`;
};

function commandText(command: Command, path: string): string {
  const { examples = [], aliases = [], commands = [] } = command;
  const how = command.passThrough === true || command.kubectl !== undefined ? '\nkubectl runs this command, with all of its flags.\n' : '';
  const parts = [
    `\n## ${path}\n\n${command.short}.\n`,
    commands.length > 0 && command.kubectl === undefined ? '' : `\n\`\`\`sh\n${usageLine({ usage: command.usage }, path)}\n\`\`\`\n`,
    aliases.length === 0 ? '' : `\nAliases: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.\n`,
    how,
    examples.length === 0 ? '' : `\n\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`,
    flagTable(command.flags ?? []),
  ];
  return parts.join('') + textOf(commands, path);
}

const textOf = (commands: readonly Command[], path: string): string =>
  commands
    .filter(({ hidden }) => hidden !== true)
    .map((command) => commandText(command, `${path} ${command.name}`))
    .join('');

const introduction = `# kubectl-kruise

Every command and flag of the kubectl plugin. [The guide](../kubectl-kruise.md) shows how to install and use it.
`;

/** The page as it is committed. */
export const pluginReferenceGenerator: Generator = {
  name: 'reference of the kubectl plugin',
  folders: [],
  pages: [page],
  files: () => [
    {
      path: page,
      content: withMarkdownOrigin(
        'apps/kubectl-kruise/src/commands/table.ts',
        `${introduction}${textOf(rootCommand.commands ?? [], 'kubectl-kruise')}\n## Flags of all commands\n${flagTable(globalFlags)}`,
      ),
    },
  ],
};
