/** Resource expressions of SidecarSets for their users: compiled once, checked at admission, evaluated for each Pod. */
import { formatQuantity, parseQuantity, quantityValue, type Quantity } from '@kruise/objects';
import { amountOfResult, calculate } from './calculate.ts';
import { parseExpression } from './parse.ts';
import { ExpressionError } from './tokens.ts';

/** The resource that an expression is for, and its one variable. */
export type ExpressionResource = 'cpu' | 'memory';

/** The result of an expression for one Pod. */
export type Evaluated =
  | { readonly kind: 'Evaluated'; readonly value: Quantity }
  /** The result is below 0, which no resource can be. */
  | { readonly kind: 'Negative'; readonly why: string }
  | { readonly kind: 'Failed'; readonly why: string };

/** Evaluates the expression. @param amount of the variable */
export type ResourceExpression = (amount: Quantity) => Evaluated;

/** A compiled expression, or why the text is invalid. */
export type CompiledExpression =
  { readonly kind: 'Compiled'; readonly evaluate: ResourceExpression } | { readonly kind: 'Illegal'; readonly why: string };

const nano = 1_000_000_000n;

/** Rounds up to whole bytes, because a byte cannot be divided. */
const inWholeBytes = (value: Quantity): Quantity => ({ nanos: quantityValue(value) * nano, format: value.format });

function orWhy<T>(make: () => T): T | ExpressionError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

/**
 * Compiles an expression.
 *
 * @param resource in a memory expression the result is rounded up to whole bytes
 * @returns a function of the amount of the variable: never negative, and with the unit style (binary or decimal) of the calculation
 * @see spec/sidecarset.md 5.4
 */
export function compileResourceExpression(text: string, resource: ExpressionResource): CompiledExpression {
  const expression = orWhy(() => parseExpression(text));
  if (expression instanceof ExpressionError) return { kind: 'Illegal', why: expression.message };
  const evaluate: ResourceExpression = (amount) => {
    const value = orWhy(() => amountOfResult(calculate(expression, { name: resource, value: amount }), resource));
    if (value instanceof ExpressionError) return { kind: 'Failed', why: value.message };
    if (value.nanos < 0n) return { kind: 'Negative', why: `calculation result is negative: ${formatQuantity(value)}` };
    return { kind: 'Evaluated', value: resource === 'memory' ? inWholeBytes(value) : value };
  };
  return { kind: 'Compiled', evaluate };
}

/** Whether an expression can be used: never, for some Pods only, or always (as far as small and large Pods show). */
export type ExpressionCheck =
  { readonly kind: 'Usable' } | { readonly kind: 'Doubtful'; readonly why: string } | { readonly kind: 'Unusable'; readonly why: string };

const samples: Readonly<Record<ExpressionResource, readonly string[]>> = {
  cpu: ['50m', '1', '100', '1M'],
  memory: ['16Mi', '1Gi', '1Ti', '1Pi'],
};

/**
 * Tries the expression with several amounts. A result that is negative for some of them is no fault, because the amounts of the Pods are unknown. One
 * that fails or is negative for all of them can be used by no Pod.
 */
export function checkResourceExpression(text: string, resource: ExpressionResource): ExpressionCheck {
  const compiled = compileResourceExpression(text, resource);
  if (compiled.kind === 'Illegal') return { kind: 'Unusable', why: compiled.why };
  const tried = samples[resource].map((amount) => compiled.evaluate(parseQuantity(amount) as Quantity));
  const faults = tried.filter((result) => result.kind !== 'Evaluated');
  const failed = faults.filter(({ kind }) => kind === 'Failed');
  const fault = failed[0] ?? faults[0];
  if (fault === undefined || (failed.length === 0 && faults.length < tried.length)) return { kind: 'Usable' };
  return { kind: faults.length === tried.length ? 'Unusable' : 'Doubtful', why: fault.why };
}
