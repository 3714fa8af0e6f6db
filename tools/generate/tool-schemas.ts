/** What tools of others read about the kinds: JSON Schemas for editors and linters, and the merge keys of Pod templates for kustomize. */
import { allKinds, objectSchema, type JsonSchema, type KindDeclaration, type VersionDeclaration } from '@kruise/api';
import { podSpecPatchSchema, podTemplateSpecPatchSchema, type MemberRule, type PatchSchema } from '@kruise/objects';
import { origin, type GeneratedFile, type Generator } from './generator.ts';

const schemaFolder = 'integrations/schemas/generated';
const kustomizeFolder = 'integrations/kustomize/generated';
const source = 'libs/api/src/kinds';

const isOpen = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

/** Keywords of the structural schema that JSON Schema has as well. */
const shared = ['description', 'enum', 'minimum', 'maximum', 'minItems', 'minLength', 'maxLength', 'pattern', 'required'] as const;

/** Returns JSON Schema for a structural schema. Members that the API server would drop are refused. */
function jsonSchemaOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const { type, nullable, properties, items, additionalProperties } = schema;
  const named = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : type;
  const types = nullable === true && named !== undefined ? [named, 'null'].flat() : named;
  return {
    ...(types === undefined ? {} : { type: types }),
    ...Object.fromEntries(shared.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...(schema.format === 'date-time' ? { format: 'date-time' } : {}),
    ...(items === undefined ? {} : { items: jsonSchemaOf(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: jsonSchemaOf(additionalProperties) }),
    ...(properties === undefined
      ? {}
      : { properties: mapped(properties, jsonSchemaOf), ...(isOpen(schema) ? {} : { additionalProperties: false }) }),
  };
}

const mapped = <In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Readonly<Record<string, Out>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

function documentOf(declaration: KindDeclaration, version: VersionDeclaration): GeneratedFile {
  const { group, kind } = declaration;
  const { properties = {}, ...rest } = jsonSchemaOf(objectSchema(declaration, version)) as { readonly properties?: object };
  const head = {
    apiVersion: { type: 'string', enum: [`${group}/${version.name}`] },
    kind: { type: 'string', enum: [kind] },
    metadata: { type: 'object' },
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: origin(`${source}/${declaration.singular}`),
    ...rest,
    properties: { ...properties, ...head },
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
  };
  return { path: `${schemaFolder}/${group}/${kind.toLowerCase()}_${version.name}.json`, content: `${JSON.stringify(schema)}\n` };
}

/** Returns the merge rules of a type as OpenAPI with the extensions that kustomize reads. */
const openApiOf = ({ members }: PatchSchema): object => ({ type: 'object', properties: mapped(members, openApiOfRule) });

function openApiOfRule({ strategy, mergeKey, retainKeys, schema }: MemberRule): object {
  const inner = schema === undefined ? { type: 'object' } : openApiOf(schema);
  const strategies = [...(strategy === undefined ? [] : [strategy]), ...(retainKeys === true ? ['retainKeys'] : [])].join(',');
  const extensions = strategies === '' ? {} : { 'x-kubernetes-patch-strategy': strategies };
  if (mergeKey !== undefined) return { type: 'array', items: inner, 'x-kubernetes-patch-merge-key': mergeKey, ...extensions };
  return strategy === 'merge' ? { type: 'array', items: { type: 'string' }, ...extensions } : { ...inner, ...extensions };
}

const definitionOfTemplate = 'io.kruise.PodTemplateSpec';
const template = { $ref: `#/definitions/${definitionOfTemplate}` };
const nested = (...path: readonly string[]): object =>
  path.reduceRight<object>((inner, name) => ({ type: 'object', properties: { [name]: inner } }), template);
const inSpec = (properties: object): object => ({ type: 'object', properties: { spec: { type: 'object', properties } } });
const subsetTemplates = ['statefulSetTemplate', 'advancedStatefulSetTemplate', 'cloneSetTemplate', 'deploymentTemplate'];
const templates = (names: readonly string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, nested('spec', 'template')])),
});
const podSpec = openApiOf(podSpecPatchSchema) as { readonly properties: Readonly<Record<string, unknown>> };
const pick = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, podSpec.properties[name]]));

/** Where kinds have Pod templates, containers and volumes. */
const placesOf: Readonly<Record<string, object>> = {
  CloneSet: { template },
  StatefulSet: { template },
  DaemonSet: { template },
  BroadcastJob: { template },
  AdvancedCronJob: { template: templates(['jobTemplate', 'broadcastJobTemplate']) },
  UnitedDeployment: { template: templates(subsetTemplates) },
  SidecarSet: pick('containers', 'initContainers', 'volumes', 'imagePullSecrets'),
  EphemeralJob: { template: { type: 'object', properties: pick('ephemeralContainers') } },
};

export function kustomizeDocument(): { readonly definitions: Readonly<Record<string, object>> } {
  const kinds = allKinds.flatMap(({ group, kind, versions }) => {
    const places = placesOf[kind];
    if (places === undefined) return [];
    return versions.map(({ name }): readonly [string, object] => [
      `io.kruise.${group.split('.')[0] ?? ''}.${name}.${kind}`,
      { ...inSpec(places), 'x-kubernetes-group-version-kind': [{ group, kind, version: name }] },
    ]);
  });
  return { definitions: { ...Object.fromEntries(kinds), [definitionOfTemplate]: openApiOf(podTemplateSpecPatchSchema) } };
}

export const toolSchemaGenerator: Generator = {
  name: 'schemas of tools',
  folders: [schemaFolder, kustomizeFolder],
  files: () => [
    ...allKinds.flatMap((declaration) => declaration.versions.map((version) => documentOf(declaration, version))),
    { path: `${kustomizeFolder}/openapi.json`, content: `${JSON.stringify(kustomizeDocument(), undefined, 1)}\n` },
  ],
};
