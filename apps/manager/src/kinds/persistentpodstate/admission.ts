/** Admission of PersistentPodStates. The rules are pure functions of libs/api. @see spec/persistentpodstate.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  inHub,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStateWarnings,
  persistentPodStateWhiteListKey,
  validatePersistentPodState,
  type Members,
} from '@kruise/api';
import { fieldInternal, type FieldError } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Findings, type Submission } from '../../module/kind-admission.ts';
import { objectsOfNamespace } from '../../module/objects-of-namespace.ts';
import { whiteListOf, type WhiteListCache } from '../../workloads/finder/index.ts';
import { isSupported } from './target.ts';

type Version = 'v1alpha1' | 'v1beta1';

const internal = (why: string): Findings => ({ faults: [fieldInternal('spec.targetRef', why)] });

async function findingsOf(
  { object: sent, oldObject: stored, request }: Submission<Version>,
  whiteList: WhiteListCache,
  { client }: Pick<HandlerDependencies, 'client'>,
  signal: AbortSignal,
): Promise<Findings> {
  const [object, oldObject]: readonly [Members, Members | undefined] = [inHub(sent), stored === undefined ? undefined : inHub(stored)];
  await whiteList.waitForSync(signal);
  const reading = whiteList.reading();
  if (reading.kind === 'Faulty') return internal(reading.why);
  const others = await objectsOfNamespace(client, persistentPodStates, request.namespace ?? '', signal);
  if (others.kind === 'Failed') return internal(others.why);
  const faults: readonly FieldError[] = validatePersistentPodState(object, {
    supported: (kind) => isSupported(kind, reading),
    oldObject,
    others: others.objects.map((state): Members => ({ ...state })),
  });
  return { faults, warnings: persistentPodStateWarnings(object) };
}

/** The validating handler. */
export function persistentPodStateAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const whiteList = whiteListOf(dependencies.caches, dependencies.podNamespace, persistentPodStateWhiteListKey);
  return kindAdmission<Version>({
    declaration: persistentPodStateDeclaration,
    faultCode: 400,
    findings: (submission, signal) => findingsOf(submission, whiteList, dependencies, signal),
  });
}
