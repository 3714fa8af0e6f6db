/**
 * `/mutate-pod`: runs the steps on a new Pod, in their order. The answer is the difference between the Pod of the request and the result of the last
 * step.
 * @see spec/manager.md 4.9
 */
import { allowed, type AdmissionHandler, type AdmissionRequest, type Decision, type HandlerNeeds } from '@kruise/admission';
import { ApiError } from '@kruise/kube';
import type { Pod } from '@kruise/objects';
import { isWellFormedPod } from '@kruise/workloads';
import type { PodNeeds, PodStep, PodStepResult } from '../module/pod-step.ts';

export const mutatePodPath = '/mutate-pod';
export const mutatePodWebhook = 'mpod.kb.io';

const failed = (code: 400 | 500, message: string): Decision => ({ kind: 'Failed', code, message });

/** Bindings, evictions and ephemeral containers come as CREATE or UPDATE of a subresource; they are no Pods. */
const isPodCreation = ({ operation, resource, subResource = '' }: AdmissionRequest): boolean =>
  operation === 'CREATE' && resource.group === '' && resource.resource === 'pods' && subResource === '';

const isBlank = (namespace: string | undefined): boolean => namespace === undefined || namespace === '';

/** Steps may rely on the namespace, which a client may leave to the request. */
function withNamespace(pod: Pod, namespace: string | undefined): Pod {
  return isBlank(namespace) || !isBlank(pod.metadata.namespace)
    ? pod
    : { ...pod, metadata: { ...pod.metadata, namespace: namespace as string } };
}

/** The namespace is the API server's to fill in: it is no part of the answer. */
function withNamespaceOf(original: Pod, changed: Pod): Pod {
  if (changed.metadata.namespace === original.metadata.namespace) return changed;
  const { namespace: _filledIn, ...metadata } = changed.metadata;
  const { namespace } = original.metadata;
  return { ...changed, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}

/** A step that could not read what it needs refuses the Pod; a fault of the program is for the server to count. */
async function applyStep(step: PodStep, pod: Pod, request: AdmissionRequest, signal: AbortSignal): Promise<PodStepResult> {
  try {
    return await step.apply(pod, request, signal);
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'Refused', message: `${step.name}: ${error.message}` };
    throw error;
  }
}

async function decide(request: AdmissionRequest, steps: readonly PodStep[], signal: AbortSignal): Promise<Decision> {
  if (!isPodCreation(request)) return allowed;
  const { object, resource, namespace } = request;
  if (resource.version !== 'v1') return failed(400, `unsupported version: ${resource.version}`);
  if (!isWellFormedPod(object)) return failed(400, 'the request holds no Pod');
  const first = withNamespace(object, namespace);
  let pod = first;
  const warnings: string[] = [];
  for (const step of steps) {
    const result = await applyStep(step, pod, request, signal);
    if (result.kind === 'Refused') return failed(result.code ?? 500, result.message);
    pod = result.pod;
    warnings.push(...(result.warnings ?? []));
  }
  const shown = warnings.length === 0 ? {} : { warnings };
  return pod === first ? { ...allowed, ...shown } : { kind: 'Changed', object: withNamespaceOf(object, pod), ...shown };
}

/** What all steps together need; nothing is known when one of them does not say. */
function needsOf(steps: readonly PodStep[]): readonly HandlerNeeds[] {
  const all = steps.map(({ needs }) => needs);
  if (all.some((needs) => needs === undefined)) return [];
  const given = all.filter((needs): needs is PodNeeds => needs !== undefined);
  const traces = given.flatMap(({ trace }) => (trace === undefined ? [] : [`(${trace})`]));
  const answered = traces.length === 0 ? {} : { answered: traces.join(' || ') };
  return [
    {
      webhook: mutatePodWebhook,
      isReady: () => given.every((needs) => needs.isReady?.() !== false),
      current: () => ({ needs: given.flatMap((needs) => needs.current()), ...answered }),
      watch: (changed) => given.forEach((needs) => needs.watch?.(changed)),
    },
  ];
}

/** @param steps in the order in which they change the Pod */
export const mutatePod = (steps: readonly PodStep[]): AdmissionHandler => ({
  path: mutatePodPath,
  needs: needsOf(steps),
  decide: (request, signal) => decide(request, steps, signal),
});
