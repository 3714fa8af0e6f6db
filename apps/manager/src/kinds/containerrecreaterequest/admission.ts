/**
 * Admission of ContainerRecreateRequests: one webhook that refuses, fills in defaults and copies in what the node agent needs to know of the
 * Pod. Pod and Node are read from the API server: a request is made once, and often for a Pod that no cache knows yet. The rules are pure
 * functions of libs/api.
 * @see spec/containerrecreaterequest.md 4
 */
import { allowed, type AdmissionHandler, type Decision } from '@kruise/admission';
import {
  aimContainerRecreateRequest,
  containerRecreateRequestDeclaration,
  defaultContainerRecreateRequest,
  obstacleInPod,
  validateContainerRecreateRequest,
  validateContainerRecreateRequestUpdate,
} from '@kruise/api';
import { isFailure, type Client } from '@kruise/kube';
import {
  formatFieldErrors,
  memberAt,
  nodes,
  pods,
  type FieldError,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Submission } from '../../module/kind-admission.ts';

type Version = 'v1alpha1' | 'v1beta1';
type Reader = Pick<Client, 'get'>;

/** The denial that ends an admission. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: 400 | 403 | 500;
  constructor(code: 400 | 403 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/** Time for each read; admission must answer before the API server gives up. */
const timeoutMs = 4000;

async function read<T extends KubeObject>(client: Reader, type: ResourceType<T>, key: ObjectKey, signal: AbortSignal): Promise<T> {
  try {
    return await client.get(type, key, { signal, timeoutMs });
  } catch (error) {
    if (isFailure(error, 'NotFound')) throw new Refused(400, `no found ${type.kind} named ${key.name}`);
    throw new Refused(500, `failed to get ${type.kind} ${key.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw new Refused(400, formatFieldErrors(faults));
}

async function admitCreation({ object, request }: Submission<Version>, client: Reader, signal: AbortSignal): Promise<Decision> {
  refuse(validateContainerRecreateRequest(object));
  const podName = String(memberAt(object, 'spec', 'podName'));
  const pod = await read(client, pods, { namespace: request.namespace ?? '', name: podName }, signal);
  const obstacle = obstacleInPod(pod);
  if (obstacle !== undefined) throw new Refused(400, obstacle);
  const node = await read(client, nodes, { namespace: '', name: pod.spec.nodeName ?? '' }, signal);
  const aimed = aimContainerRecreateRequest(defaultContainerRecreateRequest(object), pod, node);
  if (aimed.kind === 'Refused') throw new Refused(400, formatFieldErrors(aimed.faults));
  return { kind: 'Changed', object: aimed.object as unknown as KubeObject };
}

function admitUpdate({ object, oldObject = {}, version }: Submission<Version>): Decision {
  const reasons = validateContainerRecreateRequestUpdate(object, oldObject, version);
  if (reasons.length > 0) throw new Refused(403, reasons.join(', '));
  return allowed;
}

async function decide(submission: Submission<Version>, { gates, client }: HandlerDependencies, signal: AbortSignal): Promise<Decision> {
  const { object, oldObject } = submission;
  // A request that is being deleted may always be updated, so that its finalizer can be removed.
  if (oldObject !== undefined && memberAt(object, 'metadata', 'deletionTimestamp') !== undefined) return admitUpdate(submission);
  if (!gates.KruiseDaemon) throw new Refused(403, 'feature-gate KruiseDaemon is not enabled');
  return oldObject === undefined ? admitCreation(submission, client, signal) : admitUpdate(submission);
}

/** The mutating handler, which is the only one. */
export const containerRecreateRequestAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: containerRecreateRequestDeclaration,
    faultCode: 400,
    decideMutation: async (submission, signal) => {
      try {
        return await decide(submission, dependencies, signal);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { kind: 'Failed', code: error.code, message: error.message };
      }
    },
  });
