/** `npm run release -- kubectl-kruise`: builds what users of the plugin install, into `dist/release`. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runMain } from '../tasks/run-program.ts';
import { parseOptions, usage, type Options } from './arguments.ts';
import { release } from './release.ts';

const root = dirname(dirname(import.meta.dirname));

const versionOf = (file: string): string => (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;

async function run({ version, platforms, baseUrl, out }: Options): Promise<void> {
  const folder = resolve(out ?? join(root, 'dist/release'));
  const plan = { version: version ?? versionOf(join(root, 'package.json')), platforms, baseUrl, out: folder, root };
  await release(plan, ({ name, sizeBytes }) => console.log(`${(sizeBytes / 1e6).toFixed(2).padStart(8)} MB  ${name}`));
  console.log(`written to ${folder}, with checksums.txt`);
  if (baseUrl === undefined) console.error('kruise.yaml was not written: --base-url names where the archives will be published');
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options.help) console.log(usage);
  else await run(options);
  return 0;
}

await runMain(main);
