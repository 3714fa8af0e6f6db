import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binaryPath, skipUnless } from '@kruise/testing';
import { areNodesCached, ensureNode, pinnedNode } from './node/node-package.ts';
import { archiveName, buildPlatform, platforms } from './platforms.ts';
import { release } from './release.ts';

const root = dirname(dirname(import.meta.dirname));
const version = '9.8.7';

/** `npm run nightly` builds every platform. With another value of the variable, that of this machine is built. */
const isWhole = process.env.KRUISE_RELEASE_PLATFORMS === 'all';
const chosen = isWhole ? platforms : platforms.filter(({ nodePackage }) => nodePackage === buildPlatform.nodePackage);
const [linux] = platforms;

function whyNoRelease(): string | undefined {
  if (`${process.platform}-${process.arch}` !== buildPlatform.process) return `needs ${buildPlatform.process}`;
  return areNodesCached(chosen.map(({ nodePackage }) => pinnedNode('plugin', nodePackage)))
    ? undefined
    : 'needs the Node of `npm run release` in the cache';
}

function whyNoKrew(): string | undefined {
  if (!isWhole) return 'runs in `npm run nightly`';
  return existsSync(binaryPath('krew')) ? undefined : 'needs krew in the cache';
}

const reason = whyNoRelease();

skipUnless(
  reason === undefined,
  reason ?? '',
  describe,
)('a release', () => {
  let folder: string;
  let out: string;
  let unpacked: string;

  const build = (to: string): Promise<void> =>
    release({ version, platforms: chosen, baseUrl: 'https://example.com/releases', out: to, root }, () => undefined);
  const unpack = (archive: string, to: string): void => {
    mkdirSync(to);
    execFileSync('tar', ['-xzf', join(out, archive), '-C', to]);
  };
  const run = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] => {
    const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', input: '', env: { ...process.env, ...env } });
    return [stdout, stderr];
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    [out, unpacked] = [join(folder, 'out'), join(folder, 'linux')];
    await build(out);
    unpack(archiveName(linux!, version), unpacked);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is the same bytes when it is built again, and these are the ones of checksums.txt', async () => {
    const again = join(folder, 'again');
    await build(again);
    const sums = readFileSync(join(out, 'checksums.txt'), 'utf8');
    expect(readFileSync(join(again, 'checksums.txt'), 'utf8')).toBe(sums);
    const names = readdirSync(out).filter((name) => name !== 'checksums.txt');
    const digestOf = (name: string): string =>
      createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex');
    expect(sums.trimEnd().split('\n').sort()).toEqual(names.map((name) => `${digestOf(name)}  ${name}`).sort());
  });

  it('has a program that runs without Node, with the version of the release and without warnings', () => {
    const program = join(unpacked, 'kubectl-kruise');
    const env = { PATH: '', NODE_OPTIONS: '--stack-trace-limit=5 --trace-warnings' };
    expect(run(program, ['--help'], env)).toEqual([expect.stringContaining('Usage:\n  kubectl-kruise [flags]'), '']);
    expect(run(program, ['version', '--client'], env)).toEqual([`Client Version: v${version}\n`, '']);
  });

  it('has the generator of kustomize under its own name', () => {
    const [stdout, stderr] = run(join(unpacked, 'resourcedistributiongenerator'), []);
    expect([stdout, stderr]).toEqual(['', 'Error: stdin is not a ResourceList\n']);
  });

  it('has the program that kubectl asks to complete command lines', () => {
    expect(run(join(unpacked, 'kubectl_complete-kruise'), ['rollout', 'sta'])[0]).toMatch(/^status\t/);
  });

  it('has completion scripts, and the licences of Node and of the libraries inside', () => {
    expect(readdirSync(join(unpacked, 'completions')).sort()).toEqual([
      '_kubectl-kruise',
      'kubectl-kruise.bash',
      'kubectl-kruise.fish',
      'kubectl-kruise.ps1',
    ]);
    const notices = readFileSync(join(unpacked, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    expect(notices).toMatch(/^- yaml [\d.]+: ISC\n- Node\.js [\d.]+: MIT$/m);
    expect(notices).toContain('Eemeli Aro');
    expect(notices).toContain('Copyright Node.js contributors');
  });

  it('has a package that npm installs without the network', () => {
    const archive = join(out, `kubectl-kruise-${version}.tgz`);
    expect(statSync(archive).size).toBeLessThan(350_000);
    const prefix = join(folder, 'npm');
    execFileSync('npm', ['install', '--global', '--offline', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix, archive]);
    const program = join(prefix, 'bin/kubectl-kruise');
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    expect(run(program, ['version', '--client'], { PATH: path })).toEqual([`Client Version: v${version}\n`, '']);
    expect(run(join(prefix, 'bin/kubectl_complete-kruise'), ['rollout', 'sta'], { PATH: path })[0]).toMatch(/^status\t/);
    expect(existsSync(join(prefix, 'bin/resourcedistributiongenerator'))).toBe(true);
  });

  it('has a bill of materials of the archives with the Node and the libraries in them', () => {
    const bom = readFileSync(join(out, `kubectl-kruise_${version}.cdx.json`), 'utf8');
    const { components } = JSON.parse(bom) as { readonly components: readonly { readonly type: string; readonly name: string }[] };
    const named = (type: string): readonly string[] => components.filter((one) => one.type === type).map(({ name }) => name);
    expect(named('file')).toEqual([`/kubectl-kruise-${version}.tgz`, ...chosen.map((one) => `/${archiveName(one, version)}`).sort()]);
    expect(named('library')).toEqual([...chosen.map(({ nodePackage }) => pinnedNode('plugin', nodePackage)), 'yaml'].sort());
  });

  skipUnless(
    isWhole,
    'runs in `npm run nightly`',
    it,
  )('leaves the Node of macOS as its project has signed it', async () => {
    for (const platform of platforms.filter(({ os }) => os === 'darwin')) {
      const to = join(folder, platform.arch);
      unpack(archiveName(platform, version), to);
      const original = readFileSync(await ensureNode(pinnedNode('plugin', platform.nodePackage)));
      expect(readFileSync(join(to, 'lib/node')).equals(original)).toBe(true);
    }
  });

  const noKrew = whyNoKrew();
  const targets = [
    ...platforms.map(({ os, arch }) => ({ os, arch, from: arch })),
    { os: 'windows', arch: 'arm64', from: 'amd64' } as const,
  ];
  for (const { os, arch, from } of targets) {
    skipUnless(
      noKrew === undefined,
      noKrew ?? '',
      it,
    )(`is installed by krew on ${os}/${arch}`, () => {
      const home = mkdtempSync(join(folder, 'krew-'));
      const platform = platforms.find((one) => one.os === os && one.arch === from)!;
      const env = { ...process.env, KREW_ROOT: home, KREW_OS: os, KREW_ARCH: arch, KREW_NO_UPGRADE_CHECK: '1' };
      const archive = join(out, archiveName(platform, version));
      execFileSync(binaryPath('krew'), ['install', `--manifest=${join(out, 'kruise.yaml')}`, `--archive=${archive}`], {
        env,
        stdio: 'pipe',
      });
      const program = join(home, 'bin', os === 'windows' ? 'kubectl-kruise.exe' : 'kubectl-kruise');
      expect(statSync(program).mode & 0o111).not.toBe(0);
      if (platform === linux) expect(run(program, ['version', '--client'])).toEqual([`Client Version: v${version}\n`, '']);
      rmSync(home, { recursive: true, force: true });
    });
  }
});
