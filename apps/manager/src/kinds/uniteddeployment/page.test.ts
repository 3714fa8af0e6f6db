/** Admission accepts the examples on the page of this kind unchanged, and they lead to what its pictures show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  defaultGates,
  defaultUnitedDeployment,
  unitedDeploymentWarnings,
  validateUnitedDeployment,
  type UnitedDeployment,
  type UnitedDeploymentSpec,
} from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { parse } from 'yaml';
import { allocate, modeOf, examine } from '@kruise/kinds/uniteddeployment';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/united-deployment.md'), 'utf8');
const [example, adaptive, partitions] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as JsonObject);
const filled = (object: JsonObject): JsonObject => defaultUnitedDeployment(object, { oldObject: undefined, gates: defaultGates });
const having = (spec: JsonObject): JsonObject => ({ ...example, spec: { ...(example?.['spec'] as JsonObject), ...spec } });
const validation = { allowPrivileged: false, hostNetworkHostPorts: true };

describe('the examples of the page', () => {
  it('are admitted without a warning, and can be worked with', () => {
    const object = filled(example ?? {});
    expect(validateUnitedDeployment(object, validation)).toEqual([]);
    expect(unitedDeploymentWarnings(object)).toEqual([]);
    expect(examine(object as unknown as UnitedDeployment)).toMatchObject({ kind: 'WellFormed', childKind: { name: 'CloneSet' } });
  });

  it('spread six Pods as the first picture shows', () => {
    const { topology, replicas = 0 } = example?.['spec'] as UnitedDeploymentSpec;
    const subsets = (topology?.subsets ?? []).map(({ name, replicas: share }) => ({
      name,
      replicas: share,
      isUnschedulable: false,
      isMarked: false,
    }));
    expect(allocate(subsets, replicas, 'Fixed')).toEqual({ kind: 'Allocated', replicas: [1, 3, 2] });
    for (const text of ['zone a: 1', 'zone b: 3', 'zone c: 2']) expect(page).toContain(text);
  });

  it('make it adaptive, with the numbers of the picture', () => {
    const subsets = [{ name: 'a', maxReplicas: 3 }, { name: 'b', maxReplicas: 1 }, { name: 'c' }];
    const object = filled(having({ topology: { ...(adaptive?.['topology'] as JsonObject), subsets } }));
    expect(validateUnitedDeployment(object, validation)).toEqual([]);
    expect(modeOf(object as unknown as UnitedDeployment)).toEqual({ kind: 'Adaptive', critical: 30_000, unschedulable: 300_000 });
  });

  it('keep Pods back by partitions', () => {
    const object = filled(having(partitions ?? {}));
    expect(validateUnitedDeployment(object, validation)).toEqual([]);
  });
});
