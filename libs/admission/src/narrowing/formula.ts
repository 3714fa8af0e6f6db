/** Conditions on a request as data, and as the CEL text that the API server evaluates. Pure. */
import type { Requirement } from './namespace-partition.ts';

export type Formula =
  | { readonly kind: 'Always' }
  | { readonly kind: 'Never' }
  | { readonly kind: 'All' | 'Any'; readonly of: readonly Formula[] }
  | { readonly kind: 'Not'; readonly of: Formula }
  /** A requirement on a label of the object. */
  | { readonly kind: 'Label'; readonly requirement: Requirement }
  /** The name of the namespace is one of these. */
  | { readonly kind: 'InNamespaces'; readonly names: readonly string[] }
  | { readonly kind: 'Cel'; readonly text: string };

export const always: Formula = { kind: 'Always' };
export const never: Formula = { kind: 'Never' };

const identity = (formula: Formula): string => JSON.stringify(formula);

/**
 * Returns a formula in which nested ones of the same kind are dissolved and repetitions removed, in an order that does not depend on that of the
 * input.
 */
function normalised(kind: 'All' | 'Any', of: readonly Formula[], neutral: Formula, decisive: Formula): Formula {
  const flat = of.flatMap((one) => (one.kind === kind ? one.of : [one])).filter(({ kind }) => kind !== neutral.kind);
  if (flat.some((one) => one.kind === decisive.kind)) return decisive;
  const distinct = [...new Map(flat.map((one) => [identity(one), one])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
  const [first] = distinct;
  if (first === undefined) return neutral;
  return distinct.length === 1 ? first : { kind, of: distinct };
}

export const allOf = (formulas: readonly Formula[]): Formula => normalised('All', formulas, always, never);

export const anyOf = (formulas: readonly Formula[]): Formula => normalised('Any', mergeValues(formulas), never, always);

export function not(formula: Formula): Formula {
  if (formula.kind === 'Always') return never;
  if (formula.kind === 'Never') return always;
  return formula.kind === 'Not' ? formula.of : { kind: 'Not', of: formula };
}

/** Merges `a in (1)` or `a in (2)` into `a in (1, 2)`: the result of many selectors that differ in one value. */
function mergeValues(formulas: readonly Formula[]): readonly Formula[] {
  const valuesOf = new Map<string, string[]>();
  const rest: Formula[] = [];
  for (const formula of formulas) {
    if (formula.kind === 'Label' && formula.requirement.operator === 'In') {
      const { key, values } = formula.requirement;
      valuesOf.set(key, [...(valuesOf.get(key) ?? []), ...values]);
    } else rest.push(formula);
  }
  const merged = [...valuesOf].map(([key, values]): Formula => ({
    kind: 'Label',
    requirement: { key, operator: 'In', values: sorted(values) },
  }));
  return [...merged, ...rest];
}

const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();

/** Returns a CEL string. CEL reads the escapes of JSON. */
const quoted = (text: string): string => JSON.stringify(text);
const list = (values: readonly string[]): string => `[${values.map(quoted).join(',')}]`;

/** Returns the CEL of a requirement. The variable `l` contains the labels. */
function formatLabel({ key, operator, values }: Requirement): string {
  const present = `${quoted(key)} in l`;
  const [only] = values;
  const oneOf = values.length === 1 && only !== undefined ? `l[${quoted(key)}] == ${quoted(only)}` : `l[${quoted(key)}] in ${list(values)}`;
  switch (operator) {
    case 'Exists':
      return present;
    case 'DoesNotExist':
      return `!(${present})`;
    case 'In':
      return `(${present} && ${oneOf})`;
    case 'NotIn':
      return `!(${present} && ${oneOf})`;
  }
}

/** Returns the rows of a formula that can be in a table: requirements on labels and on the namespace, all of which must hold. */
function rowOf(formula: Formula): readonly Row[] | undefined {
  switch (formula.kind) {
    case 'Label': {
      const { key, operator, values } = formula.requirement;
      return [{ key: [key], [operator]: values }];
    }
    case 'InNamespaces':
      return [{ namespaceIn: formula.names }];
    case 'Not':
      return formula.of.kind === 'InNamespaces' ? [{ namespaceNotIn: formula.of.names }] : undefined;
    case 'All': {
      const rows = formula.of.map(rowOf);
      return rows.every((row) => row !== undefined) ? rows.flat() : undefined;
    }
    default:
      return undefined;
  }
}

/** One requirement; the values of a map must be of one type. */
type Row = Readonly<Record<string, readonly string[]>>;

/** More alternatives than this are written as data: the time to compile operators grows with the square of their number. */
const mostWrittenOut = 16;
/** More requirements than this are written as data too, whether one or all of them have to hold. */
const mostRequirementsWrittenOut = 32;

const oneOfTheKey = '(r["key"][0] in l && l[r["key"][0]] in r[OPERATOR])';
const rowHolds = [
  `"In" in r ? ${oneOfTheKey.replace('OPERATOR', '"In"')}`,
  `"NotIn" in r ? !${oneOfTheKey.replace('OPERATOR', '"NotIn"')}`,
  '"Exists" in r ? r["key"][0] in l',
  '"DoesNotExist" in r ? !(r["key"][0] in l)',
  '"namespaceIn" in r ? request.namespace in r["namespaceIn"]',
  '!(request.namespace in r["namespaceNotIn"])',
].join(' : ');

function formatAny(alternatives: readonly Formula[]): string {
  const rows = alternatives.map(rowOf);
  const table = rows.filter((row) => row !== undefined);
  if (table.length <= mostWrittenOut && table.flat().length <= mostRequirementsWrittenOut)
    return `(${alternatives.map(format).join(' || ')})`;
  const others = alternatives.filter((_, index) => rows[index] === undefined).map(format);
  return `(${[`${JSON.stringify(table)}.exists(s, s.all(r, ${rowHolds}))`, ...others].join(' || ')})`;
}

function formatAll(conditions: readonly Formula[]): string {
  const rows = conditions.map(rowOf);
  const table = rows.flatMap((row) => row ?? []);
  if (table.length <= mostRequirementsWrittenOut) return `(${conditions.map(format).join(' && ')})`;
  const others = conditions.filter((_, index) => rows[index] === undefined).map(format);
  return `(${[`${JSON.stringify(table)}.all(r, ${rowHolds})`, ...others].join(' && ')})`;
}

function format(formula: Formula): string {
  switch (formula.kind) {
    case 'Always':
      return 'true';
    case 'Never':
      return 'false';
    case 'All':
      return formatAll(formula.of);
    case 'Any':
      return formatAny(formula.of);
    case 'Not':
      return `!(${format(formula.of)})`;
    case 'Label':
      return formatLabel(formula.requirement);
    case 'InNamespaces':
      return `request.namespace in ${list(formula.names)}`;
    case 'Cel':
      return `(${formula.text})`;
  }
}

function asksLabels(formula: Formula): boolean {
  if (formula.kind === 'All' || formula.kind === 'Any') return formula.of.some(asksLabels);
  return formula.kind === 'Not' ? asksLabels(formula.of) : formula.kind === 'Label';
}

/**
 * Returns the CEL text of a formula.
 *
 * @param subject the object whose labels are used; it has `metadata`, `labels` may be absent
 */
export function formatCel(formula: Formula, subject: 'object' | 'oldObject'): string {
  if (!asksLabels(formula)) return format(formula);
  const labels = `${subject}.metadata.labels`;
  return `[has(${labels}) ? ${labels} : {}].exists(l, ${format(formula)})`;
}
