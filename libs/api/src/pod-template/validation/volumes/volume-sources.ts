/** One check for each source that a volume may have. */
import {
  checkDns1123Subdomain,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  isUnset,
  numberAt,
  objectAt,
  parseQuantity,
  textAt,
  type JsonObject,
} from '@kruise/objects';
import { labelSelector } from '../checks/affinity.ts';
import {
  anyText,
  anything,
  between,
  bool,
  given,
  fileMode,
  forEachObject,
  int64,
  mapOf,
  objectOf,
  objectsOf,
  oneOf,
  oneOfNotEmpty,
  required,
  requiredList,
  textBy,
  textList,
  textMap,
  type Check,
  type Rule,
} from '../checks/check.ts';
import { ephemeralClaim } from './claim-spec.ts';
import { volumeFieldRef, volumeResourceRef } from '../checks/field-references.ts';
import { oneTrustBundle } from './trust-bundle.ts';
import { absolutePath, driverName, localPath, projectedPath, withoutBacksteps } from '../checks/texts.ts';

const localReference = objectOf({ name: anyText });
const secretReference = objectOf({ name: anyText, namespace: anyText });
const diskPartition = between(0, 255);

const keyToPath = objectOf({ key: anyText, path: textBy(projectedPath), mode: fileMode }, required('key', 'path'));
const files: Readonly<Record<string, Check>> = { defaultMode: fileMode, items: objectsOf(keyToPath), optional: bool };

/** An item of the downward API is one file with one content. */
const oneContent: Rule = (item, path, { faults }) => {
  const hasField = !isUnset(item['fieldRef']);
  const hasResource = !isUnset(item['resourceFieldRef']);
  if (!hasField && !hasResource) faults.push(fieldRequired(path, 'one of fieldRef and resourceFieldRef is required'));
  if (hasField && hasResource)
    faults.push(fieldInvalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
};
const downwardFile = objectOf(
  { path: textBy(projectedPath), fieldRef: volumeFieldRef, resourceFieldRef: volumeResourceRef, mode: fileMode },
  required('path'),
  oneContent,
);
const downwardFiles: Readonly<Record<string, Check>> = { items: objectsOf(downwardFile) };

const serviceAccountToken = objectOf(
  { audience: anyText, expirationSeconds: int64, path: textBy(projectedPath) },
  (token, path, { faults }) => {
    const seconds = numberAt(token, 'expirationSeconds');
    if (seconds !== undefined && seconds < 600)
      faults.push(fieldInvalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds !== undefined && seconds > 2 ** 32)
      faults.push(fieldInvalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'));
  },
);

const clusterTrustBundle = objectOf(
  { name: anyText, signerName: anyText, labelSelector, optional: bool, path: textBy(projectedPath) },
  required('path'),
  oneTrustBundle,
);

const projections: Readonly<Record<string, Check>> = {
  secret: objectOf({ ...files, name: anyText }, required('name')),
  configMap: objectOf({ ...files, name: anyText }, required('name')),
  downwardAPI: objectOf(downwardFiles),
  serviceAccountToken,
  clusterTrustBundle,
  podCertificate: anything,
};

const oneProjection: Rule = (source, path, { faults }) => {
  if (given(source, Object.keys(projections)).length > 1)
    faults.push(fieldForbidden(path, 'may not specify more than 1 volume type per source'));
};
const projection = objectOf(projections, oneProjection);

/** Reported at the volume's source, as the API server does. */
const tokensHavePaths: Rule = (projected, path, run) =>
  forEachObject(projected, 'sources', (source) => {
    const token = objectAt(source, 'serviceAccountToken');
    if (token !== undefined) required('path')(token, path, run);
  });

/** Returns the files that a projection writes, as far as its items name them; the API server does not compare those of tokens. */
function pathsOf(source: JsonObject): readonly string[] {
  const paths: string[] = [];
  for (const name of Object.keys(projections)) {
    const inner = objectAt(source, name);
    if (inner === undefined) continue;
    if (name !== 'serviceAccountToken') paths.push(textAt(inner, 'path'));
    forEachObject(inner, 'items', (item) => paths.push(textAt(item, 'path')));
  }
  return paths;
}

const pathsDiffer: Rule = (projected, path, { faults }) => {
  const seen = new Set<string>();
  forEachObject(projected, 'sources', (source, i) => {
    for (const file of pathsOf(source)) {
      if (file !== '' && seen.has(file)) faults.push(fieldInvalid(`${path}.sources[${String(i)}]`, file, 'conflicting duplicate paths'));
      seen.add(file);
    }
  });
};

const sizeLimit: Check = (value, path, { faults }) => {
  if (isUnset(value)) return;
  const size = parseQuantity(value);
  if (size === undefined || size.nanos < 0n) faults.push(fieldForbidden(path, 'SizeLimit field must be a valid resource quantity'));
};

const iscsiName = (text: string): readonly string[] =>
  /^(iqn\.\d{4}-\d{2}\.[-.A-Za-z0-9]+(:[^,;*&$|\s]+)|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32})$/.test(text)
    ? []
    : ['must be valid format: iqn.<year>-<month>.<domain>:<name>, eui.<16 characters> or naa.<32 characters>'];

const chapNeedsSecret: Rule = (source, path, { faults }) => {
  const isUsed = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
  if (isUsed && isUnset(source['secretRef'])) faults.push(fieldRequired(`${path}.secretRef`, 'CHAP authentication needs a secret'));
};

/** A name that must not be empty. */
const namedSecret = objectOf({ name: textBy(checkDns1123Subdomain) }, required('name'));

/** Namespaces of Kubernetes are not allowed in options of users. */
const options = mapOf((key, value, { path, run }) => {
  const [namespace = ''] = key.split('/', 1);
  const text = `.${namespace.toLowerCase()}`;
  const at = `${path}[${key}]`;
  if (typeof value !== 'string') run.faults.push(fieldTypeInvalid(at, value, 'must be a string'));
  if (text.endsWith('.kubernetes.io') || text.endsWith('.k8s.io'))
    run.faults.push(fieldInvalid(at, key, 'kubernetes.io and k8s.io namespaces are reserved'));
});

/** A disk without a kind is a shared one. */
const diskFitsKind: Rule = (source, path, { faults }) => {
  const isManaged = source['kind'] === 'Managed';
  const uri = textAt(source, 'diskURI');
  const [prefix, form] = isManaged
    ? ['/subscriptions/', '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}']
    : ['https://', 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];
  if (uri !== '' && !uri.startsWith(prefix)) faults.push(fieldNotSupported(`${path}.diskURI`, uri, [form]));
};

const fibreChannel: Rule = (source, path, { faults }) => {
  const hasNames = Array.isArray(source['targetWWNs']) && source['targetWWNs'].length > 0;
  const hasIds = Array.isArray(source['wwids']) && source['wwids'].length > 0;
  if (!hasNames && !hasIds) faults.push(fieldRequired(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  if (hasNames && hasIds)
    faults.push(fieldInvalid(`${path}.targetWWNs`, source['targetWWNs'], 'targetWWNs and wwids can not be specified simultaneously'));
  if (hasNames && isUnset(source['lun'])) faults.push(fieldRequired(`${path}.lun`, 'lun is required if targetWWNs is specified'));
};

/** By the name of the volume's member. */
export const volumeSources: Readonly<Record<string, Check>> = {
  awsElasticBlockStore: objectOf({ fsType: anyText, partition: diskPartition, readOnly: bool, volumeID: anyText }, required('volumeID')),
  azureDisk: objectOf(
    {
      cachingMode: oneOfNotEmpty('None', 'ReadOnly', 'ReadWrite'),
      diskName: anyText,
      diskURI: anyText,
      fsType: anyText,
      kind: oneOfNotEmpty('Dedicated', 'Managed', 'Shared'),
      readOnly: bool,
    },
    required('diskName', 'diskURI'),
    diskFitsKind,
  ),
  azureFile: objectOf({ readOnly: bool, secretName: anyText, shareName: anyText }, required('secretName', 'shareName')),
  cephfs: objectOf(
    { monitors: textList, path: anyText, readOnly: bool, secretFile: anyText, secretRef: localReference, user: anyText },
    requiredList('monitors'),
  ),
  cinder: objectOf({ fsType: anyText, readOnly: bool, secretRef: localReference, volumeID: anyText }, required('volumeID')),
  configMap: objectOf({ ...files, name: anyText }, required('name')),
  csi: objectOf(
    { driver: textBy(driverName), fsType: anyText, nodePublishSecretRef: namedSecret, readOnly: bool, volumeAttributes: textMap },
    required('driver'),
  ),
  downwardAPI: objectOf({ ...downwardFiles, defaultMode: fileMode }),
  emptyDir: objectOf({ medium: anyText, sizeLimit }),
  ephemeral: objectOf({ volumeClaimTemplate: ephemeralClaim }, required('volumeClaimTemplate')),
  fc: objectOf({ fsType: anyText, lun: between(0, 255), readOnly: bool, targetWWNs: textList, wwids: textList }, fibreChannel),
  flexVolume: objectOf({ driver: anyText, fsType: anyText, options, readOnly: bool, secretRef: localReference }, required('driver')),
  flocker: objectOf({ datasetName: anyText, datasetUUID: anyText }, (source, path, { faults }) => {
    const count = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')].filter((text) => text !== '').length;
    if (count === 0) faults.push(fieldRequired(path, 'one of datasetName and datasetUUID is required'));
    if (count === 2) faults.push(fieldInvalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
    if (textAt(source, 'datasetName').includes('/'))
      faults.push(fieldInvalid(`${path}.datasetName`, textAt(source, 'datasetName'), "must not contain '/'"));
  }),
  gcePersistentDisk: objectOf({ fsType: anyText, partition: diskPartition, pdName: anyText, readOnly: bool }, required('pdName')),
  gitRepo: objectOf({ directory: textBy(localPath), repository: anyText, revision: anyText }, required('repository')),
  glusterfs: objectOf({ endpoints: anyText, path: anyText, readOnly: bool }, required('endpoints', 'path')),
  hostPath: objectOf(
    {
      path: textBy(withoutBacksteps),
      type: oneOf('', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'),
    },
    required('path'),
  ),
  image: objectOf({ pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'), reference: anyText }),
  iscsi: objectOf(
    {
      chapAuthDiscovery: bool,
      chapAuthSession: bool,
      fsType: anyText,
      initiatorName: textBy(iscsiName),
      iqn: textBy(iscsiName),
      iscsiInterface: anyText,
      lun: between(0, 255),
      portals: textList,
      readOnly: bool,
      secretRef: localReference,
      targetPortal: anyText,
    },
    required('targetPortal', 'iqn'),
    chapNeedsSecret,
  ),
  nfs: objectOf({ path: textBy(absolutePath), readOnly: bool, server: anyText }, required('server', 'path')),
  persistentVolumeClaim: objectOf({ claimName: anyText, readOnly: bool }, required('claimName')),
  photonPersistentDisk: objectOf({ fsType: anyText, pdID: anyText }, required('pdID')),
  portworxVolume: objectOf({ fsType: anyText, readOnly: bool, volumeID: anyText }, required('volumeID')),
  projected: objectOf({ defaultMode: fileMode, sources: objectsOf(projection) }, tokensHavePaths, pathsDiffer),
  quobyte: objectOf(
    { group: anyText, readOnly: bool, registry: anyText, tenant: anyText, user: anyText, volume: anyText },
    required('registry', 'volume'),
  ),
  rbd: objectOf(
    {
      fsType: anyText,
      image: anyText,
      keyring: anyText,
      monitors: textList,
      pool: anyText,
      readOnly: bool,
      secretRef: localReference,
      user: anyText,
    },
    requiredList('monitors'),
    required('image'),
  ),
  scaleIO: objectOf(
    {
      fsType: anyText,
      gateway: anyText,
      protectionDomain: anyText,
      readOnly: bool,
      secretRef: secretReference,
      sslEnabled: bool,
      storageMode: anyText,
      storagePool: anyText,
      system: anyText,
      volumeName: anyText,
    },
    required('gateway', 'system', 'volumeName'),
  ),
  secret: objectOf({ defaultMode: fileMode, items: objectsOf(keyToPath), optional: bool, secretName: anyText }, required('secretName')),
  storageos: objectOf(
    { fsType: anyText, readOnly: bool, secretRef: localReference, volumeName: anyText, volumeNamespace: anyText },
    required('volumeName'),
  ),
  vsphereVolume: objectOf(
    { fsType: anyText, storagePolicyID: anyText, storagePolicyName: anyText, volumePath: anyText },
    required('volumePath'),
  ),
};
