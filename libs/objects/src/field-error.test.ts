import { expect, it } from '@jest/globals';
import { fieldInvalid, formatFieldError } from './field-error.ts';

it.each<[string, unknown, string]>([
  ['as long as the bound', 'x'.repeat(1022), `"${'x'.repeat(1022)}"`],
  ['one character longer', 'x'.repeat(1023), `"${'x'.repeat(1022)}…`],
  ['that would end with half a character', `${'x'.repeat(1021)}😀`, `"${'x'.repeat(1021)}…`],
  ['of many members', { values: new Array(5000).fill('x') }, `{"values":[${'"x",'.repeat(253)}…`],
])('shows this much of a value %s', (_name, value, shown) => {
  const text = formatFieldError(fieldInvalid('spec.selector', value, 'is wrong'));
  expect(text).toBe(`spec.selector: Invalid value: ${shown}: is wrong`);
});
