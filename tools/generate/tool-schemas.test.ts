/** The files for tools of others: they name only what the kinds have, and the schemas accept every recorded object. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allKinds, objectSchema, type JsonSchema } from '@kruise/api';
import { allRecordedObjects } from '@kruise/testing';
import { parse } from 'yaml';
import { rootCommand } from '../../apps/kubectl-kruise/src/commands/table.ts';
import { kustomizeDocument, toolSchemaGenerator } from './tool-schemas.ts';

const root = join(import.meta.dirname, '../..');
const readYaml = (path: string): unknown => parse(readFileSync(join(root, 'integrations/k9s', path), 'utf8'));
const files = new Map(toolSchemaGenerator.files().map(({ path, content }) => [path, content]));

interface Draft {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Draft>>;
  readonly additionalProperties?: Draft | false;
  readonly items?: Draft;
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Paths at which a value does not conform. */
function faults(schema: Draft, value: unknown, path = ''): readonly string[] {
  if (schema.type !== undefined && ![schema.type].flat().includes(typeOf(value))) return [`${path}: is ${typeOf(value)}`];
  if (schema.enum?.includes(value) === false) return [`${path}: ${String(value)}`];
  if (Array.isArray(value))
    return value.flatMap((one, at) => (schema.items === undefined ? [] : faults(schema.items, one, `${path}[${at}]`)));
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name)).map((name) => `${path}.${name}: is missing`);
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, one]) => {
      const inner = schema.properties?.[name] ?? schema.additionalProperties;
      if (inner === false) return [`${path}.${name}: is unknown`];
      return inner === undefined ? [] : faults(inner, one, `${path}.${name}`);
    }),
  ];
}

const schemaFor = (apiVersion: string, kind: string): Draft => {
  const [group = '', version = ''] = apiVersion.split('/');
  return JSON.parse(files.get(`integrations/schemas/generated/${group}/${kind.toLowerCase()}_${version}.json`) ?? '{}') as Draft;
};

interface Recorded {
  readonly apiVersion: string;
  readonly kind: string;
}

describe('JSON Schemas', () => {
  const lists = [
    'clonesets.v1alpha1',
    'clonesets.v1beta1',
    'daemonsets.v1beta1',
    'statefulsets.v1beta1',
    'sidecarsets.v1alpha1',
    'sidecarsets.v1beta1',
    'uniteddeployments.v1beta1',
    'broadcastjobs.v1beta1',
    'workloadspreads.v1beta1',
    'imagepulljobs.v1beta1',
    'pub',
  ];

  it.each(lists)('accept every recorded object of %s', (file) => {
    const found = allRecordedObjects<Recorded>(file).flatMap((object) => faults(schemaFor(object.apiVersion, object.kind), object));
    expect(found).toEqual([]);
  });

  it('refuse an unknown member, a wrong type and a missing spec', () => {
    const schema = schemaFor('apps.kruise.io/v1beta1', 'CloneSet');
    const object = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: {} };
    expect(faults(schema, object)).toEqual(['.spec: is missing']);
    const spec = { replicas: 'two', selector: {}, template: {}, updateStrategy: { partition: 1 } };
    expect(faults(schema, { ...object, spec })).toEqual(['.spec.replicas: is string', '.spec.updateStrategy.partition: is unknown']);
  });

  it('are small enough to be committed', () => {
    expect([...files.values()].reduce((sum, content) => sum + content.length, 0)).toBeLessThan(2 << 20);
  });
});

describe('kustomize', () => {
  const { definitions } = kustomizeDocument();

  it('merges containers, volumes and environment by name, volume mounts by path, in every version with a template', () => {
    expect(Object.keys(definitions)).toEqual(
      expect.arrayContaining(['io.kruise.apps.v1alpha1.CloneSet', 'io.kruise.apps.v1beta1.CloneSet']),
    );
    const containers = { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' };
    const mounts = { 'x-kubernetes-patch-merge-key': 'mountPath', 'x-kubernetes-patch-strategy': 'merge' };
    expect(definitions['io.kruise.PodTemplateSpec']).toMatchObject({
      properties: {
        spec: {
          properties: {
            containers: { ...containers, items: { properties: { env: containers, volumeMounts: mounts } } },
            volumes: { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
          },
        },
      },
    });
  });

  it('names only members that the kinds have', () => {
    const absent = Object.entries(definitions).flatMap(([name, definition]) => {
      const [of] =
        (definition as { readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind: string; readonly version: string }[] })[
          'x-kubernetes-group-version-kind'
        ] ?? [];
      const declaration = allKinds.find(({ kind }) => kind === of?.kind);
      const version = declaration?.versions.find((one) => one.name === of?.version);
      if (declaration === undefined || version === undefined) return [];
      const spec = objectSchema(declaration, version).properties?.['spec']?.properties ?? {};
      const members = (definition as { readonly properties: { readonly spec: { readonly properties: object } } }).properties.spec
        .properties;
      return Object.keys(members)
        .filter((member) => !(member in spec))
        .map((member) => `${name}: ${member}`);
    });
    expect(absent).toEqual([]);
  });
});

/** Whether a JSON path of k9s, without its filters, leads to a member of the schema. */
function leadsToMember(schema: JsonSchema | undefined, path: string): boolean {
  const steps = path
    .replaceAll(/\[[^\]]*\]/g, '.*')
    .split('.')
    .filter(Boolean);
  return steps.reduce<JsonSchema | undefined>((at, step) => (step === '*' ? at?.items : at?.properties?.[step]), schema) !== undefined;
}

describe('k9s', () => {
  const resources = new Map<string, JsonSchema>(
    allKinds.flatMap((declaration) =>
      declaration.versions.map(
        (version) => [`${declaration.group}/${version.name}/${declaration.plural}`, objectSchema(declaration, version)] as const,
      ),
    ),
  );

  const text: Draft = { type: 'string' };
  const flag: Draft = { type: 'boolean' };
  const only = (name: string, of: Draft): Draft => ({
    type: 'object',
    additionalProperties: false,
    properties: { [name]: { type: 'object', additionalProperties: of } },
    required: [name],
  });
  /** Members that the JSON schemas of k9s allow in a file (`internal/config/json/schemas` of its repository, 0.50). */
  const documented: Readonly<Record<string, Draft>> = {
    'aliases.yaml': only('aliases', text),
    'plugins.yaml': only('plugins', {
      type: 'object',
      additionalProperties: false,
      properties: {
        shortCut: text,
        override: flag,
        description: text,
        confirm: flag,
        dangerous: flag,
        scopes: { type: 'array', items: text },
        command: text,
        background: flag,
        overwriteOutput: flag,
        args: { type: 'array', items: { type: ['string', 'integer', 'number'] } },
      },
      required: ['shortCut', 'description', 'scopes', 'command'],
    }),
    'views.yaml': only('views', {
      type: 'object',
      additionalProperties: false,
      properties: { sortColumn: text, columns: { type: 'array', items: text } },
      required: ['columns'],
    }),
  };

  it.each(Object.entries(documented))('accepts every member of %s', (file, schema) => {
    expect(faults(schema, readYaml(file))).toEqual([]);
  });

  it('refuses a plugin without a shortcut, a column that is no text and a member that it does not know', () => {
    const found = [
      faults(documented['plugins.yaml'] ?? {}, { plugins: { a: { description: 'b', scopes: [], command: 'kubectl', key: 'x' } } }),
      faults(documented['views.yaml'] ?? {}, { views: { pods: { columns: [{ name: 'AGE' }] } } }),
      faults(documented['aliases.yaml'] ?? {}, { alias: {} }),
    ];
    expect(found).toEqual([
      ['.plugins.a.shortCut: is missing', '.plugins.a.key: is unknown'],
      ['.views.pods.columns[0]: is object'],
      ['.aliases: is missing', '.alias: is unknown'],
    ]);
  });

  it('views have columns of members that exist', () => {
    const { views } = readYaml('views.yaml') as { readonly views: Readonly<Record<string, { readonly columns: readonly string[] }>> };
    const wrong = Object.entries(views).flatMap(([resource, { columns }]) =>
      columns
        .filter((column) => column.includes(':') && !leadsToMember(resources.get(resource), column.slice(column.indexOf(':') + 1)))
        .map((column) => `${resource} ${column}`),
    );
    expect(wrong).toEqual([]);
    expect(Object.keys(views).filter((resource) => !resources.has(resource))).toEqual([]);
  });

  it('jumps lead to resources that exist', () => {
    const { aliases } = readYaml('aliases.yaml') as { readonly aliases: Readonly<Record<string, string>> };
    expect(Object.values(aliases).filter((resource) => !resources.has(resource))).toEqual([]);
  });

  it('plugins call commands that exist, and ask before they change something', () => {
    const { plugins } = readYaml('plugins.yaml') as {
      readonly plugins: Readonly<
        Record<
          string,
          { readonly args: readonly string[]; readonly confirm: boolean; readonly scopes: readonly string[]; readonly shortCut: string }
        >
      >;
    };
    const all = Object.values(plugins);
    const commands = (rootCommand.commands ?? []).find(({ name }) => name === 'rollout')?.commands?.map(({ name }) => name) ?? [];
    for (const { args, confirm } of all) {
      expect(args.slice(0, 2)).toEqual(['kruise', 'rollout']);
      expect(commands).toContain(args[2]);
      expect(confirm).toBe(args[2] !== 'status');
    }
    const plurals = allKinds.map(({ plural }) => plural);
    expect(all.flatMap(({ scopes }) => scopes).filter((scope) => !plurals.includes(scope))).toEqual([]);
    expect(new Set(all.map(({ shortCut }) => shortCut)).size).toBe(all.length);
  });
});
