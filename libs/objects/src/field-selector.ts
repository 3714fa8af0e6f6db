/** Field selectors (`spec.nodeName=n1,status.phase!=Running`): the flat form that lists and watches accept. */

export interface FieldRequirement {
  /** Dotted path into the object. */
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** The requirements in the order of the text, or why the text is invalid. */
export type ParsedFieldSelector =
  { readonly kind: 'Selector'; readonly requirements: readonly FieldRequirement[] } | { readonly kind: 'Illegal'; readonly why: string };

/** Splits at unescaped commas and then at the first `==`, `!=` or `=`. A backslash escapes `\`, `,` and `=` in values. */
export function parseFieldSelector(text: string): ParsedFieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of text.match(/(?:\\.|[^,\\])+/gs) ?? []) {
    const parts = /^([^=!\\]+)(==|!=|=)((?:\\[\\,=]|[^\\,=])*)$/s.exec(term);
    if (parts === null) return { kind: 'Illegal', why: `invalid selector: '${text}'; can't understand '${term}'` };
    const [, field = '', operator, value = ''] = parts;
    requirements.push({ field, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') });
  }
  return { kind: 'Selector', requirements };
}

/** Inverse of {@link parseFieldSelector}, in the given order. */
export const formatFieldSelector = (requirements: readonly FieldRequirement[]): string =>
  requirements
    .map(({ field, equal, value }) => `${field}${equal ? '=' : '!='}${value.replace(/[\\,=]/g, (character) => `\\${character}`)}`)
    .join(',');

/** Returns whether an object satisfies all of them; an absent member is the empty string. */
export const matchesFields = (object: unknown, requirements: readonly FieldRequirement[]): boolean =>
  requirements.every(({ field, equal, value }) => (fieldText(object, field) === value) === equal);

function fieldText(object: unknown, field: string): string {
  let node = object;
  for (const name of field.split('.')) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return '';
    node = (node as Readonly<Record<string, unknown>>)[name];
  }
  return typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean' ? String(node) : '';
}
