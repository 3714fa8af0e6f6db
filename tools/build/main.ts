/** `npm run build [-- APP ...]`: bundles the apps into `dist/<app>`, and writes the bill of materials of these into `dist/sbom.cdx.json`. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runMain } from '../tasks/run-program.ts';
import { chooseApps, isWritten } from './apps.ts';
import { bundle } from './bundle.ts';
import { materialsOf, productOf, sbomOf, type Material } from './sbom.ts';

const root = dirname(dirname(import.meta.dirname));

async function main(): Promise<number> {
  const choice = chooseApps(process.argv.slice(2), (app) => isWritten(app, root));
  if (choice.kind === 'Wrong') {
    console.error(`${choice.message}\nusage: npm run build [-- manager|daemon|helm-hook|state-metrics|kubectl-kruise|all ...]`);
    return 2;
  }
  for (const name of choice.absent) console.error(`${name}: not built, it has no entry point`);
  const materials: Material[] = [];
  for (const app of choice.apps) {
    const started = performance.now();
    const built = await bundle(app, root);
    materials.push(...materialsOf(built, `app/${app.name}`));
    const { files, sizeBytes, packages } = built;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `dist/${app.name}: ${files} files, ${Math.ceil(sizeBytes / 1024)} KiB, in ${seconds} s; with ${packages.join(', ') || 'no package'}`,
    );
  }
  writeFileSync(join(root, 'dist/sbom.cdx.json'), sbomOf(materials, productOf(root)));
  return 0;
}

await runMain(main);
