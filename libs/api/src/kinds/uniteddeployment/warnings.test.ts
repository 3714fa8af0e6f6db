import { expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { bare, having, unitedOf } from './admission.testing.ts';
import { unitedDeploymentWarnings } from './rules.ts';

const patched = (patch: unknown): JsonObject => unitedOf('cloneSetTemplate', [{ name: 'a', patch }]);

it.each<{ name: string; object: JsonObject; warning?: string }>([
  { name: 'one as it should be', object: bare },
  { name: 'a name that leaves room for a revision', object: having('metadata.name', 'a'.repeat(52)) },
  { name: 'a name that leaves none', object: having('metadata.name', 'a'.repeat(53)), warning: 'metadata.name' },
  { name: 'partitions of CloneSets', object: having('spec.updateStrategy.manualUpdate.partitions', { a: 1 }) },
  {
    name: 'partitions of Deployments',
    object: having('spec.updateStrategy.manualUpdate.partitions', { a: 1 }, unitedOf('deploymentTemplate')),
    warning: 'spec.updateStrategy.manualUpdate.partitions',
  },
  {
    name: 'partitions of Deployments that keep nothing',
    object: having('spec.updateStrategy.manualUpdate.partitions', { a: 0 }, unitedOf('deploymentTemplate')),
  },
  { name: 'as many replicas as the controller supports', object: having('spec.replicas', 1_000_000) },
  { name: 'more replicas', object: having('spec.replicas', 1_000_001), warning: 'spec.replicas: 1000001 is more than 1000000' },
  { name: 'a patch of a Pod template', object: patched({ spec: { hostname: 'x' } }) },
  {
    name: 'a patch that cannot be applied',
    object: patched({ spec: { containers: [{ name: 'main', $patch: 'x' }] } }),
    warning: 'spec.topology.subsets[0].patch',
  },
  { name: 'no subset for Pods', object: having('spec.topology.subsets', []), warning: 'spec.topology.subsets: ' },
  { name: 'no topology for Pods', object: having('spec.topology', undefined), warning: 'spec.topology.subsets: ' },
  { name: 'no subset for no Pods', object: having('spec.replicas', 0, having('spec.topology', {})) },
  { name: 'a patch of a Pod', object: patched({ containers: [] }), warning: 'spec.topology.subsets[0].patch: containers' },
])('$name', ({ object, warning }) => {
  const warnings = unitedDeploymentWarnings(object);
  expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
});

it('patches of a large template are tried up to a number of bytes, equal ones once', () => {
  const subsets = (count: number, labelOf: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ name: `s${at}`, patch: { metadata: { labels: { zone: labelOf(at) } } } }));
  const large = (list: readonly JsonObject[]): JsonObject =>
    having(
      'spec.template.cloneSetTemplate.spec.template.metadata.annotations',
      { fill: 'x'.repeat(1 << 20) },
      unitedOf('cloneSetTemplate', list),
    );
  expect(unitedDeploymentWarnings(large(subsets(100, (at) => `z${at}`)))).toEqual([
    'spec.topology.subsets: 93 patches were not tried on the template: together with it, all patches have more than 8 MiB',
  ]);
  expect(unitedDeploymentWarnings(large(subsets(100, () => 'same')))).toEqual([]);
});

it('each subset with the same useless patch is named', () => {
  const patch = { containers: [] };
  const warnings = unitedDeploymentWarnings(
    unitedOf('cloneSetTemplate', [
      { name: 'a', patch },
      { name: 'b', patch },
    ]),
  );
  expect(warnings.map((text) => text.split(': ')[0])).toEqual(['spec.topology.subsets[0].patch', 'spec.topology.subsets[1].patch']);
});
