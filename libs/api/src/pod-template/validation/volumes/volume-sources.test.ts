import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { validatePodTemplate } from '../pod-template.ts';

/** A source by the API reference of core/v1. */
interface SourceRow {
  readonly source: string;
  /** The minimal accepted source: each of these members is required. */
  readonly least: JsonObject;
  /** Names of members by the type of their JSON, required ones included. */
  readonly texts?: string;
  readonly numbers?: string;
  readonly switches?: string;
  readonly lists?: string;
  readonly objects?: string;
}

const sources: readonly SourceRow[] = [
  { source: 'awsElasticBlockStore', least: { volumeID: 'v' }, texts: 'fsType volumeID', numbers: 'partition', switches: 'readOnly' },
  {
    source: 'azureDisk',
    least: { diskName: 'd', diskURI: 'https://u' },
    texts: 'cachingMode diskName diskURI fsType kind',
    switches: 'readOnly',
  },
  { source: 'azureFile', least: { secretName: 's', shareName: 'h' }, texts: 'secretName shareName', switches: 'readOnly' },
  {
    source: 'cephfs',
    least: { monitors: ['m'] },
    texts: 'path secretFile user',
    switches: 'readOnly',
    lists: 'monitors',
    objects: 'secretRef',
  },
  { source: 'cinder', least: { volumeID: 'v' }, texts: 'fsType volumeID', switches: 'readOnly', objects: 'secretRef' },
  { source: 'configMap', least: { name: 'c' }, texts: 'name', numbers: 'defaultMode', switches: 'optional', lists: 'items' },
  {
    source: 'csi',
    least: { driver: 'd' },
    texts: 'driver fsType',
    switches: 'readOnly',
    objects: 'nodePublishSecretRef volumeAttributes',
  },
  { source: 'downwardAPI', least: {}, numbers: 'defaultMode', lists: 'items' },
  { source: 'emptyDir', least: {}, texts: 'medium' },
  {
    source: 'ephemeral',
    least: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
    objects: 'volumeClaimTemplate',
  },
  { source: 'fc', least: {}, texts: 'fsType', numbers: 'lun', switches: 'readOnly', lists: 'targetWWNs wwids' },
  { source: 'flexVolume', least: { driver: 'd' }, texts: 'driver fsType', switches: 'readOnly', objects: 'options secretRef' },
  { source: 'flocker', least: {}, texts: 'datasetName datasetUUID' },
  { source: 'gcePersistentDisk', least: { pdName: 'p' }, texts: 'fsType pdName', numbers: 'partition', switches: 'readOnly' },
  { source: 'gitRepo', least: { repository: 'r' }, texts: 'directory repository revision' },
  { source: 'glusterfs', least: { endpoints: 'e', path: 'p' }, texts: 'endpoints path', switches: 'readOnly' },
  { source: 'hostPath', least: { path: '/p' }, texts: 'path type' },
  { source: 'image', least: {}, texts: 'pullPolicy reference' },
  {
    source: 'iscsi',
    least: { targetPortal: 't', iqn: 'iqn.2001-04.com.example:a' },
    texts: 'fsType initiatorName iqn iscsiInterface targetPortal',
    numbers: 'lun',
    switches: 'chapAuthDiscovery chapAuthSession readOnly',
    lists: 'portals',
    objects: 'secretRef',
  },
  { source: 'nfs', least: { server: 's', path: '/p' }, texts: 'path server', switches: 'readOnly' },
  { source: 'persistentVolumeClaim', least: { claimName: 'c' }, texts: 'claimName', switches: 'readOnly' },
  { source: 'photonPersistentDisk', least: { pdID: 'p' }, texts: 'fsType pdID' },
  { source: 'portworxVolume', least: { volumeID: 'v' }, texts: 'fsType volumeID', switches: 'readOnly' },
  { source: 'projected', least: {}, numbers: 'defaultMode', lists: 'sources' },
  { source: 'quobyte', least: { registry: 'r', volume: 'v' }, texts: 'group registry tenant user volume', switches: 'readOnly' },
  {
    source: 'rbd',
    least: { monitors: ['m'], image: 'i' },
    texts: 'fsType image keyring pool user',
    switches: 'readOnly',
    lists: 'monitors',
    objects: 'secretRef',
  },
  {
    source: 'scaleIO',
    least: { gateway: 'g', system: 's', volumeName: 'v' },
    texts: 'fsType gateway protectionDomain storageMode storagePool system volumeName',
    switches: 'readOnly sslEnabled',
    objects: 'secretRef',
  },
  { source: 'secret', least: { secretName: 's' }, texts: 'secretName', numbers: 'defaultMode', switches: 'optional', lists: 'items' },
  {
    source: 'storageos',
    least: { volumeName: 'v' },
    texts: 'fsType volumeName volumeNamespace',
    switches: 'readOnly',
    objects: 'secretRef',
  },
  { source: 'vsphereVolume', least: { volumePath: 'p' }, texts: 'fsType storagePolicyID storagePolicyName volumePath' },
];
/** Sources that need one of several members, with one that is sufficient. */
const oneOf: Readonly<Record<string, JsonObject>> = { fc: { wwids: ['w'] }, flocker: { datasetName: 'd' } };

const faultsOf = (source: string, value: JsonObject): readonly string[] =>
  validatePodTemplate({ spec: { containers: [{ name: 'a', image: 'b' }], volumes: [{ name: 'v', [source]: value }] } }, '', {
    allowPrivileged: true,
    hostNetworkHostPorts: false,
    claimVolumes: [],
  }).map((fault) => formatFieldError(fault).replace(`spec.volumes[0].${source}`, ''));

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');

describe.each(sources)('a volume of the source $source', (row) => {
  const { source, least } = row;
  const enough = { ...least, ...oneOf[source] };

  it('is taken with the members that it needs', () => {
    expect(faultsOf(source, enough)).toEqual([]);
  });

  it('is refused without one of them', () => {
    const needed = Object.keys(least);
    const faults = needed.map((name) => faultsOf(source, Object.fromEntries(Object.entries(enough).filter(([key]) => key !== name))));
    expect(faults).toEqual(needed.map((name) => [`.${name}: Required value`]));
  });

  it('has members of the types that the API gives them', () => {
    const types = [
      { names: row.texts, value: 5, why: '5: must be a string' },
      { names: row.numbers, value: 'x', why: '"x": must be an integer' },
      { names: row.switches, value: 'x', why: '"x": must be true or false' },
      { names: row.lists, value: 'x', why: '"x": must be a list' },
      { names: row.objects, value: 'x', why: '"x": must be an object' },
    ];
    for (const { names, value, why } of types)
      for (const name of words(names)) expect(faultsOf(source, { ...enough, [name]: value })).toContain(`.${name}: Invalid value: ${why}`);
  });
});

describe('a volume', () => {
  it.each<{ name: string; source: string; value: JsonObject; faults: readonly string[] }>([
    { name: 'a partition of 255', source: 'awsElasticBlockStore', value: { volumeID: 'v', partition: 255 }, faults: [] },
    {
      name: 'a partition of 256',
      source: 'gcePersistentDisk',
      value: { pdName: 'v', partition: 256 },
      faults: ['.partition: Invalid value: 256: must be between 0 and 255, inclusive'],
    },
    { name: 'names of fibre channel with their unit', source: 'fc', value: { targetWWNs: ['w'], lun: 0 }, faults: [] },
    {
      name: 'names of fibre channel without unit',
      source: 'fc',
      value: { targetWWNs: ['w'] },
      faults: ['.lun: Required value: lun is required if targetWWNs is specified'],
    },
    {
      name: 'names and ids of fibre channel',
      source: 'fc',
      value: { targetWWNs: ['w'], wwids: ['x'], lun: 255 },
      faults: ['.targetWWNs: Invalid value: ["w"]: targetWWNs and wwids can not be specified simultaneously'],
    },
    {
      name: 'neither names nor ids of fibre channel',
      source: 'fc',
      value: { targetWWNs: [], wwids: [] },
      faults: ['.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
    },
    { name: 'the id of a data set', source: 'flocker', value: { datasetUUID: 'u' }, faults: [] },
    {
      name: 'name and id of a data set',
      source: 'flocker',
      value: { datasetName: 'n', datasetUUID: 'u' },
      faults: [': Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously'],
    },
    { name: 'no data set', source: 'flocker', value: {}, faults: [': Required value: one of datasetName and datasetUUID is required'] },
    ...['iqn.2001-04.com.example:a', 'eui.0123456789ABCDEF', `naa.${'f'.repeat(32)}`].map((iqn) => ({
      name: `the iSCSI name ${iqn}`,
      source: 'iscsi',
      value: { targetPortal: 't', iqn },
      faults: [],
    })),
    ...[
      'x',
      'iqn.2001-4.a',
      'iqn.2001-04.a',
      'xiqn.2001-04.a:b',
      'eui.0123',
      'eui.0123456789ABCDEF0',
      `naa.${'0'.repeat(16)}`,
      `naa.${'0'.repeat(33)}`,
    ].map((iqn) => ({
      name: `the iSCSI name ${iqn}`,
      source: 'iscsi',
      value: { targetPortal: 't', iqn },
      faults: [
        `.iqn: Invalid value: "${iqn}": must be valid format: iqn.<year>-<month>.<domain>:<name>, eui.<16 characters> or naa.<32 characters>`,
      ],
    })),
    ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'].map((type) => ({
      name: `the path of a host of type "${type}"`,
      source: 'hostPath',
      value: { path: '/a', type },
      faults: [],
    })),
    ...['None', 'ReadOnly', 'ReadWrite'].map((cachingMode) => ({
      name: `a disk with cachingMode ${cachingMode}`,
      source: 'azureDisk',
      value: { diskName: 'd', diskURI: 'https://u', cachingMode },
      faults: [],
    })),
    ...['Dedicated', 'Managed', 'Shared'].map((kind) => ({
      name: `a disk of kind ${kind}`,
      source: 'azureDisk',
      value: { diskName: 'd', diskURI: kind === 'Managed' ? '/subscriptions/u' : 'https://u', kind },
      faults: [],
    })),
    {
      name: 'a disk of unknown kind and mode',
      source: 'azureDisk',
      value: { diskName: 'd', diskURI: 'https://u', kind: 'x', cachingMode: 'y' },
      faults: [
        '.kind: Unsupported value: "x": supported values: "Dedicated", "Managed", "Shared"',
        '.cachingMode: Unsupported value: "y": supported values: "None", "ReadOnly", "ReadWrite"',
      ],
    },
    {
      name: 'an image with an unknown policy',
      source: 'image',
      value: { reference: 'r', pullPolicy: 'Sometimes' },
      faults: ['.pullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"'],
    },
    ...['Always', 'IfNotPresent', 'Never'].map((pullPolicy) => ({
      name: `an image with the policy ${pullPolicy}`,
      source: 'image',
      value: { reference: 'r', pullPolicy },
      faults: [],
    })),
    {
      name: 'a repository in a folder that is not below',
      source: 'gitRepo',
      value: { repository: 'r', directory: '../x' },
      faults: ['.directory: Invalid value: "../x": must not contain \'..\''],
    },
    {
      name: 'a claim with faults',
      source: 'ephemeral',
      value: { volumeClaimTemplate: { spec: { accessModes: 'x', storageClassName: 'A', volumeMode: 'Disk', resources: [] } } },
      faults: [
        '.volumeClaimTemplate.spec.accessModes: Invalid value: "x": must be a list',
        ".volumeClaimTemplate.spec.storageClassName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        '.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Disk": supported values: "Block", "Filesystem"',
        '.volumeClaimTemplate.spec.resources: Invalid value: []: must be an object',
        '.volumeClaimTemplate.spec.resources[storage]: Required value',
      ],
    },
    {
      name: 'a claim without spec',
      source: 'ephemeral',
      value: { volumeClaimTemplate: {} },
      faults: [
        '.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required, of ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod',
        '.volumeClaimTemplate.spec.resources[storage]: Required value',
      ],
    },
    {
      name: 'attributes that are no texts',
      source: 'csi',
      value: { driver: 'd', volumeAttributes: { a: 'b', c: 5 } },
      faults: ['.volumeAttributes[c]: Invalid value: 5: must be a string'],
    },
    {
      name: 'a secret reference with a name that is a number',
      source: 'scaleIO',
      value: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 5, namespace: 6 } },
      faults: ['.secretRef.name: Invalid value: 5: must be a string', '.secretRef.namespace: Invalid value: 6: must be a string'],
    },
    {
      name: 'a local secret reference with a name that is a number',
      source: 'cinder',
      value: { volumeID: 'v', secretRef: { name: 5 } },
      faults: ['.secretRef.name: Invalid value: 5: must be a string'],
    },
    {
      name: 'a size that is none',
      source: 'emptyDir',
      value: { sizeLimit: 'much' },
      faults: ['.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    },
    { name: 'a size of null', source: 'emptyDir', value: { sizeLimit: null }, faults: [] },
  ])('of $name', ({ source, value, faults }) => {
    expect(faultsOf(source, value)).toEqual(faults);
  });

  it.each<{ name: string; given: JsonObject; faults: readonly string[] }>([
    { name: 'a secret', given: { secret: { name: 's', items: [{ key: 'k', path: 'p' }], optional: true } }, faults: [] },
    { name: 'a secret without name', given: { secret: {} }, faults: ['.secret.name: Required value'] },
    { name: 'a ConfigMap without name', given: { configMap: {} }, faults: ['.configMap.name: Required value'] },
    {
      name: 'a ConfigMap with faulty items',
      given: { configMap: { name: 'c', items: [{ key: 5 }], optional: 'x' } },
      faults: [
        '.configMap.items[0].key: Invalid value: 5: must be a string',
        '.configMap.items[0].path: Required value',
        '.configMap.optional: Invalid value: "x": must be true or false',
      ],
    },
    {
      name: 'a secret with faulty items',
      given: { secret: { name: 5, items: 'x', optional: 'x' } },
      faults: [
        '.secret.name: Invalid value: 5: must be a string',
        '.secret.items: Invalid value: "x": must be a list',
        '.secret.optional: Invalid value: "x": must be true or false',
      ],
    },
    { name: 'fields', given: { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } }, faults: [] },
    {
      name: 'fields that are no list',
      given: { downwardAPI: { items: 'x' } },
      faults: ['.downwardAPI.items: Invalid value: "x": must be a list'],
    },
    {
      name: 'a token of faulty members',
      given: { serviceAccountToken: { path: 5, audience: 6, expirationSeconds: 'x' } },
      faults: [
        '.serviceAccountToken.path: Invalid value: 5: must be a string',
        '.serviceAccountToken.audience: Invalid value: 6: must be a string',
        '.serviceAccountToken.expirationSeconds: Invalid value: "x": must be an integer',
      ],
    },
    { name: 'the shortest token', given: { serviceAccountToken: { path: 'p', expirationSeconds: 600 } }, faults: [] },
    { name: 'a bundle', given: { clusterTrustBundle: { name: 'n', path: 'p' } }, faults: [] },
    {
      name: 'a bundle of faulty members',
      given: { clusterTrustBundle: { name: 5, labelSelector: 6, optional: 'x' } },
      faults: [
        '.clusterTrustBundle.name: Invalid value: 5: must be a string',
        '.clusterTrustBundle.labelSelector: Invalid value: 6: must be an object',
        '.clusterTrustBundle.optional: Invalid value: "x": must be true or false',
        '.clusterTrustBundle.path: Required value',
        '.clusterTrustBundle.labelSelector: Invalid value: 6: labelSelector must be unset if name is specified',
      ],
    },
    {
      name: 'a certificate and a secret',
      given: { podCertificate: {}, secret: { name: 's' } },
      faults: [': Forbidden: may not specify more than 1 volume type per source'],
    },
  ])('that projects $name', ({ given, faults }) => {
    expect(faultsOf('projected', { sources: [given] })).toEqual(faults.map((fault) => `.sources[0]${fault}`));
  });

  it('that projects a bundle writes it to a file of its own', () => {
    const of = (path: string): readonly string[] =>
      faultsOf('projected', {
        sources: [{ configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } }, { clusterTrustBundle: { name: 'n', path } }],
      });
    expect(of('q')).toEqual([]);
    expect(of('p')).toEqual(['.sources[1]: Invalid value: "p": conflicting duplicate paths']);
  });
});
