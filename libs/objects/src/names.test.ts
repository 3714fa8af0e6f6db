import { describe, expect, it } from '@jest/globals';
import { closestText } from './closest-text.ts';
import {
  fieldDuplicate,
  fieldErrorCauses,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldKey,
  fieldNotFound,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  fieldTypeInvalid,
  formatFieldError,
  formatFieldErrors,
  type FieldError,
} from './field-error.ts';
import { checkDns1035Label, checkDns1123Label, checkDns1123Subdomain, checkLabelValue, checkQualifiedName } from './names.ts';

describe('names', () => {
  it.each<[string, (text: string) => readonly string[], string[], string[]]>([
    [
      'DNS-1123 label',
      checkDns1123Label,
      ['a', '0', 'a-b', '123-abc', 'a'.repeat(63)],
      ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'a'.repeat(64), 'a\n'],
    ],
    [
      'DNS-1123 subdomain',
      checkDns1123Subdomain,
      ['a', 'a.b', '0.a-b.c', 'a'.repeat(253)],
      ['', 'A', 'a..b', '.a', 'a.', 'a.-b', 'a'.repeat(254)],
    ],
    ['DNS-1035 label', checkDns1035Label, ['a', 'a-0', 'a'.repeat(63)], ['', '0a', 'a.b', 'a-', 'a'.repeat(64)]],
    ['label value', checkLabelValue, ['', 'A', 'a_b.c-D', '1', 'a'.repeat(63)], ['-a', 'a-', 'a b', 'é', 'a'.repeat(64)]],
    [
      'qualified name',
      checkQualifiedName,
      ['a', 'A_b', 'x.io/a', 'x.io/A.b', `${'a'.repeat(253)}/a`],
      ['', '/a', 'x.io/', 'X.io/a', 'a/b/c', 'a b', 'a'.repeat(64)],
    ],
  ])('%s', (_name, check, valid, invalid) => {
    expect(valid.filter((text) => check(text).length > 0)).toEqual([]);
    expect(invalid.filter((text) => check(text).length === 0)).toEqual([]);
  });

  it('says what Kubernetes says', () => {
    expect(checkDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(checkDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(checkDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(checkQualifiedName('/a')).toEqual(['prefix part must be non-empty']);
    expect(checkQualifiedName('')[0]).toBe('name part must be non-empty');
  });
});

describe('field errors', () => {
  it.each<[FieldError, string]>([
    [fieldRequired('spec.selector'), 'spec.selector: Required value'],
    [fieldRequired('spec.selector', 'say which'), 'spec.selector: Required value: say which'],
    [fieldInvalid('spec.replicas', -1, 'must not be negative'), 'spec.replicas: Invalid value: -1: must not be negative'],
    [fieldInvalid('a', 'x"y', 'no'), 'a: Invalid value: "x\\"y": no'],
    [fieldInvalid('a', { b: [1] }, 'no'), 'a: Invalid value: {"b":[1]}: no'],
    [fieldInvalid('a', null, 'no'), 'a: Invalid value: null: no'],
    [fieldTypeInvalid('a', true, 'must be a list'), 'a: Invalid value: true: must be a list'],
    [fieldForbidden('spec', 'may not change'), 'spec: Forbidden: may not change'],
    [fieldDuplicate('a[1].name', 'x'), 'a[1].name: Duplicate value: "x"'],
    [fieldNotFound('a', 'x'), 'a: Not found: "x"'],
    [fieldTooLong('a', 63), 'a: Too long: may not be more than 63 bytes'],
    [fieldTooMany('a', 5, 1), 'a: Too many: 5: must have at most 1 item'],
    [fieldInternal('a', 'broken'), 'a: Internal error: broken'],
    [fieldNotSupported('a', 'x', ['Recreate', 'OnDelete']), 'a: Unsupported value: "x": supported values: "Recreate", "OnDelete"'],
    [
      fieldNotSupported('a', 'Recrate', ['Recreate', 'OnDelete']),
      'a: Unsupported value: "Recrate": supported values: "Recreate", "OnDelete"; did you mean "Recreate"?',
    ],
  ])('%#', (failure, text) => {
    expect(formatFieldError(failure)).toBe(text);
  });

  it('are aggregated without repetitions', () => {
    const one = fieldRequired('a');
    const two = fieldForbidden('b', 'no');
    expect([formatFieldErrors([]), formatFieldErrors([one]), formatFieldErrors([one, two, one])]).toEqual([
      '',
      'a: Required value',
      '[a: Required value, b: Forbidden: no]',
    ]);
    expect(fieldErrorCauses([two])).toEqual([{ reason: 'FieldValueForbidden', message: 'Forbidden: no', field: 'b' }]);
  });

  it('have paths', () => {
    expect(fieldPath('spec', 'containers', 0, 'image')).toBe('spec.containers[0].image');
    expect(fieldPath('', 'spec')).toBe('spec');
    expect(fieldPath(fieldKey('metadata.labels', 'a.b/c'))).toBe('metadata.labels[a.b/c]');
  });
});

describe('closestText', () => {
  it.each([
    ['inplaceifpossible', 'InPlaceIfPossible'],
    ['InPlaceOnyl', 'InPlaceOnly'],
    ['Other', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('%.20s is %j', (text, expected) => {
    expect(closestText(text, ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'])).toBe(expected);
  });
});
