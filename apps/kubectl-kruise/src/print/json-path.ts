/** kubectl's JSONPath templates: `{.a.b[0]}`, `{range .items[*]}…{end}`, `{"\n"}`, filters, unions, slices and `..`. */
import { isJsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';

type Step =
  | { readonly kind: 'Member'; readonly name: string }
  | { readonly kind: 'All' }
  | { readonly kind: 'Below' }
  | {
      readonly kind: 'Slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly by: number;
      readonly single: boolean;
    }
  | { readonly kind: 'Union'; readonly branches: readonly (readonly Step[])[] }
  | { readonly kind: 'Filter'; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Operand = { readonly kind: 'Path'; readonly steps: readonly Step[] } | { readonly kind: 'Value'; readonly value: unknown };

type Part =
  | { readonly kind: 'Text'; readonly text: string }
  | { readonly kind: 'Values'; readonly steps: readonly Step[] }
  | { readonly kind: 'Range'; readonly steps: readonly Step[]; readonly body: readonly Part[] };

const wrong = (text: string, why: string): UserError => new UserError(`error parsing jsonpath ${text}, ${why}`);

/** Position of the bracket that closes the one at `at`; quotes are passed over. */
function closing(text: string, at: number, [open, close]: readonly [string, string]): number {
  let depth = 0;
  let quote = '';
  for (let i = at; i < text.length; i++) {
    const char = text[i] ?? '';
    if (quote !== '') {
      if (char === '\\') i++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return i;
  }
  throw wrong(text, `unclosed ${open}`);
}

const depthChange: Readonly<Record<string, number>> = { '[': 1, '(': 1, ']': -1, ')': -1 };

/** Splits at a separator outside of quotes and brackets. */
function splitOutside(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let [start, depth, quote] = [0, 0, ''];
  for (const [at, char] of [...text].entries()) {
    const isQuote = char === '"' || char === "'";
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (isQuote) quote = char;
    else if (char === separator && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    } else depth += depthChange[char] ?? 0;
  }
  return [...parts, text.slice(start)];
}

const unquoted = (text: string): string | undefined =>
  /^'.*'$|^".*"$/s.test(text) ? text.slice(1, -1).replaceAll("\\'", "'").replaceAll('\\"', '"') : undefined;

function operandOf(text: string): Operand {
  const trimmed = text.trim();
  const quoted = unquoted(trimmed);
  if (quoted !== undefined) return { kind: 'Value', value: quoted };
  if (trimmed === 'true' || trimmed === 'false') return { kind: 'Value', value: trimmed === 'true' };
  if (trimmed !== '' && Number.isFinite(Number(trimmed))) return { kind: 'Value', value: Number(trimmed) };
  return { kind: 'Path', steps: parsePath(trimmed.replace(/^@/, '')) };
}

function filterOf(text: string): Step {
  const found = /^(.*?)(==|!=|<=|>=|<|>)(.*)$/s.exec(text);
  if (found === null) return { kind: 'Filter', left: operandOf(text), operator: 'exists', right: undefined };
  return { kind: 'Filter', left: operandOf(found[1] ?? ''), operator: found[2] ?? '', right: operandOf(found[3] ?? '') };
}

function bracketStep(inner: string): Step {
  const text = inner.trim();
  if (text === '*') return { kind: 'All' };
  if (text.startsWith('?(') && text.endsWith(')')) return filterOf(text.slice(2, -1));
  const parts = splitOutside(text, ',');
  if (parts.length > 1) return { kind: 'Union', branches: parts.map((part) => [bracketStep(part)]) };
  const quoted = unquoted(text);
  if (quoted !== undefined) return { kind: 'Member', name: quoted };
  const slice = /^(-?\d*)(?::(-?\d*))?(?::(-?\d+))?$/.exec(text);
  if (slice === null || text === '') throw wrong(text, `invalid array index ${text}`);
  const number = (digits: string | undefined): number | undefined => (digits === undefined || digits === '' ? undefined : Number(digits));
  return { kind: 'Slice', from: number(slice[1]), to: number(slice[2]), by: number(slice[3]) ?? 1, single: !text.includes(':') };
}

/** One step of a path, and how many characters it takes. */
function stepAt(text: string, at: number): { readonly step: Step | undefined; readonly length: number } {
  if (text.startsWith('..', at)) return { step: { kind: 'Below' }, length: text[at + 2] === '[' ? 2 : 1 };
  if (text[at] === '[') {
    const end = closing(text, at, ['[', ']']);
    return { step: bracketStep(text.slice(at + 1, end)), length: end + 1 - at };
  }
  const dot = text[at] === '.' ? 1 : 0;
  const [name = ''] = /^(?:\\.|[^.[\\])*/s.exec(text.slice(at + dot)) ?? [];
  if (name === '') {
    if (dot === 0) throw wrong(text, `unrecognized character ${JSON.stringify(text[at])}`);
    return { step: undefined, length: 1 };
  }
  const step: Step = name === '*' ? { kind: 'All' } : { kind: 'Member', name: name.replaceAll(/\\(.)/g, '$1') };
  return { step, length: dot + name.length };
}

function parsePath(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = text.startsWith('$') ? 1 : 0; at < text.length;) {
    const { step, length } = stepAt(text, at);
    if (step !== undefined) steps.push(step);
    at += length;
  }
  return steps;
}

const valuesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : isJsonObject(value) ? Object.values(value) : [];

const below = (value: unknown): readonly unknown[] => [value, ...valuesOf(value).flatMap(below)];

function slice(list: readonly unknown[], step: Extract<Step, { kind: 'Slice' }>): readonly unknown[] {
  const at = (index: number): number => (index < 0 ? index + list.length : index);
  if (step.single) {
    const index = at(step.from ?? 0);
    if (index < 0 || index >= list.length) throw new UserError(`array index out of bounds: index ${step.from ?? 0}, length ${list.length}`);
    return [list[index]];
  }
  const chosen: unknown[] = [];
  for (let i = at(step.from ?? 0); i < Math.min(at(step.to ?? list.length), list.length); i += Math.max(step.by, 1))
    if (i >= 0) chosen.push(list[i]);
  return chosen;
}

function compares(left: unknown, operator: string, right: unknown): boolean {
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return (left as number) < (right as number);
    case '<=':
      return (left as number) <= (right as number);
    case '>':
      return (left as number) > (right as number);
    default:
      return (left as number) >= (right as number);
  }
}

/** An index that a list does not have selects nothing in a filter. */
function operandValues(item: unknown, operand: Operand): readonly unknown[] {
  if (operand.kind === 'Value') return [operand.value];
  try {
    return evaluate([item], operand.steps, true);
  } catch {
    return [];
  }
}

function keeps(item: unknown, step: Extract<Step, { kind: 'Filter' }>): boolean {
  const value = (operand: Operand): readonly unknown[] => operandValues(item, operand);
  const [left] = value(step.left);
  if (step.right === undefined) return left !== undefined;
  const [right] = value(step.right);
  return left !== undefined && right !== undefined && compares(left, step.operator, right);
}

function member(value: unknown, name: string, lenient: boolean): readonly unknown[] {
  if (isJsonObject(value) && Object.hasOwn(value, name)) return [value[name]];
  if (lenient) return [];
  throw new UserError(`${name} is not found`);
}

function evaluate(values: readonly unknown[], steps: readonly Step[], lenient: boolean): readonly unknown[] {
  let [found, isBelow] = [values, false];
  for (const step of steps) {
    const forgiving = lenient || isBelow;
    switch (step.kind) {
      case 'Member':
        found = found.flatMap((value) => member(value, step.name, forgiving));
        break;
      case 'All':
        found = found.flatMap(valuesOf);
        break;
      case 'Below':
        found = found.flatMap(below);
        break;
      case 'Slice':
        found = found.flatMap((value) => (Array.isArray(value) ? slice(value as readonly unknown[], step) : []));
        break;
      case 'Union':
        found = step.branches.flatMap((branch) => evaluate(found, branch, forgiving));
        break;
      case 'Filter':
        found = found.flatMap((value) => valuesOf(value).filter((item) => keeps(item, step)));
        break;
    }
    isBelow = step.kind === 'Below';
  }
  return found;
}

function parseTemplate(template: string): readonly Part[] {
  const stack: { readonly steps: readonly Step[]; readonly parts: Part[] }[] = [{ steps: [], parts: [] }];
  for (let at = 0; at < template.length;) {
    const top = stack.at(-1) as { readonly steps: readonly Step[]; readonly parts: Part[] };
    if (template[at] !== '{') {
      const next = template.indexOf('{', at);
      const end = next < 0 ? template.length : next;
      top.parts.push({ kind: 'Text', text: template.slice(at, end) });
      at = end;
      continue;
    }
    const end = closing(template, at, ['{', '}']);
    const inner = template.slice(at + 1, end).trim();
    at = end + 1;
    const quoted = unquoted(inner);
    if (quoted !== undefined) top.parts.push({ kind: 'Text', text: quoted.replaceAll('\\n', '\n').replaceAll('\\t', '\t') });
    else if (inner === 'end') {
      if (stack.length < 2) throw wrong(template, 'not in range, nothing to end');
      stack.pop();
      stack.at(-1)?.parts.push({ kind: 'Range', steps: top.steps, body: top.parts });
    } else if (/^range\s/.test(inner)) stack.push({ steps: parsePath(inner.slice(6).trim()), parts: [] });
    else top.parts.push({ kind: 'Values', steps: parsePath(inner.replace(/^@/, '')) });
  }
  if (stack.length > 1) throw wrong(template, 'unclosed range');
  return stack[0]?.parts ?? [];
}

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === undefined
      ? ''
      : JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner));

function render(parts: readonly Part[], value: unknown, lenient: boolean): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'Text':
          return part.text;
        case 'Values':
          return evaluate([value], part.steps, lenient).map(textOf).join(' ');
        case 'Range':
          return evaluate([value], part.steps, lenient)
            .map((item) => render(part.body, item, lenient))
            .join('');
      }
    })
    .join('');
}

/** `.a.b` is short for `{.a.b}`. */
const bracketed = (template: string): string =>
  /^\s*\{|\{/.test(template) ? template : `{${template.startsWith('.') || template.startsWith('$') ? '' : '.'}${template}}`;

/**
 * What a template makes of an object.
 *
 * @param lenient members that are not there give nothing; else they are a failure
 * @throws UserError for a template that cannot be read
 */
export const jsonPathText = (template: string, object: unknown, lenient: boolean): string =>
  render(parseTemplate(bracketed(template)), object, lenient);

/** What the first path of a template selects, as JSON. */
export function jsonPathValues(template: string, object: unknown, lenient: boolean): readonly unknown[] {
  return parseTemplate(bracketed(template)).flatMap((part) => (part.kind === 'Values' ? evaluate([object], part.steps, lenient) : []));
}
