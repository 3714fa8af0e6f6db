/** Parses resource expressions such as `max(cpu*50%, 50m)`. @see spec/sidecarset.md 5.4 */
import type { Quantity } from '@kruise/objects';
import { ExpressionError, syntaxError, tokensOf, type Token } from './tokens.ts';

export type Expression =
  | { readonly kind: 'Number'; readonly value: number }
  | { readonly kind: 'Quantity'; readonly value: Quantity }
  /** `name` in lower case, `written` as the user wrote it. */
  | { readonly kind: 'Variable'; readonly name: string; readonly written: string }
  | { readonly kind: 'Negative'; readonly of: Expression }
  | { readonly kind: 'Operation'; readonly operator: Operator; readonly left: Expression; readonly right: Expression };

export type Operator = '+' | '-' | '*' | '/' | 'max' | 'min';

/** Far beyond any sensible expression; it also bounds the depth of nesting. */
const maxLength = 1000;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  whole(): Expression {
    const expression = this.#sum();
    if (this.#next.kind !== 'End') throw syntaxError(this.#next.column);
    return expression;
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** Consumes one of the signs if it follows. */
  #sign<S extends '+' | '-' | '*' | '/' | '(' | ')' | ','>(...signs: readonly S[]): S | undefined {
    const token = this.#next;
    const sign = token.kind === 'Sign' ? signs.find((wanted) => wanted === token.sign) : undefined;
    if (sign !== undefined) this.#at += 1;
    return sign;
  }

  #expect(sign: '(' | ')' | ','): void {
    if (this.#sign(sign) === undefined) throw syntaxError(this.#next.column);
  }

  #sum(): Expression {
    return this.#leftToRight(['+', '-'], () => this.#product());
  }

  #product(): Expression {
    return this.#leftToRight(['*', '/'], () => this.#factor());
  }

  #leftToRight(signs: readonly ('+' | '-' | '*' | '/')[], operand: () => Expression): Expression {
    let left = operand();
    for (let operator = this.#sign(...signs); operator !== undefined; operator = this.#sign(...signs))
      left = { kind: 'Operation', operator, left, right: operand() };
    return left;
  }

  #factor(): Expression {
    if (this.#sign('-') !== undefined) return { kind: 'Negative', of: this.#factor() };
    if (this.#sign('(') !== undefined) {
      const inner = this.#sum();
      this.#expect(')');
      return inner;
    }
    const token = this.#next;
    if (token.kind === 'End' || token.kind === 'Sign') throw syntaxError(token.column);
    this.#at += 1;
    return token.kind === 'Name' ? this.#named(token) : ({ kind: token.kind, value: token.value } as Expression);
  }

  /** Parses a variable, or a function of one or two arguments; both existing functions take two. */
  #named({ name, written }: Extract<Token, { kind: 'Name' }>): Expression {
    if (this.#sign('(') === undefined) return { kind: 'Variable', name, written };
    if (name !== 'max' && name !== 'min') throw new ExpressionError(`unknown function: ${written}`);
    const left = this.#sum();
    this.#expect(',');
    const right = this.#sum();
    this.#expect(')');
    return { kind: 'Operation', operator: name, left, right };
  }
}

/** Parses an expression. @throws ExpressionError */
export function parseExpression(text: string): Expression {
  if (text.length > maxLength) throw new ExpressionError(`expression is longer than ${String(maxLength)} characters`);
  return new Parser(text).whole();
}
