/** Mounts and devices of containers against the volumes of the Pod. */
import { fieldForbidden, fieldInvalid, fieldNotFound, objectAt, textAt, type JsonObject } from '@kruise/objects';
import {
  anyText,
  bool,
  forEachObject,
  objectOf,
  objectsOf,
  oneOfNotEmpty,
  required,
  textBy,
  type Check,
  type Rule,
  type Run,
} from '../checks/check.ts';
import { localPath, withoutBacksteps } from '../checks/texts.ts';

/** A mount path must differ from that of every other mount, a device path from that of every other device. */
const unique =
  (list: string, member: string): Rule =>
  (container, path, { faults }) => {
    const seen = new Set<string>();
    forEachObject(container, list, (item, i) => {
      const value = textAt(item, member);
      if (value !== '' && seen.has(value)) faults.push(fieldInvalid(`${path}.${list}[${String(i)}].${member}`, value, 'must be unique'));
      seen.add(value);
    });
  };

const volumeExists: Rule = (mount, path, { faults, pod }) => {
  const name = textAt(mount, 'name');
  if (name !== '' && !pod.volumes.has(name)) faults.push(fieldNotFound(`${path}.name`, name));
};

const oneSubPath: Rule = (mount, path, { faults }) => {
  const expression = textAt(mount, 'subPathExpr');
  if (expression !== '' && textAt(mount, 'subPath') !== '')
    faults.push(fieldInvalid(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
};

const readOnlyAllTheWay: Rule = (mount, path, { faults }) => {
  const value = textAt(mount, 'recursiveReadOnly');
  if (value !== 'Enabled' && value !== 'IfPossible') return;
  const at = `${path}.recursiveReadOnly`;
  const propagation = textAt(mount, 'mountPropagation');
  if (mount['readOnly'] !== true) faults.push(fieldForbidden(at, 'may only be specified when readOnly is true'));
  if (propagation !== '' && propagation !== 'None')
    faults.push(fieldForbidden(at, 'may only be specified when mountPropagation is None or not specified'));
};

const mount = objectOf(
  {
    name: anyText,
    mountPath: anyText,
    subPath: textBy(localPath),
    subPathExpr: textBy(localPath),
    readOnly: bool,
    mountPropagation: oneOfNotEmpty('Bidirectional', 'HostToContainer', 'None'),
    recursiveReadOnly: oneOfNotEmpty('Disabled', 'Enabled', 'IfPossible'),
  },
  required('name', 'mountPath'),
  volumeExists,
  oneSubPath,
  readOnlyAllTheWay,
);

const deviceIsClaim: Rule = (device, path, { faults, pod }) => {
  const name = textAt(device, 'name');
  const source = pod.volumes.get(name);
  if (name === '') return;
  if (source === undefined) faults.push(fieldNotFound(`${path}.name`, name));
  else if (source !== 'persistentVolumeClaim' && source !== 'ephemeral')
    faults.push(fieldInvalid(`${path}.name`, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
};

const device = objectOf({ name: anyText, devicePath: textBy(withoutBacksteps) }, required('name', 'devicePath'), deviceIsClaim);

export const volumeMounts: Check = objectsOf(mount);
export const volumeDevices: Check = objectsOf(device);
export const mountsAreUnique = unique('volumeMounts', 'mountPath');
export const devicesAreUnique = unique('volumeDevices', 'devicePath');

/** Returns the strings of a member in a list, without empty ones. */
function textsIn(container: JsonObject, list: string, member: string): ReadonlySet<string> {
  const texts = new Set<string>();
  forEachObject(container, list, (item) => texts.add(textAt(item, member)));
  texts.delete('');
  return texts;
}

/** A volume is a file system or a device in one container, and a path is one or the other; both sides are reported. */
export const mountsAndDevicesDiffer: Rule = (container, path, { faults }) => {
  const lists = [
    { list: 'volumeMounts', member: 'mountPath' },
    { list: 'volumeDevices', member: 'devicePath' },
  ] as const;
  for (const own of lists) {
    const other = own === lists[0] ? lists[1] : lists[0];
    const names = textsIn(container, other.list, 'name');
    const paths = textsIn(container, other.list, other.member);
    forEachObject(container, own.list, (item, i) => {
      const at = `${path}.${own.list}[${String(i)}]`;
      const [name, ownPath] = [textAt(item, 'name'), textAt(item, own.member)];
      if (names.has(name)) faults.push(fieldInvalid(`${at}.name`, name, `must not already exist in ${other.list}`));
      if (paths.has(ownPath))
        faults.push(fieldInvalid(`${at}.${own.member}`, ownPath, `must not already exist as a path in ${other.list}`));
    });
  }
};

/** Mounting into other containers requires privileges. */
export const propagationNeedsPrivilege: Rule = (container, path, run: Run) => {
  if (isPrivileged(container)) return;
  forEachObject(container, 'volumeMounts', (item, i) => {
    if (textAt(item, 'mountPropagation') === 'Bidirectional')
      run.faults.push(
        fieldForbidden(
          `${path}.volumeMounts[${String(i)}].mountPropagation`,
          'Bidirectional mount propagation is available only to privileged containers',
        ),
      );
  });
};

const isPrivileged = (container: JsonObject): boolean => objectAt(container, 'securityContext')?.['privileged'] === true;
