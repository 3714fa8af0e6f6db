/** The table of the values of each chart: types and meaning from the schema, defaults from values.yaml. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { withMarkdownOrigin, type Generator } from '../generator.ts';

/** Every chart of the project. */
export const charts = ['charts/kruise', 'charts/kruise-state-metrics'] as const;
type Chart = (typeof charts)[number];

const folderOf = (chart: Chart): string => `${chart}/generated`;

export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | ValueSchema;
}

export interface ValueRow {
  /** With dots, e.g. `manager.image.tag`. */
  readonly path: string;
  readonly schema: ValueSchema;
  readonly value: unknown;
}

/** Every value that is no group of others, in the order of the schema. */
export function valueRows(schema: ValueSchema, values: unknown, path = ''): readonly ValueRow[] {
  if (schema.properties === undefined) return [{ path, schema, value: values }];
  const fields = (values ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(schema.properties).flatMap(([name, below]) =>
    valueRows(below, fields[name], path === '' ? name : `${path}.${name}`),
  );
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (value: unknown): string => `\`${cell(JSON.stringify(value))}\``;

function meaning({ description = '', enum: allowed }: ValueSchema): string {
  const choices = allowed === undefined ? '' : ` One of ${allowed.map(code).join(', ')}.`;
  return cell(description) + choices;
}

const root = dirname(dirname(dirname(import.meta.dirname)));
export const readChart = (chart: Chart = 'charts/kruise'): { readonly schema: ValueSchema; readonly values: unknown } => ({
  schema: JSON.parse(readFileSync(join(root, chart, 'values.schema.json'), 'utf8')) as ValueSchema,
  values: parse(readFileSync(join(root, chart, 'values.yaml'), 'utf8')),
});

function page(chart: Chart): string {
  const { schema, values } = readChart(chart);
  const rows = valueRows(schema, values).map(
    (row) => `| \`${row.path}\` | ${row.value === undefined ? '' : code(row.value)} | ${meaning(row.schema)} |\n`,
  );
  return `# Values of the chart\n\n| Value | Default | Meaning |\n| --- | --- | --- |\n${rows.join('')}`;
}

export const valuesReferenceGenerator: Generator = {
  name: 'values of the charts',
  folders: charts.map(folderOf),
  files: () =>
    charts.map((chart) => ({
      path: `${folderOf(chart)}/values.md`,
      content: withMarkdownOrigin(`${chart}/values.schema.json and values.yaml`, page(chart)),
    })),
};
