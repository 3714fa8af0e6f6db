import { expect, it } from '@jest/globals';
import type { Members } from '../../conversion/converter.ts';
import { bare, having, unitedOf } from './admission.testing.ts';
import { unitedDeploymentWarnings } from './warnings.ts';

const patched = (patch: unknown): Members => unitedOf('cloneSetTemplate', [{ name: 'a', patch }]);

it.each<{ name: string; object: Members; warning?: string }>([
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
