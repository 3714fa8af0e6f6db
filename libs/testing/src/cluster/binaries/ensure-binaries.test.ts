import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findCommand } from '../host/host-commands.ts';
import { eventually } from '../../waiting/eventually.ts';
import { type Progress, silent } from '../progress.ts';
import { type BinaryName } from './catalogue.ts';
import { ensureBinaries } from './ensure-binaries.ts';

let folder: string;
let lines: string[];
let progress: Progress;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-binaries-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['flock', 'lockf', 'sh', 'cat', 'tar']) {
    const path = findCommand(name);
    if (path !== undefined) symlinkSync(path, join(folder, 'bin', name));
  }
  lines = [];
  progress = {
    note: (line) => lines.push(line),
    step: async (title, work) => {
      const result = await work();
      lines.push(title);
      return result;
    },
  };
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
  rmSync(folder, { recursive: true });
});

/** An environment in which only the commands of the test's own folder are found. */
const env = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  KRUISE_CACHE: join(folder, 'cache'),
  PATH: join(folder, 'bin'),
  KRUISE_KUBERNETES_RELEASES: 'off',
  KRUISE_ETCD_RELEASES: 'off',
  ...more,
});

/** Installs a `go` that "builds" each package into a file with the package's path, and records how it was called. */
function installGo(): void {
  const script = `#!/bin/sh
[ "$1" = build ] || { echo x; exit 0; }
echo "$*" >>'${join(folder, 'calls')}'
while [ "$1" != -o ]; do shift; done
out=$2; shift 2
for package; do name=\${package%/v3}; name=\${name##*/}; echo "$package" >"$out$name"; echo "$package" >&2; done
`;
  writeFileSync(join(folder, 'bin/go'), script);
  chmodSync(join(folder, 'bin/go'), 0o755);
}

/** Installs commands that "download" a package and "extract" every program of it, and record the downloads. */
function installDebian(): void {
  const commands = {
    'apt-get': `while [ "$1" != download ]; do shift; done; echo "$2" >>'${join(folder, 'calls')}'; echo x >"$2_1_amd64.deb"`,
    'dpkg-deb': 'mkdir -p "$3/usr/bin"; for name in prometheus promtool; do echo "$name of Debian" >"$3/usr/bin/$name"; done',
  };
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  symlinkSync(findCommand('mkdir') ?? '', join(folder, 'bin/mkdir'));
}

async function contentsOf(names: readonly BinaryName[], more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const paths = await ensureBinaries(names, progress, env(more));
  return names.map((name) => readFileSync(paths[name], 'utf8').trim());
}

it('builds all programs of a module together, and only the first time', async () => {
  installGo();
  const names = ['etcd', 'kube-apiserver', 'kubelet'] as const;
  const built = ['go.etcd.io/etcd/server/v3', 'k8s.io/kubernetes/cmd/kube-apiserver', 'k8s.io/kubernetes/cmd/kubelet'];
  expect(await contentsOf(names)).toEqual(built);
  expect(await contentsOf(names)).toEqual(built);
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls).toHaveLength(1);
  expect(calls[0]).toContain('-X k8s.io/component-base/version.gitVersion=v1.34');
});

it('ends a build with the signal and leaves nothing of it', async () => {
  const pid = join(folder, 'pid');
  const script = `#!/bin/sh\n[ "$1" = build ] || { echo x; exit 0; }\necho $$ >'${pid}'\nexec cat /dev/zero >/dev/null\n`;
  writeFileSync(join(folder, 'bin/go'), script, { mode: 0o755 });
  const stop = new AbortController();
  const built = ensureBinaries(['etcd'], progress, env(), stop.signal);
  const ended = expect(built).rejects.toThrow('aborted');
  await eventually(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'));
  stop.abort();
  await ended;
  expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
  const [module] = readdirSync(join(folder, 'cache/binaries')).filter((name) => !name.startsWith('.'));
  expect(readdirSync(join(folder, 'cache/binaries', module!))).toEqual([]);
});

it('builds what a release lacks, and reports why', async () => {
  installGo();
  server = createServer((_request, response) => void response.writeHead(200).end('no archive')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await contentsOf(['etcd'], { KRUISE_ETCD_RELEASES: base })).toEqual(['go.etcd.io/etcd/server/v3']);
  expect(lines.join('\n')).toMatch(/the release cannot be used: http:\/\/127\.0\.0\.1:\d+\/v3\.\d+\.\d+\/etcd-v\S+: its sha256 digest is/);
});

it('takes Prometheus and promtool from one download of their package of Debian', async () => {
  installDebian();
  const names = ['prometheus', 'promtool'] as const;
  expect(await contentsOf(names)).toEqual(['prometheus of Debian', 'promtool of Debian']);
  expect(await contentsOf(names)).toEqual(['prometheus of Debian', 'promtool of Debian']);
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('prometheus\n');
});

it('builds Prometheus where no package of Debian can be fetched, and reports why', async () => {
  installGo();
  expect(await contentsOf(['promtool'])).toEqual(['github.com/prometheus/prometheus/cmd/promtool']);
  expect(lines.join('\n')).toContain('the package prometheus of Debian cannot be used: ');
});

it('uses what KUBEBUILDER_ASSETS provides', async () => {
  const provided = join(folder, 'bin', 'etcd');
  writeFileSync(provided, '');
  chmodSync(provided, 0o755);
  expect(await ensureBinaries(['etcd'], silent, env({ KUBEBUILDER_ASSETS: join(folder, 'bin') }))).toEqual({ etcd: provided });
});

it('reports what to install when no way to get a program works', async () => {
  const message = /^etcd 1\.34\.\d+ is not in the cache .* install Go 1\.24 or newer, or set KUBEBUILDER_ASSETS to a folder with/;
  await expect(ensureBinaries(['etcd'], silent, env())).rejects.toThrow(message);
});
