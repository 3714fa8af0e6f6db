/** Admission of PodUnavailableBudgets. The rules are pure functions of libs/api. @see spec/podunavailablebudget.md 4.1 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  budgetOverlaps,
  inHub,
  podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  podUnavailableBudgetWarnings,
  validatePodUnavailableBudget,
  type Gates,
  type OverlapOf,
  type PodUnavailableBudget,
} from '@kruise/api';
import { memberAt, type JsonObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { kindAdmission, type Denial, type Findings, type Submission } from '../../../module/kind-admission.ts';
import { Rivals } from '../../../module/rivals.ts';

type Version = 'v1alpha1' | 'v1beta1';

const off =
  'feature PodUnavailableBudget is invalid, please open via feature-gate(PodUnavailableBudgetDeleteGate, PodUnavailableBudgetUpdateGate)';

function denialOf(gates: Gates): Denial | undefined {
  const isOff = !gates.PodUnavailableBudgetDeleteGate && !gates.PodUnavailableBudgetUpdateGate;
  return isOff ? { code: 400, message: off } : undefined;
}

async function findingsOf(
  { object: sent, oldObject: stored, request }: Submission<Version>,
  { rivals, overlaps }: { readonly rivals: Rivals<PodUnavailableBudget>; readonly overlaps: OverlapOf },
  signal: AbortSignal,
): Promise<Findings> {
  const [object, oldObject]: readonly [JsonObject, JsonObject | undefined] = [
    inHub(sent),
    stored === undefined ? undefined : inHub(stored),
  ];
  const { namespace = '' } = request;
  const name = memberAt(object, 'metadata', 'name');
  const key = { namespace, name: typeof name === 'string' ? name : '' };
  const isRival = (other: PodUnavailableBudget): boolean => overlaps(object, { ...other });
  const rival = await rivals.first({ key, isRival, candidates: (store) => store.list({ namespace }) }, signal);
  const faults = validatePodUnavailableBudget(object, { oldObject, others: rival === undefined ? [] : [{ ...rival }] });
  if (faults.length === 0 && stored === undefined && request.dryRun !== true) {
    const { selector, targetRef } = (memberAt(object, 'spec') ?? {}) as JsonObject;
    rivals.letIn({ metadata: key, spec: { selector, targetRef } } as unknown as PodUnavailableBudget);
  }
  return { faults, warnings: podUnavailableBudgetWarnings(object) };
}

/** The validating handler. */
export function podUnavailableBudgetAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const { caches, client, clock } = dependencies;
  const rivals = new Rivals({ type: podUnavailableBudgets, informer: caches.of(podUnavailableBudgets), client, clock });
  const tools = { rivals, overlaps: budgetOverlaps() };
  return kindAdmission<Version>({
    declaration: podUnavailableBudgetDeclaration,
    faultCode: 400,
    denial: () => denialOf(dependencies.gates),
    findings: (submission, signal) => findingsOf(submission, tools, signal),
  });
}
