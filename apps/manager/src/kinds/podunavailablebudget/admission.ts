/** Admission of PodUnavailableBudgets. The rules are pure functions of libs/api. @see spec/podunavailablebudget.md 4.1 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  podUnavailableBudgetWarnings,
  validatePodUnavailableBudget,
  type Gates,
  type Members,
} from '@kruise/api';
import { fieldInternal } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Denial, type Findings, type Submission } from '../../module/kind-admission.ts';
import { objectsOfNamespace } from '../../module/objects-of-namespace.ts';

type Version = 'v1alpha1' | 'v1beta1';

const off =
  'feature PodUnavailableBudget is invalid, please open via feature-gate(PodUnavailableBudgetDeleteGate, PodUnavailableBudgetUpdateGate)';

function denialOf(gates: Gates): Denial | undefined {
  const isOff = !gates.PodUnavailableBudgetDeleteGate && !gates.PodUnavailableBudgetUpdateGate;
  return isOff ? { code: 400, message: off } : undefined;
}

async function findingsOf(
  { object: sent, oldObject: stored, request }: Submission<Version>,
  { client }: HandlerDependencies,
  signal: AbortSignal,
): Promise<Findings> {
  const [object, oldObject]: readonly [Members, Members | undefined] = [inHub(sent), stored === undefined ? undefined : inHub(stored)];
  const others = await objectsOfNamespace(client, podUnavailableBudgets, request.namespace ?? '', signal);
  const known = others.kind === 'Read' ? others.objects.map((budget): Members => ({ ...budget })) : [];
  const faults = validatePodUnavailableBudget(object, { oldObject, others: known });
  const unread =
    others.kind === 'Failed' ? [fieldInternal('spec', `the other budgets of the namespace cannot be read: ${others.why}`)] : [];
  return { faults: [...faults, ...unread], warnings: podUnavailableBudgetWarnings(object) };
}

/** The validating handler. */
export const podUnavailableBudgetAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: podUnavailableBudgetDeclaration,
    faultCode: 400,
    denial: () => denialOf(dependencies.gates),
    findings: (submission, signal) => findingsOf(submission, dependencies, signal),
  });
