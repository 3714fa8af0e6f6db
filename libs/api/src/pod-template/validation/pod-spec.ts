/** The spec of a Pod template as a whole. */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  isJsonObject,
  isUnset,
  listAt,
  objectAt,
  textAt,
  type FieldError,
} from '@kruise/objects';
import { affinity, labelMap } from './checks/affinity.ts';
import {
  anyText,
  between,
  anything,
  bool,
  int32,
  int64,
  listOf,
  newestKubernetes,
  objectOf,
  objectsOf,
  oneOf,
  oneOfNotEmpty,
  required,
  requiredList,
  textBy,
  uniqueIn,
  type Check,
  type Rule,
} from './checks/check.ts';
import { checkContainerNames, container, initContainer } from './containers/container.ts';
import { podFactsOf } from './checks/pod-facts.ts';
import { checkHostPortConflicts } from './containers/ports.ts';
import { resourceList } from './checks/resources.ts';
import {
  readinessGates,
  schedulingGates,
  schedulingGatesAreUnique,
  spreadsAreUnique,
  tolerations,
  topologySpreadConstraints,
} from './scheduling.ts';
import { podSecurityContext } from './containers/security-context.ts';
import { ipAddress } from './checks/texts.ts';
import { hostProcesses, settingsFitSystem } from './containers/windows-options.ts';
import { volumes } from './volumes/volumes.ts';

const subdomain = textBy(checkDns1123Subdomain);
const label = textBy(checkDns1123Label);

const dnsLimits = { nameservers: 3, searches: 32, searchLength: 2048 } as const;

/** Checks a subdomain with an optional dot at its end; `_` is allowed at the start of its parts and wherever `-` is. The root is only a dot. */
function searchDomain(text: string): readonly string[] {
  if (text === '.') return [];
  const plain = text.replace(/\.$/, '').replaceAll(/(?<=^|\.)_/g, '');
  return checkDns1123Subdomain(plain.replaceAll('_', '-'));
}

/** Before Kubernetes 1.33 a subdomain as any other. */
const search: Check = (value, path, run) => {
  if (typeof value !== 'string') anyText(value, path, run);
  else
    for (const why of run.kubernetes < 33 ? checkDns1123Subdomain(value.replace(/\.$/, '')) : searchDomain(value))
      run.faults.push(fieldInvalid(path, value, why));
};

const dnsConfig = objectOf({
  nameservers: listOf(textBy(ipAddress)),
  options: objectsOf(objectOf({ name: anyText, value: anyText }, required('name'))),
  searches: listOf(search),
});

/** Policy None has no servers of its own, and a resolver accepts a limited number. */
const dnsRule: Rule = (spec, path, { faults }) => {
  const config = objectAt(spec, 'dnsConfig');
  const servers = listAt(config ?? {}, 'nameservers');
  const searches = listAt(config ?? {}, 'searches');
  const at = `${path}.dnsConfig`;
  if (textAt(spec, 'dnsPolicy') === 'None' && isUnset(spec['dnsConfig']))
    faults.push(fieldRequired(at, 'must provide `dnsConfig` when `dnsPolicy` is None'));
  else if (textAt(spec, 'dnsPolicy') === 'None' && servers.length === 0)
    faults.push(fieldRequired(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'));
  if (servers.length > dnsLimits.nameservers)
    faults.push(fieldInvalid(`${at}.nameservers`, servers, 'must not have more than 3 nameservers'));
  if (searches.length > dnsLimits.searches)
    faults.push(fieldInvalid(`${at}.searches`, searches, 'must not have more than 32 search paths'));
  if (searches.join(' ').length > dnsLimits.searchLength)
    faults.push(fieldInvalid(`${at}.searches`, searches, 'must not have more than 2048 characters (including spaces) in the search list'));
};

const hostAlias = objectOf({ hostnames: listOf(subdomain), ip: anyText }, (alias, path, { faults }) => {
  if (!isUnset(alias['ip']) && typeof alias['ip'] !== 'string') return;
  const ip = textAt(alias, 'ip');
  for (const why of ipAddress(ip)) faults.push(fieldInvalid(`${path}.ip`, ip, why));
});

const resourceClaim = objectOf(
  { name: label, resourceClaimName: subdomain, resourceClaimTemplateName: subdomain },
  required('name'),
  (claim, path, { faults }) => {
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter((name) => !isUnset(claim[name]));
    if (sources.length > 1)
      faults.push(fieldInvalid(path, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    if (sources.length === 0)
      faults.push(fieldInvalid(path, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
  },
);

const hostNamespaces: Rule = (spec, path, { faults }) => {
  const off = spec['hostUsers'] === false;
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC'])
    if (off && spec[name] === true) faults.push(fieldForbidden(`${path}.${name}`, 'when `hostUsers` is false'));
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true)
    faults.push(fieldInvalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
};

const noEphemeralContainers: Rule = (spec, path, { faults }) => {
  const value = spec['ephemeralContainers'];
  if (!isUnset(value) && !(Array.isArray(value) && value.length === 0))
    faults.push(fieldForbidden(`${path}.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
};

/** Members with only a string, a number or a boolean. */
const plainMembers: Readonly<Record<string, Check>> = {
  activeDeadlineSeconds: between(1, 2147483647),
  automountServiceAccountToken: bool,
  dnsPolicy: oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  enableServiceLinks: bool,
  hostIPC: bool,
  hostNetwork: bool,
  hostPID: bool,
  hostUsers: bool,
  hostname: label,
  hostnameOverride: subdomain,
  nodeName: subdomain,
  preemptionPolicy: oneOfNotEmpty('Never', 'PreemptLowerPriority'),
  priority: int32,
  priorityClassName: subdomain,
  restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
  runtimeClassName: subdomain,
  schedulerName: anyText,
  serviceAccount: subdomain,
  serviceAccountName: subdomain,
  setHostnameAsFQDN: bool,
  shareProcessNamespace: bool,
  subdomain: label,
  terminationGracePeriodSeconds: int64,
};

const shape = objectOf(
  {
    ...plainMembers,
    affinity,
    containers: objectsOf(container),
    dnsConfig,
    hostAliases: objectsOf(hostAlias),
    imagePullSecrets: objectsOf(objectOf({ name: anyText })),
    initContainers: objectsOf(initContainer),
    nodeSelector: labelMap,
    os: objectOf({ name: oneOf('linux', 'windows') }, required('name')),
    overhead: resourceList,
    readinessGates,
    resourceClaims: objectsOf(resourceClaim),
    resources: objectOf({ claims: anything, limits: resourceList, requests: resourceList }),
    schedulingGates,
    securityContext: podSecurityContext,
    tolerations,
    topologySpreadConstraints,
    volumes,
  },
  requiredList('containers'),
  noEphemeralContainers,
  uniqueIn('volumes', 'name'),
  uniqueIn('resourceClaims', 'name'),
  schedulingGatesAreUnique,
  spreadsAreUnique,
  dnsRule,
  hostNamespaces,
  settingsFitSystem,
  hostProcesses,
  checkContainerNames,
  checkHostPortConflicts,
);

export interface PodSpecOptions {
  readonly allowPrivileged: boolean;
  /** Names of volumes that claim templates add; they may equal those of volumes of the spec, which they replace. */
  readonly claimVolumes: readonly string[];
  /** Minor version of the API server: 34 for Kubernetes 1.34; the newest when absent. */
  readonly kubernetes?: number | undefined;
}

/** Returns every fault of a spec of any origin; it must have its defaults already. */
export function validatePodSpec(spec: unknown, path: string, options: PodSpecOptions): readonly FieldError[] {
  if (isUnset(spec)) return [fieldRequired(path)];
  const faults: FieldError[] = [];
  const { allowPrivileged, claimVolumes, kubernetes = newestKubernetes } = options;
  const pod = podFactsOf(isJsonObject(spec) ? spec : {}, claimVolumes);
  shape(spec, path, { faults, allowPrivileged, kubernetes, pod });
  return faults;
}
