/** Security contexts of Pods and containers. The shape of both Linux and Windows settings is checked. */
import { fieldForbidden, fieldInvalid, fieldRequired, isUnset, listAt, objectAt, textAt, type JsonObject } from '@kruise/objects';
import {
  anyText,
  between,
  bool,
  listOf,
  objectOf,
  objectsOf,
  oneOf,
  oneOfNotEmpty,
  required,
  textBy,
  textList,
  uniqueIn,
  type Check,
  type Rule,
} from '../checks/check.ts';
import { localPath, trimmed } from '../checks/texts.ts';
import { windowsOptions } from './windows-options.ts';

/** A user or group. */
const id = between(0, 2147483647);

/** Only type Localhost has a profile, and requires it. */
const localProfile =
  (kind: string): Rule =>
  (profile, path, { faults }) => {
    const name = profile['localhostProfile'];
    const at = `${path}.localhostProfile`;
    const isLocal = textAt(profile, 'type') === 'Localhost';
    if (isLocal && (isUnset(name) || name === '')) faults.push(fieldRequired(at, `must be set when ${kind} type is Localhost`));
    if (!isLocal && !isUnset(name)) faults.push(fieldInvalid(at, name, `can only be set when ${kind} type is Localhost`));
  };

const typeRequired =
  (member: string): Rule =>
  (profile, path, { faults }) => {
    if (isUnset(profile['type']) || profile['type'] === '')
      faults.push(fieldRequired(`${path}.type`, `type is required when ${member} is set`));
  };

const profileTypes = oneOf('Localhost', 'RuntimeDefault', 'Unconfined');
const seccompProfile = objectOf(
  { type: profileTypes, localhostProfile: textBy(localPath) },
  typeRequired('seccompProfile'),
  localProfile('seccomp'),
);
const appArmorProfile = objectOf(
  { type: profileTypes, localhostProfile: textBy(trimmed) },
  typeRequired('appArmorProfile'),
  localProfile('AppArmor'),
);

const seLinux = objectOf({ level: anyText, role: anyText, type: anyText, user: anyText });
const shared: Readonly<Record<string, Check>> = {
  appArmorProfile,
  runAsGroup: id,
  runAsNonRoot: bool,
  runAsUser: id,
  seccompProfile,
  seLinuxOptions: seLinux,
  windowsOptions,
};

/** Checks e.g. `kernel.shm_rmid_forced` or `net/ipv4/ip_forward`. */
const sysctlName = (text: string): readonly string[] =>
  text.length <= 253 && /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*([a-z0-9]([-_a-z0-9]*[a-z0-9])?)$/.test(text)
    ? []
    : ['must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*([a-z0-9]([-_a-z0-9]*[a-z0-9])?)$'];

export const podSecurityContext = objectOf(
  {
    ...shared,
    fsGroup: id,
    fsGroupChangePolicy: oneOfNotEmpty('Always', 'OnRootMismatch'),
    seLinuxChangePolicy: oneOfNotEmpty('MountOption', 'Recursive'),
    supplementalGroups: listOf(id),
    supplementalGroupsPolicy: oneOfNotEmpty('Merge', 'Strict'),
    sysctls: objectsOf(objectOf({ name: textBy(sysctlName), value: anyText }, required('name'))),
  },
  uniqueIn('sysctls', 'name'),
);

const privilegedIsAllowed: Rule = (context, path, { faults, allowPrivileged }) => {
  if (context['privileged'] === true && !allowPrivileged) faults.push(fieldForbidden(`${path}.privileged`, 'disallowed by cluster policy'));
};

const adds = (context: JsonObject, capability: string): boolean =>
  listAt(objectAt(context, 'capabilities') ?? {}, 'add').includes(capability);

/** A privileged container cannot be prevented from gaining more privileges. */
const escalation: Rule = (context, path, { faults }) => {
  if (context['allowPrivilegeEscalation'] !== false) return;
  const cannot = 'cannot set `allowPrivilegeEscalation` to false and';
  if (context['privileged'] === true) faults.push(fieldInvalid(path, context, `${cannot} \`privileged\` to true`));
  if (adds(context, 'CAP_SYS_ADMIN')) faults.push(fieldInvalid(path, context, `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`));
};

const procMount: Rule = (context, path, { faults, pod }) => {
  if (context['procMount'] === 'Unmasked' && pod.hostUsers)
    faults.push(fieldInvalid(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'));
};

export const containerSecurityContext = objectOf(
  {
    ...shared,
    allowPrivilegeEscalation: bool,
    capabilities: objectOf({ add: textList, drop: textList }),
    privileged: bool,
    procMount: oneOfNotEmpty('Default', 'Unmasked'),
    readOnlyRootFilesystem: bool,
  },
  privilegedIsAllowed,
  escalation,
  procMount,
);
