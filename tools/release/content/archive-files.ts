/** Which files an archive has. Pure. */
import type { Platform } from '../platforms.ts';
import { completeBatch, completeScript, generatorBatch, generatorScript, nodeScript } from './scripts.ts';

/** A file of an archive or package. */
export interface ReleaseFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable?: boolean;
}

const text = (path: string, content: string): ReleaseFile => ({ path, content: Buffer.from(content) });
const executable = (path: string, content: Uint8Array | string): ReleaseFile => ({ path, content: Buffer.from(content), executable: true });

/** What every archive has, whatever the platform. */
export interface CommonFiles {
  readonly license: string;
  readonly readme: string;
  /** Of everything that is in the program, Node included. */
  readonly notices: string;
  /** Script by shell. */
  readonly completions: Readonly<Record<Shell, string>>;
}

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

const completionFiles: Readonly<Record<Shell, string>> = {
  bash: 'completions/kubectl-kruise.bash',
  zsh: 'completions/_kubectl-kruise',
  fish: 'completions/kubectl-kruise.fish',
  powershell: 'completions/kubectl-kruise.ps1',
};

const documents = ({ license, readme, notices, completions }: CommonFiles): readonly ReleaseFile[] => [
  text('LICENSE', license),
  text('README.md', readme),
  text('THIRD_PARTY_NOTICES.txt', notices),
  ...shells.map((shell) => text(completionFiles[shell], completions[shell])),
];

/** @returns the name of the file that starts the plugin */
export const programFile = ({ os }: Pick<Platform, 'os'>): string => (os === 'windows' ? 'kubectl-kruise.exe' : 'kubectl-kruise');

/** @param program the single executable, which is both programs */
export const executableFiles = (platform: Platform, program: Uint8Array, common: CommonFiles): readonly ReleaseFile[] => [
  executable(programFile(platform), program),
  platform.os === 'windows'
    ? text('resourcedistributiongenerator.cmd', generatorBatch)
    : executable('resourcedistributiongenerator', generatorScript),
  platform.os === 'windows' ? text('kubectl_complete-kruise.cmd', completeBatch) : executable('kubectl_complete-kruise', completeScript),
  ...documents(common),
];

/**
 * @param node as its project has signed it
 * @param bundle files of the bundle, with the entries `main.mjs`, `kubectl_complete-kruise.mjs` and `resourcedistributiongenerator.mjs`
 */
export const nodeFiles = (node: Uint8Array, bundle: readonly ReleaseFile[], common: CommonFiles): readonly ReleaseFile[] => [
  executable('kubectl-kruise', nodeScript('main.mjs')),
  executable('resourcedistributiongenerator', nodeScript('resourcedistributiongenerator.mjs')),
  executable('kubectl_complete-kruise', completeScript),
  executable('lib/node', node),
  ...bundle.map(({ path, content }) => ({ path: `lib/${path}`, content })),
  ...documents(common),
];
