/** Settings of containers on Windows, and which settings are allowed with which operating system. @see Kubernetes "Configure RunAsUserName" */
import { checkDns1123Subdomain, fieldForbidden, fieldInvalid, isUnset, objectAt, textAt, type JsonObject } from '@kruise/objects';
import { anyText, bool, forEachObject, objectOf, type Check, type Rule } from '../checks/check.ts';

const encoder = new TextEncoder();
const maxSpecBytes = 64 * 1024;
const maxDomain = 256;
const maxUser = 104;

const dnsDomain = /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

function domainFaults(domain: string): readonly string[] {
  if (domain.length >= maxDomain) return [`runAsUserName's Domain length must be under ${String(maxDomain)} characters`];
  return netBiosName.test(domain) || dnsDomain.test(domain) ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"];
}

function accountFaults(user: string): readonly string[] {
  const faults: string[] = [];
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  if (user.length > maxUser) faults.push(`runAsUserName's User length must not be longer than ${String(maxUser)} characters`);
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) faults.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return faults;
}

/** Returns the faults of `USER` or `DOMAIN\USER`. */
function userNameFaults(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  const [first = '', second] = parts;
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  return second === undefined ? accountFaults(first) : [...domainFaults(first), ...accountFaults(second)];
}

function specFaults(text: string): readonly string[] {
  if (text === '') return ['gmsaCredentialSpec cannot be an empty string'];
  return encoder.encode(text).length > maxSpecBytes ? [`gmsaCredentialSpec size must be under ${String(maxSpecBytes / 1024)} KiB`] : [];
}

/** Unlike `textBy`, it also validates an empty string. */
const textBy =
  (rule: (text: string) => readonly string[]): Check =>
  (value, path, run) => {
    if (typeof value !== 'string') anyText(value, path, run);
    else for (const why of rule(value)) run.faults.push(fieldInvalid(path, value, why));
  };

export const windowsOptions: Check = objectOf({
  gmsaCredentialSpec: textBy(specFaults),
  gmsaCredentialSpecName: textBy(checkDns1123Subdomain),
  hostProcess: bool,
  runAsUserName: textBy(userNameFaults),
});

/** Visits each security context of the Pod with its path: the Pod's own first. */
function forEachContext(spec: JsonObject, path: string, visit: (context: JsonObject, path: string, isPods: boolean) => void): void {
  const own = objectAt(spec, 'securityContext');
  if (own !== undefined) visit(own, `${path}.securityContext`, true);
  for (const list of ['containers', 'initContainers'])
    forEachObject(spec, list, (container, i) => {
      const context = objectAt(container, 'securityContext');
      if (context !== undefined) visit(context, `${path}.${list}[${String(i)}].securityContext`, false);
    });
}

const linuxOfBoth = ['appArmorProfile', 'runAsGroup', 'runAsUser', 'seLinuxOptions', 'seccompProfile'];
const linuxOfPods = [
  ...linuxOfBoth,
  'fsGroup',
  'fsGroupChangePolicy',
  'seLinuxChangePolicy',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'sysctls',
];
const linuxOfContainers = [...linuxOfBoth, 'allowPrivilegeEscalation', 'capabilities', 'privileged', 'procMount', 'readOnlyRootFilesystem'];

const isFilled = (value: unknown): boolean => !isUnset(value) && value !== false && !(Array.isArray(value) && value.length === 0);

const onWindows: Rule = (spec, path, { faults }) => {
  const refuse = (at: string): void => void faults.push(fieldForbidden(at, 'cannot be set for a windows pod'));
  for (const name of ['hostPID', 'hostIPC']) if (isFilled(spec[name])) refuse(`${path}.${name}`);
  for (const name of ['hostUsers', 'shareProcessNamespace']) if (!isUnset(spec[name])) refuse(`${path}.${name}`);
  forEachContext(spec, path, (context, at, isPods) => {
    for (const name of isPods ? linuxOfPods : linuxOfContainers)
      if (name === 'sysctls' ? isFilled(context[name]) : !isUnset(context[name])) refuse(`${at}.${name}`);
  });
};

const onLinux: Rule = (spec, path, { faults }) =>
  forEachContext(spec, path, (context, at) => {
    if (!isUnset(context['windowsOptions']))
      faults.push(fieldForbidden(`${at}.windowsOptions`, 'windows options cannot be set for a linux pod'));
  });

/** Refuses settings of the other operating system, when `spec.os` names one. */
export const settingsFitSystem: Rule = (spec, path, run) => {
  const system = textAt(objectAt(spec, 'os') ?? {}, 'name');
  if (system === 'windows') onWindows(spec, path, run);
  if (system === 'linux') onLinux(spec, path, run);
};

const hostProcessOf = (holder: JsonObject): boolean | undefined => {
  const value = objectAt(objectAt(holder, 'securityContext') ?? {}, 'windowsOptions')?.['hostProcess'];
  return typeof value === 'boolean' ? value : undefined;
};

/** Checks containers that are processes of the host: all or none of a Pod, and on the host's network. */
export const hostProcesses: Rule = (spec, path, { faults, allowPrivileged }) => {
  const ofPod = hostProcessOf(spec);
  const found: boolean[] = [];
  for (const list of ['containers', 'initContainers'])
    forEachObject(spec, list, (container, i) => {
      const own = hostProcessOf(container);
      if (own !== undefined && ofPod !== undefined && own !== ofPod)
        faults.push(
          fieldInvalid(
            `${path}.${list}[${String(i)}].securityContext.windowsOptions.hostProcess`,
            own,
            `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`,
          ),
        );
      found.push(own ?? ofPod ?? false);
    });
  if (!found.includes(true)) return;
  if (found.includes(false))
    faults.push(fieldInvalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (spec['hostNetwork'] !== true)
    faults.push(fieldInvalid(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  if (!allowPrivileged) faults.push(fieldForbidden(path, 'hostProcess containers are disallowed by cluster policy'));
};
