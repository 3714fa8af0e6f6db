/**
 * Jest's global setup of the integration tests: bundles the programs that tests start as processes, once for the whole run. A bundle starts
 * with a tenth of the CPU time that the TypeScript sources need, and it is what the image contains.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apps } from '../../build/apps.ts';
import { bundle } from '../../build/bundle.ts';
import { root } from '../run-program.ts';

/** Inherited by the workers of Jest. */
const variable = 'KRUISE_TEST_PROGRAMS';

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default async function setup(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-programs-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const app of apps) await bundle(app, root, folder);
  process.env[variable] = folder;
}
