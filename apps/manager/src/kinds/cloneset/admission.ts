/**
 * Admission of CloneSets: fills in defaults, refuses what cannot work, protects from deletion. The rules are pure functions of libs/api; here
 * a request is taken apart and answered.
 * @see spec/cloneset.md 4
 */
import { allowed, type AdmissionHandler, type AdmissionRequest, type Decision } from '@kruise/admission';
import {
  cloneSetDeclaration,
  cloneSetWarnings,
  defaultCloneSet,
  validateCloneSet,
  validateCloneSetUpdate,
  type CloneSetVersion,
} from '@kruise/api';
import { formatFieldErrors, isJsonObject, type FieldError, type JsonObject, type KubeObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../webhooks/handlers.ts';
import { decideDeletion } from './admission-delete.ts';
import { validateUpdateOrder } from './admission-order.ts';
import { validatePodsToDelete } from './admission-pods-to-delete.ts';

/** A request whose objects can be read as those of a known version. */
interface Submission {
  readonly version: CloneSetVersion;
  readonly object: JsonObject;
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
}

type Read = { readonly kind: 'Read'; readonly submission: Submission } | { readonly kind: 'Refused'; readonly decision: Decision };

const badRequest = (message: string): Decision => ({ kind: 'Failed', code: 400, message });
const refused = (message: string): Read => ({ kind: 'Refused', decision: badRequest(message) });

const isVersion = (version: string): version is CloneSetVersion => cloneSetDeclaration.versions.some(({ name }) => name === version);

/** Objects come in the version of the request, which the API server converted them to. */
function readSubmission({ resource, object, oldObject, operation }: AdmissionRequest): Read {
  if (!isVersion(resource.version)) return refused(`unsupported version: ${resource.version}`);
  if (!isJsonObject(object)) return refused('the request has no object');
  const stored = operation === 'UPDATE' && isJsonObject(oldObject) ? oldObject : undefined;
  if (operation === 'UPDATE' && stored === undefined) return refused('the request has no oldObject');
  return { kind: 'Read', submission: { version: resource.version, object, oldObject: stored } };
}

const isOfObject = ({ subResource }: AdmissionRequest): boolean => subResource === undefined || subResource === '';

function mutate(request: AdmissionRequest, { gates }: HandlerDependencies): Decision {
  if (!isOfObject(request) || (request.operation !== 'CREATE' && request.operation !== 'UPDATE')) return allowed;
  const read = readSubmission(request);
  if (read.kind === 'Refused') return read.decision;
  const { version, object, oldObject } = read.submission;
  const defaulted = defaultCloneSet(object, { version, oldObject, gates });
  return defaulted === object ? allowed : { kind: 'Changed', object: defaulted as unknown as KubeObject };
}

function validateObjects(
  { version, object, oldObject }: Submission,
  { gates, allowPrivileged }: HandlerDependencies,
): readonly FieldError[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return [
    ...validateCloneSet(object, { version, allowPrivileged, hostNetworkHostPorts }),
    ...validateUpdateOrder(object, version),
    ...(oldObject === undefined ? [] : validateCloneSetUpdate(object, oldObject, version)),
  ];
}

async function validate(request: AdmissionRequest, dependencies: HandlerDependencies, signal: AbortSignal): Promise<Decision> {
  if (!isOfObject(request)) return allowed;
  if (request.operation === 'DELETE')
    return isVersion(request.resource.version)
      ? decideDeletion(request, dependencies)
      : badRequest(`unsupported version: ${request.resource.version}`);
  if (request.operation === 'CONNECT') return allowed;
  const read = readSubmission(request);
  if (read.kind === 'Refused') return read.decision;
  const { submission } = read;
  const pods = submission.version === 'v1alpha1' ? await validatePodsToDelete(submission, dependencies.client, signal) : [];
  const faults = [...validateObjects(submission, dependencies), ...pods];
  const warnings = cloneSetWarnings(submission.object, { ...submission, gates: dependencies.gates });
  return faults.length > 0 ? { kind: 'Failed', code: 422, message: formatFieldErrors(faults), warnings } : { kind: 'Allowed', warnings };
}

/** The mutating and the validating handler; both also answer on the paths of older installations. */
export const cloneSetAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] => [
  {
    path: '/mutate-apps-kruise-io-cloneset',
    aliases: ['/mutate-apps-kruise-io-v1alpha1-cloneset'],
    decide: (request) => mutate(request, dependencies),
  },
  {
    path: '/validate-apps-kruise-io-cloneset',
    aliases: ['/validate-apps-kruise-io-v1alpha1-cloneset'],
    decide: (request, signal) => validate(request, dependencies, signal),
  },
];
