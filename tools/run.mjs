// Runs one of the project's TypeScript programs with the pinned Node, after bringing node_modules up to date.
// Plain JavaScript on purpose: it is the only file that has to run on whatever Node (18 or newer) a fresh machine has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed-lock');

/** Installs the locked dependencies unless those of this very lock file are installed already. */
function ensureDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing dependencies (npm ci)…');
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (install.status !== 0) {
    console.error('npm ci failed; nothing was run. Its output above says why.');
    process.exit(install.status ?? 1);
  }
  writeFileSync(stamp, lock);
}

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node tools/run.mjs PROGRAM.ts [ARGUMENT ...]');
  process.exit(2);
}
ensureDependencies();
const node = join(root, 'node_modules', '.bin', 'node');
const run = spawnSync(node, [join(root, program), ...args], { stdio: 'inherit' });
process.exit(run.status ?? 1);
