/** The faults of an object's members, in the words of Kubernetes. @see spec/manager.md 4.2 */
import { canonicalJson, goString } from './json/canonical-json.ts';
import { closestText } from './text/closest-text.ts';
import { admissionLimits } from './limits/admission.ts';

/** The machine-readable reason in the causes of a Status. */
type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError';

/** One fault of an object. Create it with the functions below; a refusal lists all of them. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** For example `spec.template.spec.containers[0].image`; '' for the object itself. */
  readonly field: string;
  /** Printed for the types that show it; absent when the value would not help. */
  readonly value?: unknown;
  readonly detail: string;
}

const texts: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
};

/**
 * Joins a path: strings are members, numbers are list indexes. The first part may be a path already; empty parts are omitted.
 *
 * @example fieldPath('spec', 'containers', 0, 'image') // spec.containers[0].image
 */
export function fieldPath(...parts: readonly (string | number)[]): string {
  let path = '';
  for (const part of parts) {
    if (typeof part === 'number') path += `[${String(part)}]`;
    else if (part !== '') path += path === '' || part.startsWith('[') ? part : `.${part}`;
  }
  return path;
}

/** Returns the path of an entry of a map: `metadata.labels[app]`. */
export const fieldKey = (path: string, key: string): string => `${path}[${key}]`;

const error = (type: FieldErrorType, field: string, detail: string): FieldError => ({ type, field, detail });
const errorOf = (type: FieldErrorType, field: string, value: unknown, detail: string): FieldError => ({ type, field, detail, value });

/** Reports that the member is missing or empty. The value is not shown. */
export const fieldRequired = (field: string, detail = ''): FieldError => error('FieldValueRequired', field, detail);
/** Reports that the member must not be set or changed here. The value is not shown. */
export const fieldForbidden = (field: string, detail: string): FieldError => error('FieldValueForbidden', field, detail);
/** Reports that the check itself failed, which says nothing about the object. */
export const fieldInternal = (field: string, detail: string): FieldError => error('InternalError', field, detail);
/** Reports that the value has the right type and violates a rule. It is shown as JSON, so never use it for a secret. */
export const fieldInvalid = (field: string, value: unknown, detail: string): FieldError =>
  errorOf('FieldValueInvalid', field, value, detail);
/** Reports that the value has another JSON type than the member. */
export const fieldTypeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  errorOf('FieldValueTypeInvalid', field, value, detail);
/** Reports that the list already contains the value; printed as `Duplicate value`. */
export const fieldDuplicate = (field: string, value: unknown): FieldError => errorOf('FieldValueDuplicate', field, value, '');
/** Reports that the value refers to an object that does not exist. */
export const fieldNotFound = (field: string, value: unknown): FieldError => errorOf('FieldValueNotFound', field, value, '');

/** Reports that there are too many items. @param actual their number @param max their maximum */
export const fieldTooMany = (field: string, actual: number, max: number): FieldError =>
  errorOf('FieldValueTooMany', field, actual, `must have at most ${String(max)} item${max === 1 ? '' : 's'}`);

/**
 * Reports an unsupported value.
 *
 * @param supported in the order in which they are shown; a close one is suggested at the end
 */
export function fieldNotSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const close = typeof value === 'string' ? closestText(value, supported) : undefined;
  const hint = close === undefined ? '' : `; did you mean ${goString(close)}?`;
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goString).join(', ')}${hint}`;
  return errorOf('FieldValueNotSupported', field, value, detail);
}

const { listedFaults, faultValue } = admissionLimits;

/** Returns the start of a long text, without half a character at its end. */
const cut = (text: string): string =>
  text.length <= faultValue.value ? text : `${text.slice(0, faultValue.value - 1).replace(/[\ud800-\udbff]$/, '')}…`;

function printValue(value: unknown): string {
  if (typeof value === 'string') return cut(JSON.stringify(value));
  try {
    return cut(canonicalJson(value));
  } catch {
    return `<${typeof value}>`;
  }
}

/** Returns the text without the path: `Invalid value: -1: must be greater than or equal to 0`. */
function fieldErrorBody(failure: FieldError): string {
  const value = 'value' in failure ? `: ${printValue(failure.value)}` : '';
  return `${texts[failure.type]}${value}${failure.detail === '' ? '' : `: ${failure.detail}`}`;
}

/** Returns the text that users see: `spec.replicas: Invalid value: -1: must be …`. */
export const formatFieldError = (failure: FieldError): string => `${failure.field}: ${fieldErrorBody(failure)}`;

/** More than a user reads: validation may stop at one more. All faults of a large object could have twenty times its bytes. */
export const mostListedErrors: number = listedFaults.value;

/** Returns one error unchanged, several as `[a, b]` without repetitions, none as ''. Errors beyond {@link mostListedErrors} are omitted. */
export function formatFieldErrors(failures: readonly FieldError[]): string {
  const lines = new Set(failures.slice(0, mostListedErrors).map(formatFieldError));
  if (failures.length > mostListedErrors) lines.add('and more');
  const [first = ''] = lines;
  return lines.size > 1 ? `[${[...lines].join(', ')}]` : first;
}
