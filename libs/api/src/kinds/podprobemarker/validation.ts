/** What a PodProbeMarker must fulfil to be stored. @see spec/podprobemarker.md 4 */
import {
  agentLimits,
  checkQualifiedName,
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTypeInvalid,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  listAt,
  objectAt,
  stringifyLossless,
  textAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { labelMap } from '../../pod-template/validation/checks/affinity.ts';
import {
  forEachObject,
  given,
  newestKubernetes,
  objectOf,
  objectsOf,
  oneOf,
  required,
  textBy,
  uniqueIn,
  withRule,
  type Check,
  type Rule,
} from '../../pod-template/validation/checks/check.ts';
import { exec, httpGet, oneHandler, probeNumbers, tcpSocket } from '../../pod-template/validation/containers/handlers.ts';
import { podFactsOf } from '../../pod-template/validation/checks/pod-facts.ts';
import { annotationMap, annotationsSize } from '../../pod-template/validation/checks/template-metadata.ts';
import { podConditions } from '../../well-known.ts';

const encoder = new TextEncoder();

/** Names that no probe may have, as in the original. */
const namesOfConditions: readonly string[] = [
  'PodScheduled',
  'Initialized',
  'Ready',
  'ContainersReady',
  'KruisePodReady',
  'InPlaceUpdateReady',
];

/** Conditions that Kubernetes and Kruise write, in all versions: a probe would overwrite them, or be overwritten. */
const takenConditions: ReadonlySet<string> = new Set([
  ...Object.values(podConditions),
  'AllContainersRestarting',
  'DisruptionTarget',
  'PodHasNetwork',
  'PodReadyToStartContainers',
  'PodResizeInProgress',
  'PodResizePending',
]);

/** Allows no host, so that only the Pod itself is reached: with any host the node would become a proxy into the cluster. */
const noHost: Rule = (action, path, { faults }) => {
  if (textAt(action, 'host') !== '') faults.push(fieldForbidden(`${path}.host`, 'host field in probes is not allowed'));
};

const knownScheme: Rule = (action, path, { faults }) => {
  if (isUnset(action['scheme']) || action['scheme'] === '') faults.push(fieldRequired(`${path}.scheme`, 'set scheme to HTTP or HTTPS'));
};

/** Allows only a path of the Pod's own server: an absolute URL would name another host. */
const ownPath: Rule = (action, path, { faults }) => {
  const value = textAt(action, 'path');
  if (value === '') faults.push(fieldRequired(`${path}.path`));
  else if (!URL.canParse(value.startsWith('/') ? value : `/${value}`, 'http://pod') || /[\s\\]|^[a-z][a-z0-9+.-]*:|^\/\//i.test(value))
    faults.push(fieldInvalid(`${path}.path`, value, 'must be the path of a URL, such as /healthz?full=1'));
};

/** Refuses a line break, which would end the header. */
const oneLineHeaders: Rule = (action, path, { faults }) => {
  forEachObject(action, 'httpHeaders', (header, i) => {
    const value = textAt(header, 'value');
    if (/[\0\r\n]/.test(value)) faults.push(fieldInvalid(`${path}.httpHeaders[${String(i)}].value`, value, 'must be one line'));
  });
};

const handlers: Readonly<Record<string, Check>> = {
  exec,
  httpGet: [noHost, knownScheme, ownPath, oneLineHeaders].reduce(withRule, httpGet),
  tcpSocket: withRule(tcpSocket, noHost),
};
const handler = objectOf({ ...handlers, ...probeNumbers }, oneHandler(handlers));

const isEmptyMap = (value: unknown): boolean => !isJsonObject(value) || Object.keys(value).length === 0;

const marksSomething: Rule = (policy, path, { faults }) => {
  if (isEmptyMap(policy['labels']) && isEmptyMap(policy['annotations']))
    faults.push(fieldRequired(path, 'labels or annotations must be given'));
};

const markerPolicy = objectOf(
  { annotations: annotationMap, labels: labelMap, state: oneOf('Succeeded', 'Failed') },
  required('state'),
  marksSomething,
  annotationsSize,
);

const probeName = (name: string): readonly string[] => {
  if (name.includes('#')) return ['must not contain #, which joins it to the name of the PodProbeMarker'];
  return namesOfConditions.includes(name) ? ['must not be the name of a condition that Kubernetes or Kruise writes'] : [];
};

const hasEffect: Rule = (probe, path, { faults }) => {
  if (textAt(probe, 'podConditionType') === '' && listAt(probe, 'markerPolicy').length === 0)
    faults.push(fieldRequired(path, 'podConditionType and markerPolicy cannot both be empty'));
};

const probe = objectOf(
  {
    name: textBy(probeName),
    containerName: textBy(() => []),
    podConditionType: textBy(checkQualifiedName),
    probe: handler,
    markerPolicy: objectsOf(markerPolicy),
  },
  required('name', 'containerName', 'probe'),
  hasEffect,
  uniqueIn('markerPolicy', 'state'),
);

const probes = objectsOf(probe);

function selectorFaults(selector: unknown): readonly FieldError[] {
  const path = 'spec.selector';
  if (isUnset(selector)) return [fieldRequired(path)];
  if (!isJsonObject(selector)) return [fieldTypeInvalid(path, selector, 'must be an object')];
  const faults = validateLabelSelector(selector, path);
  if (faults.length > 0) return faults;
  return isEmptyLabelSelector(selector) ? [fieldInvalid(path, selector, 'empty selector is not valid for podProbeMarker.')] : [];
}

interface TakenCondition {
  readonly path: string;
  readonly type: string;
}

/**
 * Returns where the marker claims conditions of other writers. A user that may write PodProbeMarkers need not be allowed to set the readiness of
 * Pods.
 */
function takenConditionsIn(object: JsonObject): readonly TakenCondition[] {
  const found: TakenCondition[] = [];
  forEachObject(objectAt(object, 'spec') ?? {}, 'probes', (item, i) => {
    const type = textAt(item, 'podConditionType');
    if (takenConditions.has(type)) found.push({ path: `spec.probes[${String(i)}].podConditionType`, type });
  });
  return found;
}

/**
 * Returns the faults of conditions. Conditions that the marker claimed before this was refused are accepted, so that the rest can still be changed.
 */
function conditionFaults(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const held = new Set(takenConditionsIn(oldObject).map(({ type }) => type));
  return takenConditionsIn(object)
    .filter(({ type }) => !held.has(type))
    .map(({ path, type }) => fieldInvalid(path, type, 'must not be a condition that Kubernetes or Kruise writes'));
}

/** Returns the number of probes, and the size of what each Pod has a copy of in the list of its node. Policies are only in the marker. */
function boundsOf(object: JsonObject): { readonly count: number; readonly bytes: number } {
  const list = listAt(objectAt(object, 'spec') ?? {}, 'probes');
  const copied = list.map((item) => (isJsonObject(item) ? { ...item, markerPolicy: undefined } : item));
  return { count: list.length, bytes: encoder.encode(stringifyLossless(copied)).length };
}

/** Returns the faults of bounds. A marker from before there were bounds may exceed them, but must not grow. */
function boundFaults(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const [now, before] = [boundsOf(object), boundsOf(oldObject)];
  const { probesOfMarker, markerBytes } = agentLimits;
  const faults: FieldError[] = [];
  if (now.count > Math.max(probesOfMarker.value, before.count))
    faults.push(fieldInvalid('spec.probes', now.count, `must have at most ${probesOfMarker.value} probes; a Pod runs no more`));
  if (now.bytes > Math.max(markerBytes.value, before.bytes))
    faults.push(
      fieldInvalid(
        'spec.probes',
        now.bytes,
        `must have at most ${markerBytes.value} bytes as JSON; put long scripts into the image or a ConfigMap, and run them by their path`,
      ),
    );
  return faults;
}

/**
 * Returns every fault of a PodProbeMarker of any origin.
 *
 * @param oldObject the stored marker, when it is updated
 * @remarks Never throws.
 */
export function validatePodProbeMarker(object: JsonObject, oldObject: JsonObject = {}): readonly FieldError[] {
  const spec = object['spec'];
  if (isUnset(spec)) return [fieldRequired('spec')];
  if (!isJsonObject(spec)) return [fieldTypeInvalid('spec', spec, 'must be an object')];
  const run = { faults: [] as FieldError[], allowPrivileged: true, kubernetes: newestKubernetes, pod: podFactsOf({}, []) };
  if (isUnset(spec['probes']) || (Array.isArray(spec['probes']) && spec['probes'].length === 0))
    run.faults.push(fieldRequired('spec.probes', 'at least one probe must be given'));
  probes(spec['probes'], 'spec.probes', run);
  for (const member of ['name', 'podConditionType']) uniqueIn('probes', member)(spec, 'spec', run);
  return [...selectorFaults(spec['selector']), ...run.faults, ...conditionFaults(object, oldObject), ...boundFaults(object, oldObject)];
}

/** Returns the fault of an update that changes the selector. */
export function validatePodProbeMarkerUpdate(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const [selector, before] = [object, oldObject].map((of) => objectAt(of, 'spec')?.['selector']);
  return deepEqual(withoutUnset(before), withoutUnset(selector))
    ? []
    : [fieldInvalid('selector', selector ?? null, 'selector must be immutable')];
}

/** Returns a selector without absent and null parts, which are equal. */
function withoutUnset(selector: unknown): JsonObject {
  if (!isJsonObject(selector)) return {};
  return Object.fromEntries(given(selector, Object.keys(selector)).map((name) => [name, selector[name]]));
}

/** Returns warnings about a marker that is allowed but probably a mistake. */
export function podProbeMarkerWarnings(object: JsonObject): readonly string[] {
  const warnings: string[] = takenConditionsIn(object).map(
    ({ path, type }) => `${path}: ${type} is a condition that Kubernetes or Kruise writes, which new markers may not name; choose another`,
  );
  forEachObject(objectAt(object, 'spec') ?? {}, 'probes', (item, i) => {
    const handlerOf = objectAt(item, 'probe') ?? {};
    if (!isUnset(handlerOf['terminationGracePeriodSeconds']))
      warnings.push(`spec.probes[${String(i)}].probe.terminationGracePeriodSeconds has no effect: these probes never stop a container`);
    if (!isUnset(handlerOf['grpc'])) warnings.push(`spec.probes[${String(i)}].probe.grpc has no effect: use exec, httpGet or tcpSocket`);
  });
  return warnings;
}
