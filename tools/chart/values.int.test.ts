/**
 * What each value of the chart changes in the rendered objects, compared with `testdata/values.txt`. To rewrite it after an intended change:
 * `KRUISE_TEST_TIER=integration UPDATE_GOLDEN=1 npm run jest -- tools/chart/values.int`, then review the diff.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, goldenText, silent } from '@kruise/testing';
import { readChart, valueRows } from '../generate/reference/values-reference.ts';
import { changesBetween } from './rendered-changes.ts';
import { render, type Values } from './render.ts';
import { valueCases } from './value-cases.ts';

/** Accepted because charts made with `helm create` read them; the names of the objects are fixed. */
const withoutEffect: readonly string[] = ['nameOverride', 'fullnameOverride'];
const mostShown = 12;

/** The CRDs are most of the text, and only the values of `crds` and `externalCerts` change them. */
const renderCase = (values: Values): ReturnType<typeof render> =>
  render({ 'crds.managed': false, ...values }, '1.34.0', ['admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy']);

/** Renders what the cases have in common once. */
const bases = new Map<string, ReturnType<typeof render>>();
function renderBase(given: Values): ReturnType<typeof render> {
  const key = JSON.stringify(given);
  const base = bases.get(key) ?? renderCase(given);
  bases.set(key, base);
  return base;
}

async function changesOf(path: string): Promise<readonly string[]> {
  const { value, given = {} } = valueCases[path]!;
  return changesBetween(await renderBase(given), await renderCase({ ...given, [path]: value }));
}

function section(path: string, changes: readonly string[]): string {
  const { value, given } = valueCases[path]!;
  const base = given === undefined ? '' : ` with ${JSON.stringify(given)}`;
  const rest = changes.length > mostShown ? [`… ${changes.length - mostShown} more`] : [];
  return [`${path} = ${JSON.stringify(value)}${base}`, ...[...changes.slice(0, mostShown), ...rest].map((line) => `  ${line}`), ''].join(
    '\n',
  );
}

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

describe('each value of the chart', () => {
  const { schema, values } = readChart();
  const paths = valueRows(schema, values).map(({ path }) => path);

  it('has a case', () => {
    expect(Object.keys(valueCases).sort()).toEqual([...paths].sort());
  });

  it('changes what it is for, and nothing else', async () => {
    const changes = new Map<string, readonly string[]>();
    const left = [...paths];
    const work = async (): Promise<void> => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) changes.set(path, await changesOf(path));
    };
    await Promise.all(Array.from({ length: 4 }, work));
    expect(paths.filter((path) => changes.get(path)?.length === 0)).toEqual(withoutEffect);
    const text = paths.map((path) => section(path, changes.get(path) ?? [])).join('\n');
    expect(text).toBe(goldenText(new URL('./testdata/values.txt', import.meta.url), text));
  }, 300_000);
});
