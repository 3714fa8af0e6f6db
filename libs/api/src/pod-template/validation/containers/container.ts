/** Containers and init containers of a template. */
import {
  checkDns1123Label,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  isUnset,
  textAt,
  type JsonObject,
} from '@kruise/objects';
import {
  anyText,
  bool,
  forEachObject,
  objectOf,
  oneOf,
  oneOfNotEmpty,
  required,
  textBy,
  textList,
  anything,
  type Check,
  type Rule,
  type Run,
} from '../checks/check.ts';
import { envSources, envVariables } from './env.ts';
import { lifecycle, readinessProbe, stoppingProbe } from './handlers.ts';
import { containerPorts, portNamesAreUnique } from './ports.ts';
import { resizePolicies, resizePoliciesAreUnique, resourceRequirements } from '../checks/resources.ts';
import { containerSecurityContext } from './security-context.ts';
import { trimmed } from '../checks/texts.ts';
import {
  devicesAreUnique,
  mountsAndDevicesDiffer,
  mountsAreUnique,
  propagationNeedsPrivilege,
  volumeDevices,
  volumeMounts,
} from '../volumes/volume-mounts.ts';

/** Members that ephemeral containers may have, too. */
export const memberChecks: Readonly<Record<string, Check>> = {
  args: textList,
  command: textList,
  env: envVariables,
  envFrom: envSources,
  image: textBy(trimmed),
  imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  name: textBy(checkDns1123Label),
  ports: containerPorts,
  securityContext: containerSecurityContext,
  stdin: bool,
  stdinOnce: bool,
  terminationMessagePath: anyText,
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  tty: bool,
  workingDir: anyText,
};

const members: Readonly<Record<string, Check>> = {
  ...memberChecks,
  lifecycle,
  livenessProbe: stoppingProbe,
  readinessProbe,
  resizePolicy: resizePolicies,
  resources: resourceRequirements,
  restartPolicy: oneOfNotEmpty('Always', 'OnFailure', 'Never'),
  restartPolicyRules: anything,
  startupProbe: stoppingProbe,
  volumeDevices,
  volumeMounts,
};

const rules: readonly Rule[] = [
  required('name', 'image'),
  portNamesAreUnique,
  resizePoliciesAreUnique,
  mountsAreUnique,
  devicesAreUnique,
  mountsAndDevicesDiffer,
  propagationNeedsPrivilege,
];

const sidecarMembers = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** An init container that is restarted whenever it ends is a sidecar, and only sidecars are probed. */
const onlySidecarsAreWatched: Rule = (container, path, { faults }) => {
  if (container['restartPolicy'] === 'Always') return;
  for (const name of sidecarMembers)
    if (!isUnset(container[name]))
      faults.push(fieldForbidden(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
};

/** Kubernetes 1.34 ignores it by default, later ones follow it. */
const ownRestartPolicy: Rule = (container, path, { faults, kubernetes }) => {
  if (kubernetes < 34 && !isUnset(container['restartPolicy']))
    faults.push(fieldForbidden(`${path}.restartPolicy`, 'may not be set for non-init containers before Kubernetes 1.34'));
};

/** Before Kubernetes 1.34 an init container is a sidecar or has no policy of its own. */
const sidecarRestartPolicy: Rule = (container, path, { faults, kubernetes }) => {
  const policy = textAt(container, 'restartPolicy');
  if (kubernetes < 34 && ['OnFailure', 'Never'].includes(policy))
    faults.push(fieldNotSupported(`${path}.restartPolicy`, policy, ['Always']));
};

const resizePolicyOfInit: Rule = (container, path, { faults, kubernetes }) => {
  const policy = container['resizePolicy'];
  if (kubernetes < 33 && Array.isArray(policy) && policy.length > 0)
    faults.push(fieldInvalid(`${path}.resizePolicy`, policy, 'must not be set for init containers before Kubernetes 1.33'));
};

/** Checks a container that runs beside the others. */
export const container = objectOf(members, ...rules, ownRestartPolicy);
export const initContainer = objectOf(members, ...rules, onlySidecarsAreWatched, sidecarRestartPolicy, resizePolicyOfInit);

/** Checks that names are unique over containers and init containers together. */
export function checkContainerNames(spec: JsonObject, path: string, { faults }: Run): void {
  const seen = new Set<string>();
  for (const list of ['containers', 'initContainers'])
    forEachObject(spec, list, (item, i) => {
      const name = textAt(item, 'name');
      if (name !== '' && seen.has(name)) faults.push(fieldDuplicate(`${path}.${list}[${String(i)}].name`, name));
      seen.add(name);
    });
}
