/** Arithmetic of resource expressions: numbers are doubles, amounts are exact to a thousandth. @see spec/sidecarset.md 5.4 */
import { addQuantities, compareQuantities, quantityMilliValue, subtractQuantities, type Quantity } from '@kruise/objects';
import type { Expression, Operator } from './parse.ts';
import { ExpressionError } from './tokens.ts';

export type Value = { readonly kind: 'Number'; readonly value: number } | { readonly kind: 'Quantity'; readonly value: Quantity };

const nanosPerMilli = 1_000_000n;

const quantityValue = (value: Quantity): Value => ({ kind: 'Quantity', value });

function numberValue(value: number): Value {
  if (!Number.isFinite(value)) throw new ExpressionError('calculation result is out of range');
  return { kind: 'Number', value };
}

/** Returns an amount. @param milli in thousandths; smaller fractions are truncated */
function ofMilli(milli: number, format: Quantity['format']): Quantity {
  if (!Number.isFinite(milli)) throw new ExpressionError('calculation result is out of range');
  return { nanos: BigInt(Math.trunc(milli)) * nanosPerMilli, format };
}

/** Returns a number as an amount, truncated to thousandths. */
const amountOf = (value: Value): Quantity => (value.kind === 'Quantity' ? value.value : ofMilli(value.value * 1000, 'DecimalSI'));

const scaled = ({ value }: Extract<Value, { kind: 'Quantity' }>, change: (milli: number) => number): Value =>
  quantityValue(ofMilli(change(Number(quantityMilliValue(value))), value.format));

function multiply(left: Value, right: Value): Value {
  if (left.kind === 'Number') return right.kind === 'Number' ? numberValue(left.value * right.value) : multiply(right, left);
  if (right.kind === 'Quantity') throw new ExpressionError('multiplication of two quantities');
  return scaled(left, (milli) => milli * right.value);
}

function divide(left: Value, right: Value): Value {
  if (right.kind === 'Quantity') throw new ExpressionError('division by quantity');
  if (right.value === 0) throw new ExpressionError('division by zero');
  return left.kind === 'Number' ? numberValue(left.value / right.value) : scaled(left, (milli) => milli / right.value);
}

const areNumbers = (left: Value, right: Value): boolean => left.kind === 'Number' && right.kind === 'Number';

function compare(left: Value, right: Value): number {
  return left.kind === 'Number' && right.kind === 'Number' ? left.value - right.value : compareQuantities(amountOf(left), amountOf(right));
}

const operations: Readonly<Record<Operator, (left: Value, right: Value) => Value>> = {
  '+': (left, right) =>
    areNumbers(left, right)
      ? numberValue((left.value as number) + (right.value as number))
      : quantityValue(addQuantities(amountOf(left), amountOf(right))),
  '-': (left, right) =>
    areNumbers(left, right)
      ? numberValue((left.value as number) - (right.value as number))
      : quantityValue(subtractQuantities(amountOf(left), amountOf(right))),
  '*': multiply,
  '/': divide,
  max: (left, right) => (compare(left, right) >= 0 ? left : right),
  min: (left, right) => (compare(left, right) <= 0 ? left : right),
};

const negative = (value: Value): Value =>
  value.kind === 'Number' ? numberValue(-value.value) : quantityValue({ ...value.value, nanos: -value.value.nanos });

/**
 * Calculates an expression.
 *
 * @param variable the one that the expression may name
 * @throws ExpressionError
 */
export function calculate(expression: Expression, variable: { readonly name: string; readonly value: Quantity }): Value {
  switch (expression.kind) {
    case 'Number':
    case 'Quantity':
      return expression;
    case 'Variable':
      if (expression.name !== variable.name) throw new ExpressionError(`undefined variable: ${expression.written}`);
      return quantityValue(variable.value);
    case 'Negative':
      return negative(calculate(expression.of, variable));
    case 'Operation':
      return operations[expression.operator](calculate(expression.left, variable), calculate(expression.right, variable));
  }
}

/** Returns a plain number as the amount of a resource: of cpu to a thousandth, of memory in whole bytes. */
export const amountOfResult = (value: Value, resource: string): Quantity =>
  value.kind === 'Number' && resource === 'memory' ? ofMilli(Math.trunc(value.value) * 1000, 'DecimalSI') : amountOf(value);
