import { describe, expect, it } from '@jest/globals';
import { formatQuantity, parseQuantity } from '@kruise/objects';
import { checkResourceExpression, compileResourceExpression, type ExpressionResource } from './resource-expression.ts';

function evaluated(text: string, resource: ExpressionResource, amount: string): string {
  const compiled = compileResourceExpression(text, resource);
  if (compiled.kind === 'Illegal') return `illegal: ${compiled.why}`;
  const result = compiled.evaluate(parseQuantity(amount)!);
  return result.kind === 'Evaluated' ? formatQuantity(result.value) : `${result.kind.toLowerCase()}: ${result.why}`;
}

describe('an expression for cpu', () => {
  it.each<[text: string, cpu: string, then: string]>([
    ['max(cpu*50%, 50m)', '200m', '100m'],
    ['max(cpu*50%, 50m)', '20m', '50m'],
    ['MAX(CPU * 50%, 50m)', '200m', '100m'],
    ['cpu*0.29', '100m', '28m'],
    ['0.5*cpu - 0.3*max(0, cpu-4) + 0.3*max(0, cpu-8)', '6', '2400m'],
    ['8/2/2', '1', '2'],
    ['8-2-2', '1', '4'],
    ['2+3*4', '1', '14'],
    ['(2+3)*4', '1', '20'],
    ['1.5k', '1', '1500'],
    ['cpu * .5', '1', '500m'],
    ['cpu * .25', '1', '250m'],
    ['2.', '1', '2'],
    ['1e3', '1', '1k'],
    ['1E-1*cpu', '1', '100m'],
    ['-cpu+2', '500m', '1500m'],
    ['- -1', '1', '1'],
    ['0.0019', '1', '1m'],
    ['cpu-cpu', '1', '0'],
    ['min(cpu, 1)', '1', '1'],
    ['min(cpu, 1)', '500m', '500m'],
    ['min(cpu, 1)', '2', '1'],
    ['max(1, 2)', '1', '2'],
    ['max(2, 1)', '1', '2'],
    ['min(1, 2)', '1', '1'],
    ['min(2, 1)', '1', '1'],
    ['min(0.0001, 0.0002)*10000', '1', '1'],
    ['max(0.0001, 0.0002)*10000', '1', '2'],
    ['2--cpu', '1', '3'],
    ['3--1', '1', '4'],
    ['cpu*1e300*1e300', '1', 'failed: calculation result is out of range'],
    ['cpu/3', '1', '333m'],
    ['cpu/3', '1Gi', '357913941333m'],
    ['cpu+0.5', '1', '1500m'],
    ['1-cpu', '2', 'negative: calculation result is negative: -1'],
    ['cpu*cpu', '1', 'failed: multiplication of two quantities'],
    ['1/cpu', '1', 'failed: division by quantity'],
    ['cpu/0', '1', 'failed: division by zero'],
    ['cpu/(1-1)', '1', 'failed: division by zero'],
    ['memory', '1', 'failed: undefined variable: memory'],
    ['X+1', '1', 'failed: undefined variable: X'],
    ['1e300*1e300', '1', 'failed: calculation result is out of range'],
    ['1/(1e300*1e300)', '1', 'failed: calculation result is out of range'],
  ])('%j of %s is %s', (text, cpu, then) => {
    expect(evaluated(text, 'cpu', cpu)).toBe(then);
  });

  it.each<[text: string, why: string]>([
    ['', 'parse error: syntax error at line 1, col 1'],
    ['2 3', 'parse error: syntax error at line 1, col 3'],
    ['cpu$', 'parse error: syntax error at line 1, col 4'],
    ['max(1,2,3)', 'parse error: syntax error at line 1, col 8'],
    ['max(1)', 'parse error: syntax error at line 1, col 6'],
    ['(1', 'parse error: syntax error at line 1, col 3'],
    ['1)', 'parse error: syntax error at line 1, col 2'],
    ['*2', 'parse error: syntax error at line 1, col 1'],
    ['+2', 'parse error: syntax error at line 1, col 1'],
    ['.', 'parse error: syntax error at line 1, col 1'],
    ['avg(1,2)', 'unknown function: avg'],
    ['5Ei', 'malformed number: 5Ei'],
    ['1e3m', 'malformed number: 1e3m'],
    ['5x', 'malformed number: 5x'],
    ['2cpu', 'malformed number: 2cpu'],
    ['3E', 'malformed number: 3E'],
    ['1e', 'malformed number: 1e'],
    ['1e999', 'number out of range: 1e999'],
    ['1+'.repeat(600), 'expression is longer than 1000 characters'],
    [`${'('.repeat(500)}1${')'.repeat(499)}`, 'parse error: syntax error at line 1, col 1001'],
  ])('%.20j cannot be read', (text, why) => {
    expect(compileResourceExpression(text, 'cpu')).toEqual({ kind: 'Illegal', why });
  });
});

describe('an expression for memory', () => {
  it.each<[text: string, memory: string, then: string]>([
    ['memory*50%', '200Mi', '100Mi'],
    ['memory/4', '1Gi', '256Mi'],
    ['200Mi', '0', '200Mi'],
    ['memory/3', '1Gi', '357913942'],
    ['0.2', '1Gi', '0'],
    ['1000.7', '1Gi', '1k'],
    ['memory - 100Mi', '1Gi', '924Mi'],
    ['0 + memory', '1Gi', '1Gi'],
    ['100M + memory*0', '1Gi', '100M'],
    ['max(memory, 1G)', '1Gi', '1Gi'],
    ['max(1Gi, 1073741824)', '1Gi', '1Gi'],
    ['min(1Gi, 1073741824)', '1Gi', '1Gi'],
  ])('%j of %s is %s', (text, memory, then) => {
    expect(evaluated(text, 'memory', memory)).toBe(then);
  });
});

describe('an expression with a plain number as its result', () => {
  it.each(['cpu', 'memory'] as const)('of %s is an amount in the decimal style', (resource) => {
    const compiled = compileResourceExpression('2', resource);
    expect(compiled.kind === 'Compiled' && compiled.evaluate(parseQuantity('1Gi')!)).toEqual({
      kind: 'Evaluated',
      value: { nanos: 2_000_000_000n, format: 'DecimalSI' },
    });
  });
});

describe('an expression at admission', () => {
  it.each<[text: string, resource: ExpressionResource, then: string]>([
    ['max(cpu*50%, 50m)', 'cpu', 'Usable'],
    ['cpu - 2', 'cpu', 'Usable'],
    ['memory - 100Mi', 'memory', 'Usable'],
    ['0 - cpu', 'cpu', 'Unusable'],
    ['memory - 1Ei', 'memory', 'Unusable'],
    ['cpu - 1000', 'cpu', 'Usable'],
    ['max(1, cpu)*cpu', 'cpu', 'Doubtful'],
    ['cpu*cpu', 'cpu', 'Unusable'],
    ['1/cpu', 'cpu', 'Unusable'],
    ['cpu/0', 'cpu', 'Unusable'],
    ['memory', 'cpu', 'Unusable'],
    ['cpu', 'memory', 'Unusable'],
    ['cpu+', 'cpu', 'Unusable'],
  ])('%j for %s is %s', (text, resource, then) => {
    expect(checkResourceExpression(text, resource).kind).toBe(then);
  });
});
