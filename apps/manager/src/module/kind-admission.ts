/**
 * Admission of one of our kinds: takes a request apart, asks the kind's rules, and answers. The rules themselves are functions of the
 * objects; see a kind's `admission.ts`.
 * @see spec/manager.md 4.2
 */
import { allowed, type AdmissionHandler, type AdmissionRequest, type Decision } from '@kruise/admission';
import { admissionPaths, type KindDeclaration } from '@kruise/api';
import { deepEqual, formatFieldErrors, isJsonObject, memberAt, type FieldError, type JsonObject, type KubeObject } from '@kruise/objects';

/** A write whose objects can be read: both in the version of the request, to which the API server converted them. */
export interface Submission<Version extends string = string> {
  readonly version: Version;
  readonly object: JsonObject;
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  readonly request: AdmissionRequest;
}

/** The member or entry that a fault names, as in `spec.list[0].member`; undefined where there is none, or where the path is of another version. */
const valueAt = (object: JsonObject, field: string): unknown =>
  field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce<unknown>((value, part) => (Array.isArray(value) ? (value as readonly unknown[])[Number(part)] : memberAt(value, part)), object);

/** Bounds may be newer than an object: what an update leaves as it is does not keep it from being stored. */
const isStoredBeyond = ({ type, field }: FieldError, { object, oldObject }: Pick<Submission, 'object' | 'oldObject'>): boolean => {
  const value = type === 'FieldValueTooMany' && oldObject !== undefined ? valueAt(object, field) : undefined;
  return value !== undefined && oldObject !== undefined && deepEqual(value, valueAt(oldObject, field));
};

/** Returns whether the object is being deleted. A fault must not keep it: the only change that still matters is the removal of its finalizers. */
const isLeaving = (stored: JsonObject | undefined): boolean => typeof memberAt(stored, 'metadata', 'deletionTimestamp') === 'string';

/** A denial in words of its own, which name no field. */
export interface Denial {
  readonly code: 400 | 403 | 422;
  readonly message: string;
}

/** What speaks against a write, and what is allowed but unlikely to be meant. */
export interface Findings {
  readonly faults: readonly FieldError[];
  readonly warnings?: readonly string[];
}

/** Codes of answers that name faults of an object. */
export type FaultCode = 400 | 422 | 500;

export interface KindAdmission<Version extends string = string> {
  /** Which webhooks there are, in which versions. */
  readonly declaration: KindDeclaration;
  /** Code of an answer that names faults of the object: one, or one for each operation. */
  readonly faultCode: FaultCode | Readonly<Record<'CREATE' | 'UPDATE', FaultCode>>;
  /** The object with its defaults; the very same object when nothing is missing. No mutating webhook when absent. */
  readonly defaulted?: (submission: Submission<Version>) => JsonObject;
  /** The mutating webhook of a kind that looks at other objects to decide; in place of `defaulted`. */
  readonly decideMutation?: (submission: Submission<Version>, signal: AbortSignal) => Decision | Promise<Decision>;
  /** No validating webhook when neither this, nor `denial`, nor `decideDeletion` is there. */
  readonly findings?: (submission: Submission<Version>, signal: AbortSignal) => Findings | Promise<Findings>;
  /** Looked for before the findings. */
  readonly denial?: (submission: Submission<Version>) => Denial | undefined;
  /** Whether an object may be deleted; deletions are let through when absent. */
  readonly decideDeletion?: (request: AdmissionRequest, signal: AbortSignal) => Decision | Promise<Decision>;
}

type Read<Version extends string> =
  { readonly kind: 'Read'; readonly submission: Submission<Version> } | { readonly kind: 'Answered'; readonly decision: Decision };

const answered = (message: string): { readonly kind: 'Answered'; readonly decision: Decision } => ({
  kind: 'Answered',
  decision: { kind: 'Failed', code: 400, message },
});

const isKnown = <Version extends string>(version: string, { declaration }: KindAdmission<Version>): version is Version =>
  declaration.versions.some(({ name }) => name === version);

/** Every object of the API server has metadata, and rules read them without asking. */
const isWhole = (object: unknown): object is JsonObject => isJsonObject(object) && isJsonObject(object['metadata']);

function read<Version extends string>(request: AdmissionRequest, admission: KindAdmission<Version>): Read<Version> {
  const { resource, object, oldObject, operation, subResource = '' } = request;
  if (subResource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return { kind: 'Answered', decision: allowed };
  const { version } = resource;
  if (!isKnown(version, admission)) return answered(`unsupported version: ${version}`);
  if (!isWhole(object)) return answered('the request has no object');
  const stored = operation === 'UPDATE' && isWhole(oldObject) ? oldObject : undefined;
  if (operation === 'UPDATE' && stored === undefined) return answered('the request has no oldObject');
  if (isLeaving(stored)) return { kind: 'Answered', decision: allowed };
  return { kind: 'Read', submission: { version, object, oldObject: stored, request } };
}

async function mutate<Version extends string>(
  request: AdmissionRequest,
  admission: KindAdmission<Version>,
  signal: AbortSignal,
): Promise<Decision> {
  const reading = read(request, admission);
  if (reading.kind === 'Answered') return reading.decision;
  if (admission.decideMutation !== undefined) return admission.decideMutation(reading.submission, signal);
  const { object } = reading.submission;
  const defaulted = admission.defaulted?.(reading.submission) ?? object;
  return defaulted === object ? allowed : { kind: 'Changed', object: defaulted as unknown as KubeObject };
}

function decideDeletion<Version extends string>(
  request: AdmissionRequest,
  admission: KindAdmission<Version>,
  signal: AbortSignal,
): Decision | Promise<Decision> {
  const { version } = request.resource;
  if (!isKnown(version, admission)) return answered(`unsupported version: ${version}`).decision;
  return admission.decideDeletion?.(request, signal) ?? allowed;
}

const faultCodeOf = ({ faultCode }: Pick<KindAdmission, 'faultCode'>, oldObject: JsonObject | undefined): FaultCode =>
  typeof faultCode === 'number' ? faultCode : faultCode[oldObject === undefined ? 'CREATE' : 'UPDATE'];

async function validate<Version extends string>(
  request: AdmissionRequest,
  admission: KindAdmission<Version>,
  signal: AbortSignal,
): Promise<Decision> {
  if (request.operation === 'DELETE' && (request.subResource ?? '') === '') return decideDeletion(request, admission, signal);
  const reading = read(request, admission);
  if (reading.kind === 'Answered') return reading.decision;
  const denial = admission.denial?.(reading.submission);
  if (denial !== undefined) return { kind: 'Failed', ...denial };
  const { faults: found, warnings = [] } = (await admission.findings?.(reading.submission, signal)) ?? { faults: [] };
  const faults = found.filter((fault) => !isStoredBeyond(fault, reading.submission));
  return faults.length > 0
    ? { kind: 'Failed', code: faultCodeOf(admission, reading.submission.oldObject), message: formatFieldErrors(faults), warnings }
    : { kind: 'Allowed', warnings };
}

/**
 * The handlers of a kind, on the paths that it declares.
 *
 * @throws when rules are missing for a webhook that is declared, or given for one that is not
 */
export function kindAdmission<Version extends string>(admission: KindAdmission<Version>): readonly AdmissionHandler[] {
  const { declaration, findings, denial: denial, decideDeletion: deletion } = admission;
  const isValidated = [findings, denial, deletion].some((rule) => rule !== undefined);
  const isMutated = [admission.defaulted, admission.decideMutation].some((rule) => rule !== undefined);
  const { mutates, validates } = declaration.admission ?? {};
  if (isMutated !== (mutates !== undefined) || isValidated !== (validates !== undefined))
    throw new Error(`${declaration.kind}: the rules of admission are not those of the webhooks that it declares`);
  const handler = (verb: 'mutate' | 'validate', decide: AdmissionHandler['decide']): AdmissionHandler => {
    const [path, ...aliases] = admissionPaths(declaration, verb);
    return { path, aliases, decide };
  };
  return [
    ...(isMutated ? [handler('mutate', (request, signal) => mutate(request, admission, signal))] : []),
    ...(isValidated ? [handler('validate', (request, signal) => validate(request, admission, signal))] : []),
  ];
}
