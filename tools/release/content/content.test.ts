import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { platforms } from '../platforms.ts';
import { executableFiles, nodeFiles, type ReleaseFile } from './archive-files.ts';
import { krewManifest } from './krew-manifest.ts';
import { noticesText } from './notices.ts';
import { npmFiles } from './npm-package.ts';

const common = {
  license: 'Apache',
  readme: '# Readme',
  notices: 'notices',
  completions: { bash: 'b', zsh: 'z', fish: 'f', powershell: 'p' },
};
const bundle = ['main.mjs', 'kubectl_complete-kruise.mjs', 'resourcedistributiongenerator.mjs', 'chunk-A.mjs'].map((path) => ({
  path,
  content: Buffer.from(path),
}));
const documents = [
  'LICENSE',
  'README.md',
  'THIRD_PARTY_NOTICES.txt',
  'completions/kubectl-kruise.bash',
  'completions/_kubectl-kruise',
  'completions/kubectl-kruise.fish',
  'completions/kubectl-kruise.ps1',
];
const pathsOf = (files: readonly ReleaseFile[]): readonly string[] => files.map(({ path, executable }) => (executable ? `${path}*` : path));
const [linux, , , , windows] = platforms;

describe('the files of a release', () => {
  it('of linux are the executable, its other name and the documents', () => {
    const files = executableFiles(linux!, Buffer.from('elf'), common);
    expect(pathsOf(files)).toEqual(['kubectl-kruise*', 'resourcedistributiongenerator*', 'kubectl_complete-kruise*', ...documents]);
  });

  it('of Windows have the endings that Windows runs', () => {
    const files = executableFiles(windows!, Buffer.from('exe'), common);
    expect(pathsOf(files)).toEqual([
      'kubectl-kruise.exe*',
      'resourcedistributiongenerator.cmd',
      'kubectl_complete-kruise.cmd',
      ...documents,
    ]);
  });

  it('of macOS are Node, the bundle and scripts', () => {
    expect(pathsOf(nodeFiles(Buffer.from('node'), bundle, common))).toEqual([
      'kubectl-kruise*',
      'resourcedistributiongenerator*',
      'kubectl_complete-kruise*',
      'lib/node*',
      'lib/main.mjs',
      'lib/kubectl_complete-kruise.mjs',
      'lib/resourcedistributiongenerator.mjs',
      'lib/chunk-A.mjs',
      ...documents,
    ]);
  });

  it('of npm have a manifest whose programs are files of the package', () => {
    const files = npmFiles('1.2.3', bundle, common);
    const manifest = JSON.parse(Buffer.from(files[0]!.content).toString()) as { readonly version: string; readonly bin: object };
    expect(manifest.version).toBe('1.2.3');
    expect(Object.keys(manifest.bin)).toEqual(['kubectl-kruise', 'kubectl_complete-kruise', 'resourcedistributiongenerator']);
    expect(pathsOf(files)).toEqual([
      ...['package.json', 'LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.txt'].map((path) => `package/${path}`),
      ...Object.values(manifest.bin as Record<string, string>).map((path) => `package/${path}*`),
      'package/chunk-A.mjs',
    ]);
  });
});

describe('the manifest for Krew', () => {
  it('serves six platforms, Windows on arm64 with the archive of amd64', () => {
    const archives = platforms.map((platform, index) => ({ platform, sha256: String(index) }));
    const { spec } = parse(krewManifest('1.2.3', 'https://example.com/v1.2.3', archives)) as {
      readonly spec: { readonly version: string; readonly platforms: readonly Record<string, unknown>[] };
    };
    expect(spec.version).toBe('v1.2.3');
    const summary = spec.platforms.map(({ selector, sha256, bin }) => [
      ...Object.values((selector as { matchLabels: Record<string, string> }).matchLabels),
      sha256,
      bin,
    ]);
    expect(summary).toEqual([
      ['linux', 'amd64', '0', 'kubectl-kruise'],
      ['linux', 'arm64', '1', 'kubectl-kruise'],
      ['darwin', 'amd64', '2', 'kubectl-kruise'],
      ['darwin', 'arm64', '3', 'kubectl-kruise'],
      ['windows', 'amd64', '4', 'kubectl-kruise.exe'],
      ['windows', 'arm64', '4', 'kubectl-kruise.exe'],
    ]);
    expect(spec.platforms[0]?.['uri']).toBe('https://example.com/v1.2.3/kubectl-kruise_1.2.3_linux_amd64.tar.gz');
  });
});

it('the notices list every component before their licences', () => {
  const text = noticesText([
    { name: 'yaml', version: '2.9.1', license: 'ISC', text: 'Copyright A\n\n' },
    { name: 'Node.js', version: '26.10.0', license: 'MIT', text: 'Copyright B' },
  ]);
  const line = '='.repeat(80);
  expect(text).toBe(
    'kubectl-kruise contains the following third-party software.\n\n- yaml 2.9.1: ISC\n- Node.js 26.10.0: MIT\n\n' +
      `${line}\nyaml 2.9.1\n${line}\n\nCopyright A\n\n${line}\nNode.js 26.10.0\n${line}\n\nCopyright B\n`,
  );
});
