/** Admission of PersistentPodStates. The rules are pure functions of libs/api. @see spec/persistentpodstate.md 4 */
import { rivalSearch } from '../../workloads/rival-search.ts';
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStateWarnings,
  persistentPodStateWhiteListKey,
  validatePersistentPodState,
  type PersistentPodState,
} from '@kruise/api';
import { fieldInternal, type FieldError, type JsonObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Findings, type Submission } from '../../module/kind-admission.ts';
import { Rivals } from '../../module/rivals.ts';
import { whiteListOf, type WhiteListCache } from '../../workloads/finder/index.ts';
import { byTarget } from '@kruise/workloads';
import { isSupported } from '@kruise/kinds/persistentpodstate';

type Version = 'v1alpha1' | 'v1beta1';

const internal = (why: string): Findings => ({ faults: [fieldInternal('spec.targetRef', why)] });

async function findingsOf(
  { object: sent, oldObject: stored, request }: Submission<Version>,
  { whiteList, rivals }: { readonly whiteList: WhiteListCache; readonly rivals: Rivals<PersistentPodState> },
  signal: AbortSignal,
): Promise<Findings> {
  const [object, oldObject]: readonly [JsonObject, JsonObject | undefined] = [
    inHub(sent),
    stored === undefined ? undefined : inHub(stored),
  ];
  await whiteList.waitForSync(signal);
  const reading = whiteList.reading();
  if (reading.kind === 'Faulty') return internal(reading.why);
  const search = rivalSearch<PersistentPodState>(object, request.namespace ?? '');
  const rival = await rivals.first(search, signal);
  const faults: readonly FieldError[] = validatePersistentPodState(object, {
    supported: (kind) => isSupported(kind, reading),
    oldObject,
    others: rival === undefined ? [] : [{ ...rival }],
  });
  if (faults.length === 0 && stored === undefined && request.dryRun !== true) rivals.letIn(search.object);
  return { faults, warnings: persistentPodStateWarnings(object) };
}

/** The validating handler. */
export function persistentPodStateAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const { caches, client, clock, podNamespace } = dependencies;
  const whiteList = whiteListOf(caches, podNamespace, persistentPodStateWhiteListKey);
  const rivals = new Rivals({ type: persistentPodStates, informer: caches.of(persistentPodStates, byTarget), client, clock });
  return kindAdmission<Version>({
    declaration: persistentPodStateDeclaration,
    faultCode: 400,
    findings: (submission, signal) => findingsOf(submission, { whiteList, rivals }, signal),
  });
}
