/** Completes a new ContainerRecreateRequest with its Pod: copies what the node agent needs into it. Pure. @see spec/containerrecreaterequest.md 4 */
import {
  changeMember,
  containerStatusOf,
  fieldInvalid,
  fieldPath,
  isJsonObject,
  isPodActive,
  membersAt,
  podCondition,
  withMembers,
  withMetadataValues,
  type Container,
  type FieldError,
  type JsonObject,
  type Node,
  type Pod,
} from '@kruise/objects';
import { fillAbsent } from '../../members/fill.ts';
import { labels, podConditions, virtualKubelet } from '../../well-known.ts';

/** The request with what the node agent needs, or every fault that forbids it. */
export type AimedRequest =
  { readonly kind: 'Aimed'; readonly object: JsonObject } | { readonly kind: 'Refused'; readonly faults: readonly FieldError[] };

/**
 * Returns why nothing can be restarted in this Pod; undefined when something can.
 *
 * @remarks A Pod whose sidecars are being ended counts as finished already.
 */
export function obstacleInPod(pod: Pod): string | undefined {
  const { name } = pod.metadata;
  if (!isPodActive(pod) && podCondition(pod, podConditions.sidecarTerminated) === undefined)
    return `not allowed to recreate containers in an inactive Pod ${name}`;
  return (pod.spec.nodeName ?? '') === '' ? `not allowed to recreate containers in a pending Pod ${name}` : undefined;
}

const containersOf = ({ spec }: Pod): readonly Container[] => [...(spec.initContainers ?? []), ...spec.containers];

/** Returns the container as the agent needs it, or what is missing. @param containers of the Pod, by name */
function aimContainer(given: JsonObject, pod: Pod, containers: ReadonlyMap<string, Container>): JsonObject | string {
  const name = String(given['name']);
  const declared = containers.get(name);
  if (declared === undefined) return `container ${name} not found in Pod`;
  const status = containerStatusOf(pod, name);
  if (status === undefined || (status.containerID ?? '') === '') return `not found ${name} containerID in Pod Status`;
  const preStop = declared.lifecycle?.preStop;
  return withMembers(given, {
    ...(preStop === undefined ? {} : { preStop }),
    ...(preStop?.httpGet === undefined || declared.ports === undefined ? {} : { ports: declared.ports }),
    statusContext: { containerID: status.containerID, restartCount: status.restartCount },
  });
}

/**
 * Completes a request.
 *
 * @param object a request that is valid by itself and has its defaults
 * @param pod for which there is no {@link obstacleInPod}
 * @param node of the Pod
 */
export function aimContainerRecreateRequest(object: JsonObject, pod: Pod, node: Node): AimedRequest {
  const { containers } = membersAt(object, 'spec');
  const given = Array.isArray(containers) ? containers.filter(isJsonObject) : [];
  // Names are unique in a Pod.
  const declared = new Map(containersOf(pod).map((container) => [container.name, container]));
  const aimed = given.map((container) => aimContainer(container, pod, declared));
  const faults = aimed.flatMap((result, i) =>
    typeof result === 'string' ? [fieldInvalid(fieldPath('spec.containers', i, 'name'), given[i]?.['name'], result)] : [],
  );
  if (faults.length > 0) return { kind: 'Refused', faults };
  const grace = pod.spec.terminationGracePeriodSeconds;
  const withSpec = changeMember(object, 'spec', (spec) =>
    withMembers(
      changeMember(spec, 'strategy', (strategy) => fillAbsent(strategy, { terminationGracePeriodSeconds: grace })),
      { containers: aimed },
    ),
  );
  const isVirtual = node.metadata.labels?.[labels.nodeType] === virtualKubelet;
  return {
    kind: 'Aimed',
    object: withMetadataValues(withSpec, 'labels', {
      [labels.recreateNodeName]: pod.spec.nodeName,
      [labels.recreatePodUid]: pod.metadata.uid,
      ...(isVirtual ? { [labels.nodeType]: virtualKubelet } : {}),
    }),
  };
}
