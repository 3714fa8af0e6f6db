/** The tokens of resource expressions. @see spec/sidecarset.md 5.4 */
import { parseQuantity, type Quantity } from '@kruise/objects';

export type Token =
  | { readonly kind: 'Number'; readonly value: number; readonly column: number }
  | { readonly kind: 'Quantity'; readonly value: Quantity; readonly column: number }
  /** In lower case, because case does not matter; `written` as the user wrote it. */
  | { readonly kind: 'Name'; readonly name: string; readonly written: string; readonly column: number }
  | { readonly kind: 'Sign'; readonly sign: '+' | '-' | '*' | '/' | '(' | ')' | ','; readonly column: number }
  | { readonly kind: 'End'; readonly column: number };

/** Why an expression cannot be parsed or calculated; its message is shown to the user. */
export class ExpressionError extends Error {}

/** Returns a syntax error. @param column counted from 1 */
export const syntaxError = (column: number): ExpressionError =>
  new ExpressionError(`parse error: syntax error at line 1, col ${String(column)}`);

const word = /(?<blank>\s+)|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?<suffix>%|\w*)|(?<name>[A-Za-z]\w*)|(?<sign>[-+*/(),])/y;
const quantitySuffix = /^(?:[mkMGTP]|[KMGTP]i)$/;

function numberToken(groups: Readonly<Record<string, string | undefined>>, column: number): Token {
  const { number = '', suffix = '' } = groups;
  if (suffix === '' || suffix === '%') {
    const value = Number(number) / (suffix === '%' ? 100 : 1);
    if (!Number.isFinite(value)) throw new ExpressionError(`number out of range: ${number}`);
    return { kind: 'Number', value, column };
  }
  const value = quantitySuffix.test(suffix) ? parseQuantity(`${number}${suffix}`) : undefined;
  if (value === undefined) throw new ExpressionError(`malformed number: ${number}${suffix}`);
  return { kind: 'Quantity', value, column };
}

/** Returns the tokens of a text. @throws ExpressionError for an unexpected character or number */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    word.lastIndex = at;
    const groups = word.exec(text)?.groups;
    if (groups === undefined) throw syntaxError(at + 1);
    const column = at + 1;
    const { number, name, sign } = groups;
    if (number !== undefined) tokens.push(numberToken(groups, column));
    else if (name !== undefined) tokens.push({ kind: 'Name', name: name.toLowerCase(), written: name, column });
    else if (sign !== undefined) tokens.push({ kind: 'Sign', sign: sign as '+', column });
    at = word.lastIndex;
  }
  return [...tokens, { kind: 'End', column: text.length + 1 }];
}
