import { describe, expect, it } from '@jest/globals';
import { closestText } from '../text/closest-text.ts';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldKey,
  fieldNotFound,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  fieldTypeInvalid,
  formatFieldError,
  formatFieldErrors,
  type FieldError,
} from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkLabelValue, checkQualifiedName } from './names.ts';

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

  it('returns the messages of Kubernetes', () => {
    expect(checkDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(checkDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(checkDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(checkQualifiedName('/a')).toEqual(['prefix part must be non-empty']);
    expect(checkQualifiedName('')[0]).toBe('name part must be non-empty');
  });

  const rules = {
    label:
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    subdomain:
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    qualified:
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    value:
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  };

  it.each<[string, (text: string) => readonly string[], string, readonly string[]]>([
    ['a label that is too long and wrong', checkDns1123Label, 'A'.repeat(64), ['must be no more than 63 bytes', rules.label]],
    [
      'a label that is a subdomain and too long',
      checkDns1123Label,
      `a.${'a'.repeat(62)}`,
      ['must be no more than 63 bytes', 'must not contain dots'],
    ],
    ['a label with dots that is no subdomain either', checkDns1123Label, 'a..b', [rules.label]],
    ['a subdomain', checkDns1123Subdomain, 'a_b', [rules.subdomain]],
    ['a subdomain that is too long', checkDns1123Subdomain, 'a'.repeat(254), ['must be no more than 253 bytes']],
    ['a label value', checkLabelValue, 'a b', [rules.value]],
    ['a label value that is too long', checkLabelValue, 'a'.repeat(64), ['must be no more than 63 bytes']],
    ['a name', checkQualifiedName, 'a b', [`name part ${rules.qualified}`]],
    ['an empty name', checkQualifiedName, '', ['name part must be non-empty', `name part ${rules.qualified}`]],
    ['a name that is too long', checkQualifiedName, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
    ['an empty name behind a prefix', checkQualifiedName, 'x.io/', ['name part must be non-empty', `name part ${rules.qualified}`]],
    ['a prefix', checkQualifiedName, 'X/a', [`prefix part ${rules.subdomain}`]],
    [
      'a prefix and a name',
      checkQualifiedName,
      `${'x'.repeat(254)}/-`,
      ['prefix part must be no more than 253 bytes', `name part ${rules.qualified}`],
    ],
    [
      'two slashes',
      checkQualifiedName,
      'a/b/c',
      [`a qualified name ${rules.qualified} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
  ])('returns for %s the messages of Kubernetes', (_name, check, text, messages) => {
    expect(check(text)).toEqual(messages);
  });

  it('accepts the longest names that Kubernetes accepts', () => {
    expect([
      checkDns1123Label('a'.repeat(63)),
      checkDns1123Subdomain('a'.repeat(253)),
      checkLabelValue('a'.repeat(63)),
      checkQualifiedName(`${'a'.repeat(253)}/${'a'.repeat(63)}`),
    ]).toEqual([[], [], [], []]);
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
    [fieldTooMany('a', 5, 1), 'a: Too many: 5: must have at most 1 item'],
    [fieldTooMany('a', 5, 2), 'a: Too many: 5: must have at most 2 items'],
    [fieldInvalid('a', undefined, 'no'), 'a: Invalid value: null: no'],
    [fieldInvalid('a', Number.NaN, 'no'), 'a: Invalid value: <number>: no'],
    [fieldInvalid('a', 1, ''), 'a: Invalid value: 1'],
    [fieldNotSupported('a', 'x', []), 'a: Unsupported value: "x"'],
    [fieldNotSupported('a', 7, ['7']), 'a: Unsupported value: 7: supported values: "7"'],
    [fieldNotSupported('a', 'a<b', ['a<c']), 'a: Unsupported value: "a<b": supported values: "a\\u003cc"; did you mean "a\\u003cc"?'],
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
  });

  it('are listed up to a thousand', () => {
    const failures = Array.from({ length: 1002 }, (_, i) => fieldRequired(`a[${String(i)}]`));
    const listed = (count: number): string =>
      failures
        .slice(0, count)
        .map(({ field }) => `${field}: Required value`)
        .join(', ');
    expect(formatFieldErrors(failures.slice(0, 1000))).toBe(`[${listed(1000)}]`);
    expect(formatFieldErrors(failures)).toBe(`[${listed(1000)}, and more]`);
  });

  it.each<[FieldError, string]>([
    [fieldRequired('a'), 'FieldValueRequired'],
    [fieldInvalid('a', 1, 'no'), 'FieldValueInvalid'],
    [fieldTypeInvalid('a', 1, 'no'), 'FieldValueTypeInvalid'],
    [fieldDuplicate('a', 1), 'FieldValueDuplicate'],
    [fieldNotFound('a', 1), 'FieldValueNotFound'],
    [fieldNotSupported('a', 1, []), 'FieldValueNotSupported'],
    [fieldTooMany('a', 2, 1), 'FieldValueTooMany'],
    [fieldInternal('a', 'x'), 'InternalError'],
  ])('contain the reason of a Status: %#', (failure, reason) => {
    expect(failure).toMatchObject({ type: reason, field: 'a' });
  });

  it('have paths', () => {
    expect(fieldPath('spec', 'containers', 0, 'image')).toBe('spec.containers[0].image');
    expect(fieldPath('', 'spec')).toBe('spec');
    expect(fieldPath('spec', '', 'a')).toBe('spec.a');
    expect(fieldPath('spec', '[key]')).toBe('spec[key]');
    expect(fieldPath(0, 'a')).toBe('[0].a');
    expect(fieldPath()).toBe('');
    expect(fieldPath(fieldKey('metadata.labels', 'a.b/c'))).toBe('metadata.labels[a.b/c]');
  });
});

describe('closestText', () => {
  it.each([
    ['inplaceifpossible', 'InPlaceIfPossible'],
    ['InPlaceOnyl', 'InPlaceOnly'],
    ['InPlaceOn', 'InPlaceOnly'],
    ['InPlaceO', undefined],
    ['XInPlaceOnlyX', 'InPlaceOnly'],
    ['XXInPlaceOnlyX', undefined],
    ['RxCrxate', 'ReCreate'],
    ['RxCrxatx', undefined],
    ['Other', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('%.20s is %j', (text, expected) => {
    expect(closestText(text, ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'])).toBe(expected);
  });

  it.each([
    ['Aaay', 'aaab'],
    ['aayy', undefined],
    ['aaa', 'aaab'],
    ['aa', undefined],
    ['aaayy', 'aaab'],
  ])('accepts only one edit for a text of up to four characters: %s is %j', (text, expected) => {
    expect(closestText(text, ['aaab'])).toBe(expected);
  });

  it('is the first of the closest', () => {
    expect(closestText('OnDelete', ['OnDeleteXX', 'OnDeletX', 'OnDelete1', 'OnDelet'])).toBe('OnDeletX');
    expect(closestText('Always', ['ALWAYS', 'always', 'Always'])).toBe('ALWAYS');
    expect(closestText('Always', [])).toBeUndefined();
  });

  it('compares the first 64 characters', () => {
    const long = 'x'.repeat(64);
    expect(closestText(`${long}abc`, [`${long}defgh`])).toBe(`${long}defgh`);
    expect(closestText(`${'x'.repeat(61)}abc`, [`${'x'.repeat(61)}defgh`])).toBeUndefined();
  });
});
