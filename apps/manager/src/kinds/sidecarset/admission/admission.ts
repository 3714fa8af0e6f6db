/**
 * Admission of SidecarSets: fills in defaults and hashes, refuses what cannot work. The rules are pure functions of libs/api, those on other
 * objects are in `admission-others.ts`.
 * @see spec/sidecarset.md 4
 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  sidecarSetDeclaration,
  sidecarSetWarnings,
  validateSidecarSet,
  validateSidecarSetStrictly,
  validateSidecarSetUpdate,
} from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { fieldInternal, isJsonObject, memberAt, type FieldError, type JsonObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { kindAdmission, type Findings, type Submission } from '../../../module/kind-admission.ts';
import { orderRule } from '@kruise/workloads';
import { completeSidecarSet } from '@kruise/kinds/sidecarset';
import { OtherObjects } from './admission-others.ts';

type Version = 'v1alpha1' | 'v1beta1';

const validateOrder = orderRule(sidecarSetDeclaration, 'v1beta1', ['spec', 'updateStrategy']);

/** Rule 15: only a rolling update has an order. */
const orderFaults = (object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] =>
  memberAt(object, 'spec', 'updateStrategy', 'type') === 'RollingUpdate' ? validateOrder(object, oldObject) : [];

interface Rules {
  readonly allowPrivileged: boolean;
  readonly kubernetes: number | undefined;
  readonly others: OtherObjects;
}

const ownFaults = (
  object: JsonObject,
  oldObject: JsonObject | undefined,
  { allowPrivileged, kubernetes }: Rules,
): readonly FieldError[] => [
  ...validateSidecarSet(object, { allowPrivileged, kubernetes }),
  ...validateSidecarSetStrictly(object, oldObject),
  ...orderFaults(object, oldObject),
  ...(oldObject === undefined ? [] : validateSidecarSetUpdate(object, oldObject)),
];

async function findingsOf(submission: Submission<Version>, rules: Rules, signal: AbortSignal): Promise<Findings> {
  const object = inHub(submission.object);
  const oldObject = submission.oldObject === undefined ? undefined : inHub(submission.oldObject);
  const own = ownFaults(object, oldObject, rules);
  const faults = [...own, ...(isJsonObject(object['spec']) ? await rules.others.faults(object, signal) : [])];
  const warnings = sidecarSetWarnings(object, oldObject);
  return { faults: faults.length === 0 ? await rules.others.conflicts(object, oldObject === undefined, signal) : faults, warnings };
}

/** What could not be read refuses the object like a fault of it; it is none of the program. */
async function findingsOrFailure(...args: Parameters<typeof findingsOf>): Promise<Findings> {
  try {
    return await findingsOf(...args);
  } catch (error) {
    if (error instanceof ApiError) return { faults: [fieldInternal('spec', error.message)] };
    throw error;
  }
}

/** The mutating and the validating handler. */
export function sidecarSetAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const rules: Rules = {
    allowPrivileged: dependencies.allowPrivileged,
    kubernetes: dependencies.kubernetes,
    others: new OtherObjects(dependencies),
  };
  return kindAdmission<Version>({
    declaration: sidecarSetDeclaration,
    faultCode: 500,
    defaulted: ({ object }) => completeSidecarSet(object),
    findings: (submission, signal) => findingsOrFailure(submission, rules, signal),
  });
}
