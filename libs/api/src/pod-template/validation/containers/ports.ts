/** Ports of containers. */
import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  numberAt,
  textAt,
  type JsonObject,
} from '@kruise/objects';
import {
  anyText,
  between,
  forEachObject,
  objectOf,
  objectsOf,
  oneOf,
  textBy,
  uniqueIn,
  type Check,
  type Rule,
  type Run,
} from '../checks/check.ts';
import { portName } from '../checks/texts.ts';

const portRange = between(1, 65535);

/** 0 counts as absent. */
const hostPort: Check = (value, path, run) => (value === 0 ? undefined : portRange(value, path, run));

const containerPortRequired: Rule = (port, path, { faults }) => {
  if (isUnset(port['containerPort']) || port['containerPort'] === 0) faults.push(fieldRequired(`${path}.containerPort`));
};

/** On the host's network a host port is the container's port. */
const hostPortMatches: Rule = (port, path, { faults, pod }) => {
  const host = numberAt(port, 'hostPort') ?? 0;
  if (pod.hostNetwork && host !== 0 && host !== numberAt(port, 'containerPort'))
    faults.push(fieldInvalid(`${path}.hostPort`, host, 'must match `containerPort` when `hostNetwork` is true'));
};

const port = objectOf(
  {
    name: textBy(portName),
    containerPort: hostPort,
    hostPort,
    protocol: oneOf('SCTP', 'TCP', 'UDP'),
    hostIP: anyText,
  },
  containerPortRequired,
  hostPortMatches,
);

export const containerPorts = objectsOf(port);
export const portNamesAreUnique = uniqueIn('ports', 'name');

/**
 * Checks that each host port is used once: over all containers, and in each init container separately, because it ends before the next one starts.
 */
export function checkHostPortConflicts(spec: JsonObject, path: string, run: Run): void {
  const taken = new Set<string>();
  forEachObject(spec, 'containers', (container, i) => takeHostPorts(container, { path: `${path}.containers[${String(i)}]`, run }, taken));
  forEachObject(spec, 'initContainers', (container, i) =>
    takeHostPorts(container, { path: `${path}.initContainers[${String(i)}]`, run }, new Set()),
  );
}

function takeHostPorts(container: JsonObject, at: { readonly path: string; readonly run: Run }, taken: Set<string>): void {
  forEachObject(container, 'ports', (item, i) => {
    const number = numberAt(item, 'hostPort') ?? 0;
    const id = `${textAt(item, 'protocol')}/${textAt(item, 'hostIP')}/${String(number)}`;
    if (number !== 0 && taken.has(id)) at.run.faults.push(fieldDuplicate(`${at.path}.ports[${String(i)}].hostPort`, id));
    taken.add(id);
  });
}

/** Checks the port of a probe or hook: a number, or the name of a port. */
export const portReference: Check = (value, path, run) => {
  if (isUnset(value)) run.faults.push(fieldInvalid(path, 0, 'must be between 1 and 65535, inclusive'));
  else if (typeof value === 'string') checkPortName(value, path, run);
  else if (typeof value === 'number') portRange(value, path, run);
  else run.faults.push(fieldTypeInvalid(path, isJsonObject(value) ? {} : value, 'must be an integer or a name'));
};

function checkPortName(name: string, path: string, run: Run): void {
  const faults = portName(name);
  for (const why of faults) run.faults.push(fieldInvalid(path, name, why));
}

/** Checks a port that can only be a number. */
export const portNumber: Check = (value, path, run) => portRange(isUnset(value) ? 0 : value, path, run);
