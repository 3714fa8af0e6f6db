// Runs one of the project's TypeScript programs with the pinned Node, after bringing node_modules up to date.
// Plain JavaScript on purpose: it is the only file that has to run on whatever Node (18 or newer) a fresh machine has.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = 18;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, 'node_modules', '.bin', 'node');
const stamp = join(root, 'node_modules', '.installed-lock');

/**
 * On a machine that has no programs for a cluster yet, lets Go download their modules while npm installs, as both wait for the network. Compiling waits
 * until it is known that no release can be downloaded. Never fails: without Go or the network, the program that needs them reports it later.
 */
function downloadModules() {
  const cache = process.env.KRUISE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kruise');
  if (existsSync(join(cache, 'binaries'))) return;
  const cwd = join(root, 'tools/cluster/binaries/control-plane');
  const go = spawn('go', ['mod', 'download'], { cwd, stdio: 'ignore', detached: true });
  go.on('error', () => undefined);
  go.unref();
}

/** Installs the locked dependencies unless those of this very lock file are installed already. */
function ensureDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing dependencies (npm ci), about half a minute…');
  downloadModules();
  // Errors only: npm compares what packages ask for with the Node that it runs with itself, and they run with ours.
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (install.status !== 0) {
    console.error('npm ci failed; nothing was run. Its output above says why.');
    process.exit(install.status ?? 1);
  }
  checkInstalledNode();
  writeFileSync(stamp, lock);
}

/** Its package brings the binary with an install script, which npm may have been told not to run. */
function checkInstalledNode() {
  const wanted = `v${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node}`;
  const found = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() || 'nothing';
  if (found === wanted) return;
  console.error(`node_modules/.bin/node is to be Node ${wanted}, and is ${found}: does npm run install scripts (ignore-scripts)?`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  console.error(`This takes Node ${oldestNode} or newer to begin with, and this is ${process.version}.`);
  process.exit(1);
}
const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node tools/run.mjs PROGRAM.ts [ARGUMENT ...]');
  process.exit(2);
}
ensureDependencies();
const run = spawnSync(node, [join(root, program), ...args], { stdio: 'inherit' });
process.exit(run.status ?? 1);
