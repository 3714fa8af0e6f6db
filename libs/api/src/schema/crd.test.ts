import { describe, expect, it } from '@jest/globals';
import { allConverters, allKinds } from '../kinds/index.ts';
import type { JsonSchema } from './builder.ts';
import { int32, list, map, object, optional, string } from './builder.ts';
import { customResourceDefinition } from './crd.ts';
import { objectSchema, type KindDeclaration, type VersionDeclaration } from './kind.ts';

interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
}

/** Returns every named member below the schema, and the schema itself. */
function fields(schema: JsonSchema, path: string): readonly Field[] {
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => fields(property, `${path}.${name}`));
  const items = schema.items?.properties === undefined ? [] : fields(schema.items, `${path}[]`).slice(1);
  const values = schema.additionalProperties?.properties === undefined ? [] : fields(schema.additionalProperties, `${path}{}`).slice(1);
  return [{ path, schema }, ...named, ...items, ...values];
}

const versions = allKinds.flatMap((declaration) =>
  declaration.versions.map((version) => ({
    name: `${declaration.kind} ${version.name}`,
    declaration,
    version,
    schema: objectSchema(declaration, version),
  })),
);

/** Returns items of lists, which are not named. */
const items = (schema: JsonSchema): readonly JsonSchema[] =>
  fields(schema, '').flatMap(({ schema: { items: one } }) => (one === undefined ? [] : [one, ...items(one)]));

const minimalVersion: VersionDeclaration = {
  name: 'v1beta1',
  storage: true,
  columns: [],
  spec: object('What is wanted.', {
    zebra: string('The last member.'),
    bear: string('The second member.'),
    ant: optional(int32('The first member.', { minimum: 1, default: 2 })),
  }),
  status: object('What is there.', {}),
};
const minimalKind: KindDeclaration = {
  group: 'apps.kruise.io',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  shortNames: [],
  namespaced: false,
  description: 'A thing for the test.',
  controllerName: 'thing-controller',
  conversion: 'None',
  versions: [minimalVersion],
};

describe('a CRD', () => {
  it('has its keywords in a fixed order and its members sorted, whatever the order of the declaration', () => {
    const text = JSON.stringify(customResourceDefinition(minimalKind).spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']);
    expect(text).toBe(
      '{"type":"object","description":"What is wanted.","properties":{' +
        '"ant":{"type":"integer","format":"int32","description":"The first member.","default":2,"minimum":1},' +
        '"bear":{"type":"string","description":"The second member."},' +
        '"zebra":{"type":"string","description":"The last member."}},"required":["bear","zebra"]}',
    );
  });

  it('has so the schemas of items and of values too', () => {
    const inner = object('Both.', { b: optional(string('The last.')), a: optional(string('The first.')) });
    const version = { ...minimalVersion, spec: object('Wanted.', { list: list('Some.', inner), map: map('More.', inner) }) };
    const [crd] = customResourceDefinition({ ...minimalKind, versions: [version] }).spec.versions;
    const { list: some, map: more } = crd?.schema.openAPIV3Schema.properties?.['spec']?.properties ?? {};
    const text =
      '{"type":"object","description":"Both.","properties":{' +
      '"a":{"type":"string","description":"The first."},"b":{"type":"string","description":"The last."}}}';
    expect(JSON.stringify(some)).toBe(`{"type":"array","description":"Some.","items":${text}}`);
    expect(JSON.stringify(more)).toBe(`{"type":"object","description":"More.","additionalProperties":${text}}`);
  });

  it('says what it is', () => {
    expect(customResourceDefinition(minimalKind)).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.apps.kruise.io' },
    });
  });

  it('warns of a version that is deprecated', () => {
    const versions = [{ ...minimalVersion, deprecationWarning: 'Use another.' }];
    expect(customResourceDefinition({ ...minimalKind, versions }).spec.versions).toMatchObject([
      { deprecated: true, deprecationWarning: 'Use another.' },
    ]);
  });

  it('has of printer columns what they say', () => {
    const column = { name: 'A', type: 'string', jsonPath: '.a' } as const;
    const columns = [{ ...column, priority: 0 }, { ...column, description: 'What it is.', priority: 1 }, column];
    const [crd] = customResourceDefinition({ ...minimalKind, versions: [{ ...minimalVersion, columns }] }).spec.versions;
    expect(crd?.additionalPrinterColumns).toStrictEqual([column, { ...column, description: 'What it is.', priority: 1 }, column]);
  });

  it('has a scale only where there is one', () => {
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const versions = [minimalVersion, { ...minimalVersion, scale }];
    const crd = customResourceDefinition({ ...minimalKind, versions });
    expect(crd.spec.versions.map(({ subresources }) => subresources)).toStrictEqual([{ status: {} }, { status: {}, scale }]);
  });

  it('omits what is empty', () => {
    const { spec } = customResourceDefinition(minimalKind);
    expect(spec.names).toEqual({ kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' });
    expect(spec.conversion).toEqual({ strategy: 'None' });
    expect(Object.keys(spec.versions[0] ?? {})).toEqual(['name', 'served', 'storage', 'subresources', 'schema']);
  });

  it('points conversion at the given service', () => {
    const service = { namespace: 'elsewhere', name: 'hook', port: 8443, path: '/c' };
    expect(customResourceDefinition({ ...minimalKind, conversion: 'Webhook' }, service).spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig: { service }, conversionReviewVersions: ['v1', 'v1beta1'] },
    });
  });
});

describe('every kind', () => {
  it.each(versions)('$name describes each field in a sentence', ({ schema }) => {
    const poor = fields(schema, '').filter(
      ({ path, schema: { description } }) => path !== '.metadata' && !/^.{11,}[.]$/s.test(description ?? ''),
    );
    expect(poor.map(({ path, schema: { description } }) => `${path}: ${description}`)).toEqual([]);
  });

  it.each(versions)('$name describes each item of a list in a sentence, and leaves no gap in any description', ({ schema }) => {
    expect(items(schema).filter(({ description }) => !/^[A-Z].*[.]$/s.test(description ?? ''))).toEqual([]);
    const all = [...fields(schema, '').map(({ schema: field }) => field), ...items(schema)].map(({ description = '' }) => description);
    expect(all.filter((description) => / ([.,;:]( |$)| )|: ?[.]/.test(description))).toEqual([]);
  });

  it.each(versions)('$name describes each printer column in a sentence', ({ version }) => {
    expect(version.columns.filter(({ description }) => !/^.{11,}[.]$/.test(description ?? '')).map(({ name }) => name)).toEqual([]);
  });

  it.each(versions)('$name sets a default only on members that may be absent', ({ schema }) => {
    const wrong = fields(schema, '').flatMap(({ path, schema: { properties, required } }) =>
      (required ?? []).filter((name) => properties?.[name]?.default !== undefined).map((name) => `${path}.${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(allKinds.map((declaration) => ({ name: declaration.kind, declaration })))(
    '$name stores exactly one version, the newest',
    ({ declaration }) => {
      expect(declaration.versions.map(({ storage }) => storage)).toEqual(
        declaration.versions.map((_, at) => at === declaration.versions.length - 1),
      );
    },
  );

  it.each(allKinds.map((declaration) => ({ name: declaration.kind, declaration })))(
    '$name has Webhook conversion and a converter if it has two versions, else neither',
    ({ declaration }) => {
      const two = declaration.versions.length > 1;
      const converter = allConverters.find(({ group, kind }) => group === declaration.group && kind === declaration.kind);
      expect({ strategy: declaration.conversion, hasConverter: converter !== undefined }).toEqual({
        strategy: two ? 'Webhook' : 'None',
        hasConverter: two,
      });
    },
  );
});
