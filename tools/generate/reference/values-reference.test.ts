import { describe, expect, it } from '@jest/globals';
import { charts, readChart, valueRows, type ValueSchema } from './values-reference.ts';

/** Paths of all values in values.yaml, down to where the schema has no more groups. */
function writtenPaths(value: unknown, of: ValueSchema | undefined, path = ''): readonly string[] {
  if (of?.properties === undefined) return [path];
  return Object.entries(value as object).flatMap(([name, below]) =>
    writtenPaths(below, of.properties?.[name], path === '' ? name : `${path}.${name}`),
  );
}

/** Accepted, because templates of other charts pass them, but without a default. */
const withoutDefault: Readonly<Record<string, readonly string[]>> = {
  'charts/kruise': ['nameOverride', 'fullnameOverride'],
  'charts/kruise-state-metrics': [],
};

describe.each(charts)('the values of %s', (chart) => {
  const { schema, values } = readChart(chart);
  const rows = valueRows(schema, values);

  it('are all described', () => {
    expect(rows.filter(({ schema: { description = '' } }) => description === '').map(({ path }) => path)).toEqual([]);
  });

  it('all have a default, and every default is known to the schema', () => {
    const known = rows.map(({ path }) => path);
    expect(rows.filter(({ value }) => value === undefined).map(({ path }) => path)).toEqual(withoutDefault[chart]);
    expect(writtenPaths(values, schema).filter((path) => !known.includes(path))).toEqual([]);
  });

  it('can be written wrong nowhere but where the chart hands them on', () => {
    const open = (of: ValueSchema, path: string): readonly string[] =>
      of.properties === undefined
        ? []
        : [
            ...(of.additionalProperties === false ? [] : [path]),
            ...Object.entries(of.properties).flatMap(([name, below]) => open(below, `${path}.${name}`)),
          ];
    expect(open(schema, '')).toEqual(['.global']);
  });
});
