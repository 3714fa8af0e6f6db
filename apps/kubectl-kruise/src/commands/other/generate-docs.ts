/** `generate-docs`: writes the documentation of all commands into `docs` of the working directory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandDocs } from '../../cli/command-docs.ts';
import type { Run } from '../../cli/command.ts';
import { yamlText } from '../../objects/documents.ts';

const folder = 'docs';

export const run: Run = async ({ root }, session) => {
  const files = commandDocs(root, yamlText);
  for (const { path, text } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  session.out(`${files.length} files written to ${folder}\n`);
  return undefined;
};
