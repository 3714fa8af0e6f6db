/** Annotations with which older manifests name AppArmor and seccomp profiles; Pods with malformed ones are refused. */
import { fieldInvalid, isJsonObject, textAt, type JsonObject } from '@kruise/objects';
import { forEachObject, type Run } from '../checks/check.ts';
import { localPath } from '../checks/texts.ts';

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

const isAppArmorProfile = (text: string): boolean =>
  text === '' || text === 'runtime/default' || text === 'unconfined' || text.startsWith('localhost/');

function seccompFaults(text: string): readonly string[] {
  if (text === 'runtime/default' || text === 'docker/default' || text === 'unconfined') return [];
  const local = 'localhost/';
  return text.startsWith(local)
    ? localPath(text.slice(local.length))
    : ['must be a valid seccomp profile: runtime/default, docker/default, unconfined or localhost/<path>'];
}

function containerNames(spec: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
    forEachObject(spec, list, (container) => names.add(textAt(container, 'name')));
  return names;
}

/**
 * Reports the faults of these annotations of a template.
 *
 * @param path of the annotations
 */
export function checkProfileAnnotations(annotations: unknown, spec: unknown, path: string, { faults }: Run): void {
  if (!isJsonObject(annotations)) return;
  const names = containerNames(isJsonObject(spec) ? spec : {});
  for (const key of Object.keys(annotations)) {
    const value = annotations[key];
    if (typeof value !== 'string') continue;
    if (key.startsWith(appArmorPrefix)) {
      const container = key.slice(appArmorPrefix.length);
      if (!names.has(container)) faults.push(fieldInvalid(`${path}[${key}]`, container, 'container not found'));
      if (!isAppArmorProfile(value))
        faults.push(fieldInvalid(`${path}[${key}]`, value, 'must be runtime/default, unconfined or localhost/<profile>'));
    }
    if (key === seccompOfPod || key.startsWith(seccompPrefix))
      for (const why of seccompFaults(value)) faults.push(fieldInvalid(`${path}.${key}`, value, why));
  }
}
