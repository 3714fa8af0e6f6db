/** The texts of a release, from the sources and from the bundle. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bundle } from '../../build/bundle.ts';
import { shells, type CommonFiles } from './archive-files.ts';
import type { Notice } from './notices.ts';

/**
 * @param folders of npm packages, from the root
 * @throws for a package without the text of its licence
 */
export function libraryNotices(root: string, folders: readonly string[]): readonly Notice[] {
  return folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Omit<Notice, 'text'>;
    const [file] = globSync('LICEN[CS]E*', { cwd: join(root, folder) });
    if (file === undefined) throw new Error(`${folder} is in the plugin, and has no file with its licence`);
    return { name, version, license, text: readFileSync(join(root, folder, file), 'utf8') };
  });
}

/** The licence and the first page of the plugin. */
export const projectTexts = (root: string): Pick<CommonFiles, 'license' | 'readme'> => ({
  license: readFileSync(join(root, 'LICENSE'), 'utf8'),
  readme: readFileSync(join(root, 'apps/kubectl-kruise/README.md'), 'utf8'),
});

/** The completion scripts, as the program prints them. */
export async function completionScripts({ folder }: Pick<Bundle, 'folder'>): Promise<CommonFiles['completions']> {
  const scripts = shells.map(async (shell) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs'), 'completion', shell]);
    return [shell, stdout] as const;
  });
  return Object.fromEntries(await Promise.all(scripts)) as CommonFiles['completions'];
}
