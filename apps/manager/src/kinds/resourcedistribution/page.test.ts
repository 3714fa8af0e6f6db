/** Admission accepts the examples on the page of this kind unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  conforms,
  objectSchema,
  resourceDistributionDeclaration,
  resourceDistributionWarnings,
  validateDistributedResource,
  validateDistributionName,
  validateTargets,
  type ResourceDistribution,
} from '@kruise/api';
import { secrets, type JsonObject } from '@kruise/objects';
import { parse } from 'yaml';
import { DistributionCluster } from './cluster.testing.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/resource-distribution.md'), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as ResourceDistribution & JsonObject);

describe('the examples of the page', () => {
  it('are two', () => {
    expect(examples.map(({ metadata }) => metadata.name)).toEqual(['registry', 'certificates']);
  });

  it.each(examples.map((object) => ({ name: object.metadata.name, object })))('$name is admitted without a warning', ({ object }) => {
    const version = resourceDistributionDeclaration.versions.find(({ name }) => name === 'v1beta1');
    expect(version !== undefined && conforms(objectSchema(resourceDistributionDeclaration, version), object)).toBe(true);
    expect([...validateDistributionName(object), ...validateDistributedResource(object, undefined), ...validateTargets(object)]).toEqual(
      [],
    );
    expect(resourceDistributionWarnings(object)).toEqual([]);
  });

  it('do what they say', async () => {
    const cluster = new DistributionCluster(['build', 'sandbox', 'other', 'kube-system']);
    cluster.namespace('team-a', { registry: 'internal' });
    cluster.namespace('sandbox', { registry: 'internal' });
    for (const { metadata, spec } of examples) cluster.distribute(spec.targets, spec.resource, metadata.name);
    const manager = cluster.begin();
    await manager.settle();
    expect(cluster.places(secrets, 'registry-login')).toEqual(['build', 'team-a']);
    expect(cluster.places(undefined, 'company-ca')).toEqual(['build', 'other', 'sandbox', 'team-a']);
    await manager.stop();
  });
});
