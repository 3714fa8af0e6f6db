/** The API reference: a page a kind with every field of its spec and status. */
import {
  allKinds,
  crdName,
  objectSchema,
  type JsonSchema,
  type KindDeclaration,
  type PrinterColumn,
  type VersionDeclaration,
} from '@kruise/api';
import { withMarkdownOrigin, type GeneratedFile, type Generator } from '../generator.ts';

const folder = 'docs/reference/generated';

interface Field {
  readonly path: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** The fields below a schema in the order of their names, each followed by those below it. */
function fieldsOf(schema: JsonSchema, path: string): readonly Field[] {
  const required = new Set(schema.required);
  return Object.keys(schema.properties ?? {})
    .sort()
    .flatMap((name) => {
      const property = schema.properties?.[name] ?? {};
      const field = { path: `${path}${name}`, required: required.has(name), schema: property };
      return [field, ...fieldsBelow(property, field.path)];
    });
}

function fieldsBelow(schema: JsonSchema, path: string): readonly Field[] {
  if (schema.items !== undefined) return fieldsBelow(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) return fieldsBelow(schema.additionalProperties, `${path}.<key>`);
  return fieldsOf(schema, `${path}.`);
}

function typeOf(schema: JsonSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.type === undefined) return 'any';
  return schema.format === undefined ? schema.type : (shortFormats[schema.format] ?? schema.type);
}

const shortFormats: Readonly<Record<string, string>> = { int32: 'int32', int64: 'int64', 'date-time': 'time' };

/** What the API server itself checks or fills in. */
function rulesOf({ required, schema }: Field): string {
  const rules = [
    required ? 'required' : undefined,
    schema.default === undefined ? undefined : `default ${code(JSON.stringify(schema.default))}`,
    schema.enum === undefined ? undefined : `one of ${schema.enum.map((value) => code(JSON.stringify(value))).join(', ')}`,
    schema.minimum === undefined ? undefined : `at least ${schema.minimum}`,
    schema.maximum === undefined ? undefined : `at most ${schema.maximum}`,
    schema.minItems === undefined ? undefined : `at least ${schema.minItems} items`,
    schema.maxLength === undefined ? undefined : `at most ${schema.maxLength} characters`,
  ];
  return rules.filter((rule) => rule !== undefined).join(', ');
}

const code = (text: string): string => `\`${text}\``;

/** Text in a table cell: pipes and angle brackets would be taken for Markdown. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  row(...heads) + row(...heads.map(() => '---')) + rows.map((cells) => row(...cells)).join('');

const fieldTable = (name: string, schema: JsonSchema): string =>
  table(
    ['Field', 'Type', 'Rules', 'Description'],
    fieldsOf(schema, `${name}.`).map((field) => [
      code(field.path),
      typeOf(field.schema),
      cell(rulesOf(field)),
      cell(field.schema.description ?? ''),
    ]),
  );

const columnTable = (columns: readonly PrinterColumn[]): string =>
  table(
    ['Column', 'Value', 'Shown', 'Description'],
    columns.map((column) => [
      column.name,
      code(column.jsonPath.replaceAll('|', '\\|')),
      (column.priority ?? 0) === 0 ? 'always' : 'with `-o wide`',
      cell(column.description ?? ''),
    ]),
  );

function versionSection(declaration: KindDeclaration, version: VersionDeclaration): string {
  const { properties } = objectSchema(declaration, version);
  const subresources = ['status', ...(version.scale === undefined ? [] : ['scale'])].map(code).join(', ');
  return [
    `## ${declaration.group}/${version.name}\n`,
    `${version.storage ? 'Served; objects are stored in this version.' : 'Served.'} Subresources: ${subresources}.\n`,
    `### spec\n\n${fieldTable('spec', properties?.['spec'] ?? {})}`,
    `### status\n\n${fieldTable('status', properties?.['status'] ?? {})}`,
    ...(version.columns.length === 0 ? [] : [`### Columns of \`kubectl get\`\n\n${columnTable(version.columns)}`]),
  ].join('\n');
}

function page(declaration: KindDeclaration): GeneratedFile {
  const facts = table(
    ['Group', 'Plural', 'Short names', 'Scope', 'Conversion', 'Controller', 'Finalizer'],
    [
      [
        code(declaration.group),
        code(declaration.plural),
        declaration.shortNames.map(code).join(', ') || 'none',
        declaration.namespaced ? 'namespace' : 'cluster',
        declaration.conversion === 'Webhook' ? 'by the manager' : 'none',
        code(declaration.controllerName),
        declaration.finalizer === undefined ? 'none' : code(declaration.finalizer),
      ],
    ],
  );
  const newestFirst = [...declaration.versions].reverse();
  const content = [
    `# ${declaration.kind}\n`,
    `${declaration.description}\n`,
    facts,
    ...newestFirst.map((version) => versionSection(declaration, version)),
  ].join('\n');
  return {
    path: `${folder}/${declaration.singular}.md`,
    content: withMarkdownOrigin(`libs/api/src/kinds/${declaration.singular}`, content),
  };
}

function index(): GeneratedFile {
  const rows = [...allKinds]
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .map((declaration) => [`[${declaration.kind}](${declaration.singular}.md)`, code(crdName(declaration)), cell(declaration.description)]);
  return {
    path: `${folder}/README.md`,
    content: withMarkdownOrigin('libs/api/src/kinds', `# API reference\n\n${table(['Kind', 'CRD', 'Purpose'], rows)}`),
  };
}

export const apiReferenceGenerator: Generator = { name: 'API reference', folders: [folder], files: () => [index(), ...allKinds.map(page)] };
