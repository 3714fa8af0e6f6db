/** What is wrong with which member of an object, in the words of Kubernetes. @see spec/manager.md 4.2 */
import { canonicalJson, goString } from './canonical-json.ts';
import { closestText } from './closest-text.ts';
import { admissionLimits } from './limits/admission.ts';

/** The machine-readable reason in the causes of a Status. */
export type FieldErrorType =
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

/** One fault of an object. Make it with the functions below; a refusal lists all of them. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** e.g. `spec.template.spec.containers[0].image`; '' for the object itself. */
  readonly field: string;
  /** Printed for the types that show it; absent where the value would not help. */
  readonly value?: unknown;
  readonly detail: string;
}

/** One entry of `status.details.causes`. */
export interface FieldErrorCause {
  readonly reason: FieldErrorType;
  readonly message: string;
  readonly field: string;
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
 * Joins a path: strings are members, numbers are list indexes. The first part may be a path already; empty parts vanish.
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

/** The path of an entry of a map: `metadata.labels[app]`. */
export const fieldKey = (path: string, key: string): string => `${path}[${key}]`;

const error = (type: FieldErrorType, field: string, detail: string): FieldError => ({ type, field, detail });
const errorOf = (type: FieldErrorType, field: string, value: unknown, detail: string): FieldError => ({ type, field, detail, value });

/** The member is missing or empty; the value is not shown. */
export const fieldRequired = (field: string, detail = ''): FieldError => error('FieldValueRequired', field, detail);
/** The member may not be set or changed here; the value is not shown. */
export const fieldForbidden = (field: string, detail: string): FieldError => error('FieldValueForbidden', field, detail);
/** The check itself failed: says nothing about the object. */
export const fieldInternal = (field: string, detail: string): FieldError => error('InternalError', field, detail);
/** The value has the right type and breaks a rule; it is shown as JSON, so never use it for a secret. */
export const fieldInvalid = (field: string, value: unknown, detail: string): FieldError =>
  errorOf('FieldValueInvalid', field, value, detail);
/** The value is of another JSON type than the member. */
export const fieldTypeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  errorOf('FieldValueTypeInvalid', field, value, detail);
/** The value stands in the list already; printed as `Duplicate value`. */
export const fieldDuplicate = (field: string, value: unknown): FieldError => errorOf('FieldValueDuplicate', field, value, '');
/** The value refers to something that is not there. */
export const fieldNotFound = (field: string, value: unknown): FieldError => errorOf('FieldValueNotFound', field, value, '');

/** @param maxBytes the value itself is not shown */
export const fieldTooLong = (field: string, maxBytes: number): FieldError =>
  error('FieldValueTooLong', field, `may not be more than ${String(maxBytes)} byte${maxBytes === 1 ? '' : 's'}`);

/** @param actual how many there are  @param max how many there may be */
export const fieldTooMany = (field: string, actual: number, max: number): FieldError =>
  errorOf('FieldValueTooMany', field, actual, `must have at most ${String(max)} item${max === 1 ? '' : 's'}`);

/** @param supported in the order in which they are shown; a close one is suggested at the end */
export function fieldNotSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const close = typeof value === 'string' ? closestText(value, supported) : undefined;
  const hint = close === undefined ? '' : `; did you mean ${goString(close)}?`;
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goString).join(', ')}${hint}`;
  return errorOf('FieldValueNotSupported', field, value, detail);
}

const { listedFaults, faultValue } = admissionLimits;

/** The start of a long text, without half a character at its end. */
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

/** `Invalid value: -1: must be greater than or equal to 0`: the text without the path. */
export function fieldErrorBody(failure: FieldError): string {
  const value = 'value' in failure ? `: ${printValue(failure.value)}` : '';
  return `${texts[failure.type]}${value}${failure.detail === '' ? '' : `: ${failure.detail}`}`;
}

/** `spec.replicas: Invalid value: -1: must be …`, the text that users see. */
export const formatFieldError = (failure: FieldError): string => `${failure.field}: ${fieldErrorBody(failure)}`;

/** More than anybody reads: who looks for faults may stop at one more. All of a large object could come to twenty times its bytes. */
export const mostListedErrors: number = listedFaults.value;

/** One error as it is, several as `[a, b]` without repetitions, none as ''. Of more than {@link mostListedErrors} the others are left out. */
export function formatFieldErrors(failures: readonly FieldError[]): string {
  const lines = new Set(failures.slice(0, mostListedErrors).map(formatFieldError));
  if (failures.length > mostListedErrors) lines.add('and more');
  const [first = ''] = lines;
  return lines.size > 1 ? `[${[...lines].join(', ')}]` : first;
}

/** What `status.details.causes` of a refusal lists: one cause an error, in the same order. */
export const fieldErrorCauses = (failures: readonly FieldError[]): readonly FieldErrorCause[] =>
  failures.map((failure) => ({ reason: failure.type, message: fieldErrorBody(failure), field: failure.field }));
