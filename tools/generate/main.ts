/** `npm run generate [-- --check]`: writes all generated files again, or with --check fails when that would change one. */
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReferenceGenerator } from './reference/api-reference.ts';
import { apply, differences } from './apply.ts';
import { argocdGenerator } from './argocd/argocd.ts';
import { benchmarksGenerator } from './benchmarks.ts';
import { crdGenerator } from './chart/crds.ts';
import { criSchemaGenerator } from './cri-schema.ts';
import { featureGateGenerator } from './reference/feature-gates.ts';
import type { Generator } from './generator.ts';
import { pluginReferenceGenerator } from './kubectl-kruise.ts';
import { limitsGenerator } from './chart/limits.ts';
import { lintFindingsGenerator } from './lint-findings.ts';
import { manifestGenerator } from './manifests.ts';
import { monitoringGenerator } from './monitoring/generator.ts';
import { rbacGenerator } from './chart/rbac.ts';
import { stateMetricsGenerator } from './chart/state-metrics.ts';
import { toolSchemaGenerator } from './tool-schemas.ts';
import { valuesReferenceGenerator } from './reference/values-reference.ts';
import { webhookGenerator } from './chart/webhooks.ts';

/** Everything that is generated and committed. */
const generators: readonly Generator[] = [
  crdGenerator,
  webhookGenerator,
  rbacGenerator,
  featureGateGenerator,
  manifestGenerator,
  monitoringGenerator,
  apiReferenceGenerator,
  valuesReferenceGenerator,
  criSchemaGenerator,
  limitsGenerator,
  stateMetricsGenerator,
  pluginReferenceGenerator,
  lintFindingsGenerator,
  argocdGenerator,
  toolSchemaGenerator,
  benchmarksGenerator,
];

const root = dirname(dirname(import.meta.dirname));
const usage = 'usage: npm run generate [-- --check]';

function parseCommandLine(): { readonly check: boolean } | undefined {
  try {
    return { check: parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check };
  } catch {
    return undefined;
  }
}

function main(): number {
  const options = parseCommandLine();
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  if (!options.check) {
    const changed = apply(root, generators);
    for (const { kind, path } of changed) console.log(`${kind === 'stale' ? 'removed' : 'wrote'} ${path}`);
    console.log(changed.length === 0 ? 'Nothing to change.' : `${changed.length} files changed.`);
    return 0;
  }
  const found = differences(root, generators);
  for (const { kind, path } of found) console.error(`${path}: ${kind}`);
  if (found.length > 0) console.error('Generated files are not up to date. Run `npm run generate` and commit the result.');
  return found.length > 0 ? 1 : 0;
}

process.exitCode = main();
