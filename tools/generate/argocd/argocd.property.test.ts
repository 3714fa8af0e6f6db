/** The health checks and actions of every kind on generated objects of both versions: none is an error, and the versions have one verdict. */
import { describe, expect, it } from '@jest/globals';
import { allKinds, convertObject, type JsonSchema, type KindDeclaration, type VersionDeclaration } from '@kruise/api';
import { argoHealth, casesOf, Occurrences, runArgoScript, skipUnless, whyNoLua, type ArgoHealth, type ArgoObject } from '@kruise/testing';
import fc from 'fast-check';
import { arbitraryOf } from '../../../libs/api/src/schema/arbitrary.testing.ts';
import { objectSchema } from '../../../libs/api/src/schema/kind.ts';
import { actionsOf } from './argocd.ts';

const missing = whyNoLua();
const itRuns = skipUnless(missing === undefined, missing ?? '', it);
const versions = allKinds.flatMap((declaration) => declaration.versions.map((version) => ({ declaration, version })));
/** 10,000 objects together in a normal run. */
const casesOfVersion = casesOf(Math.ceil(10_000 / versions.length), 4000);
const verdicts = ['Healthy', 'Progressing', 'Degraded', 'Suspended'];

const hints = {
  reason: ['Paused', 'PartitionReached', 'ImageCannotBePulled', 'BudgetRefuses', 'UpdateLimited'],
  phase: ['completed', 'running', 'failed', 'paused', 'Completed', 'Pending', 'Succeeded', 'Failed', 'Running', 'Error', 'Paused'],
  status: ['True', 'False'],
  type: ['Blocked', 'FailedScale', 'Progressing', 'Schedulable', 'SubsetUpdated', 'Failed', 'JobError', 'OnDelete', 'Never', 'Always'],
};
/** Members with many members of their own that no script reads. */
const unread = new Set([
  'template',
  'volumeClaimTemplates',
  'containers',
  'initContainers',
  'volumes',
  'subsets',
  'probes',
  'podProbes',
  'resource',
]);

/** Types that admission accepts for a CloneSet in each version; conversion keeps what belongs to them. */
const updateTypes = (declaration: KindDeclaration, version: VersionDeclaration): readonly string[] =>
  declaration.kind !== 'CloneSet'
    ? ['RollingUpdate', 'OnDelete', 'NotUpdate']
    : version.name === 'v1alpha1'
      ? ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly', 'OnDelete']
      : ['RollingUpdate', 'OnDelete'];

const pruned = (schema: JsonSchema): JsonSchema => {
  const { properties, required } = schema;
  if (properties === undefined) return schema;
  const kept = Object.entries(properties).filter(([name]) => !unread.has(name));
  const names = kept.map(([name]) => name);
  return {
    ...schema,
    properties: Object.fromEntries(kept.map(([name, inner]) => [name, pruned(inner)])),
    ...(required === undefined ? {} : { required: required.filter((name) => names.includes(name)) }),
  };
};

interface Generated extends ArgoObject {
  readonly metadata: Readonly<Record<string, unknown>>;
}

const numbers = fc.constantFrom(undefined, 0, 1, 2, 2 ** 33);

function arbitraryObject(declaration: KindDeclaration, version: VersionDeclaration): fc.Arbitrary<Generated> {
  const { properties } = objectSchema(declaration, version);
  const part = (name: string): fc.Arbitrary<unknown> => arbitraryOf(pruned(properties?.[name] ?? {}), hints);
  const isDeleted = fc.constantFrom(true, false, false, false);
  const types = fc.constantFrom(...updateTypes(declaration, version));
  const spec = fc.tuple(part('spec'), types).map(([made, type]) => {
    const { updateStrategy } = made as { readonly updateStrategy?: object };
    return updateStrategy === undefined ? made : { ...(made as object), updateStrategy: { ...updateStrategy, type } };
  });
  return fc
    .tuple(spec, fc.option(part('status'), { nil: undefined }), numbers, isDeleted)
    .map(([desired, status, generation, isTerminating]) => ({
      apiVersion: `${declaration.group}/${version.name}`,
      kind: declaration.kind,
      metadata: {
        name: 'web',
        ...(generation === undefined ? {} : { generation }),
        ...(isTerminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: desired,
      ...(status === undefined ? {} : { status }),
    }));
}

const made = new Map<VersionDeclaration, readonly Generated[]>();

function generated(declaration: KindDeclaration, version: VersionDeclaration): readonly Generated[] {
  const objects = made.get(version) ?? fc.sample(arbitraryObject(declaration, version), casesOfVersion);
  made.set(version, objects);
  return objects;
}

/** The object in the other version, with the generation that it has there as well. */
function inOther(declaration: KindDeclaration, object: Generated): readonly Generated[] {
  const other = declaration.versions.find(({ name }) => `${declaration.group}/${name}` !== object.apiVersion);
  if (other === undefined) return [];
  const converted = convertObject({ ...object }, `${declaration.group}/${other.name}`);
  return converted.kind === 'Converted' ? [converted.object as unknown as Generated] : [];
}

/** v1alpha1 of a StatefulSet does not show its claims. */
const isShown = (verdict: ArgoHealth | undefined): boolean => verdict?.message?.includes('have the claims of') !== true;

const seen = new Occurrences();

describe.each(versions)('$declaration.kind $version.name', ({ declaration, version }) => {
  itRuns('has a verdict for every object, the same in both versions, and one that is being deleted is Progressing', () => {
    const objects = generated(declaration, version);
    const found = argoHealth(objects);
    expect(found).toHaveLength(casesOfVersion);
    expect(found.filter(({ status, message }) => !verdicts.includes(status) || typeof message !== 'string' || message === '')).toEqual([]);
    const deleted = found.filter((_, at) => objects[at]?.metadata['deletionTimestamp'] !== undefined);
    expect(deleted.filter(({ status }) => status !== 'Progressing')).toEqual([]);
    for (const { status } of found) seen.note(status);
    const others = objects.map((object, at) => (isShown(found[at]) ? inOther(declaration, object) : []));
    expect(argoHealth(others.flat())).toEqual(found.filter((_, at) => others[at]?.length === 1));
  });
});

describe.each(versions.filter(({ declaration }) => declaration.kind in actionsOf))(
  '$declaration.kind $version.name',
  ({ declaration, version }) => {
    itRuns('has no action that is an error', () => {
      const objects = generated(declaration, version);
      const offered = runArgoScript('actions/discovery.lua', objects) as readonly Readonly<
        Record<string, { readonly disabled: boolean }>
      >[];
      for (const name of actionsOf[declaration.kind] ?? []) {
        const enabled = objects.filter((_, at) => offered[at]?.[name]?.disabled === false);
        if (name !== 'restart') expect(enabled.length).toBeGreaterThan(0);
        expect(runArgoScript(`actions/${name}/action.lua`, enabled)).toHaveLength(enabled.length);
      }
    });
  },
);

itRuns('the objects come to every verdict', () => {
  expect(() => seen.expectAtLeast({ Healthy: 300, Progressing: 300, Degraded: 100, Suspended: 100 })).not.toThrow();
});
