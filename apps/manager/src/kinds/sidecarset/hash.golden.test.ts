// Vectors of spec/sidecarset.md 5.1, and the objects that the original manager left on a real cluster.
import { describe, expect, it } from '@jest/globals';
import type { SidecarContainer, SidecarSet, SidecarSetSpec } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { revisionHash, revisionName } from '@kruise/pods';
import { recordedObjects, recordedStages } from '@kruise/testing';
import { hashesOf, sidecarSetHashes, storedVersionBytes, versionBytes, versionedSpecOf } from '@kruise/kinds/sidecarset';

type HashedSpec = Pick<SidecarSetSpec, 'containers' | 'initContainers'>;

const vectorA =
  '{"containers":[{"name":"sidecar1","image":"centos:6.7","command":["sleep","999d"],"resources":{},"volumeMounts":[{"name":"log-volume","mountPath":"/var/log"}],"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","podInjectPolicy":"BeforeAppContainer","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"shareVolumePolicy":{"type":"disabled"}}]}';
const vectorB = String.raw`{"containers":[{"name":"mesh","image":"envoy:1","args":["a\u003cb \u0026\u0026 c"],"ports":[{"containerPort":80,"protocol":"TCP"}],"env":[{"name":"E"},{"name":"F","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","securityContext":{"privileged":true},"podInjectPolicy":"AfterAppContainer","upgradeStrategy":{"upgradeType":"HotUpgrade","hotUpgradeEmptyImage":"empty:1"},"shareVolumePolicy":{"type":"enabled"},"shareVolumeDevicePolicy":{"type":"enabled"},"transferEnv":[{"sourceContainerNameFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels['biz']"}},"envNames":["X","Q"]},{"sourceContainerName":"main","envName":"Z"}]},{"name":"pol","image":"pol@sha256:0000000000000000000000000000000000000000000000000000000000000000","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","podInjectPolicy":"BeforeAppContainer","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"shareVolumePolicy":{"type":"disabled"},"resourcesPolicy":{"targetContainersMode":"sum","targetContainersNameRegex":".*","resourcesExpr":{"limits":{"cpu":"max(cpu*50%, 50m)"}}}}],"initContainers":[{"name":"ini","image":"busybox","resources":{},"restartPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always","podInjectPolicy":"AfterAppContainer","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"shareVolumePolicy":{"type":"disabled"}}]}`;
const parse = (text: string): HashedSpec => JSON.parse(text) as HashedSpec;
const hashA = '4zbdc2xzc8w7c4x2c6984266bc9d7zf87x946v7xdfv988f6c6fc9b7dz47w8zd5';
const hashAWithoutImage = 'wcv47954b7xv5w4fbw682bbf78cw2449448vbf4fvvwv77947bc7fcv7fw89f98x';

/** Members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('the hash of a SidecarSet', () => {
  it.each([
    ['A', vectorA, hashA, hashAWithoutImage],
    [
      'B',
      vectorB,
      '6x6b27b9257f64d24cdff6788v28d485cv66844zwx64z59268w5dcvbxf24zw4x',
      'ww97zb44bc4d9c2bbv9v8xc4b4wv844v76cx56zx7d9wc49d62874bdz89fx7v5b',
    ],
  ])('is that of upstream for vector %s, in whatever order members come', (_name, text, hash, hashWithoutImage) => {
    expect(sidecarSetHashes(parse(text))).toEqual({ hash, hashWithoutImage });
    expect(sidecarSetHashes(reversed(parse(text)) as HashedSpec)).toEqual({ hash, hashWithoutImage });
  });

  const containerA = parse(vectorA).containers![0]!;
  const withContainer = (changes: object): HashedSpec => ({ containers: [{ ...containerA, ...changes }] });
  const plainInit = { name: 'i', image: 'i:1' } as SidecarContainer;

  it.each<{ name: string; spec: HashedSpec; same: boolean; sameWithoutImage: boolean }>([
    { name: 'another image', spec: withContainer({ image: 'centos:7' }), same: false, sameWithoutImage: true },
    { name: 'another env', spec: withContainer({ env: [{ name: 'A' }] }), same: false, sameWithoutImage: false },
    { name: 'a plain init container', spec: { ...parse(vectorA), initContainers: [plainInit] }, same: true, sameWithoutImage: true },
    {
      name: 'a native sidecar',
      spec: { ...parse(vectorA), initContainers: [{ ...plainInit, restartPolicy: 'Always' }] },
      same: false,
      sameWithoutImage: false,
    },
    {
      name: 'a native sidecar among plain init containers, and null',
      spec: { ...parse(vectorA), initContainers: [plainInit, null as never, { ...plainInit, restartPolicy: 'Always' }] },
      same: false,
      sameWithoutImage: false,
    },
    {
      name: 'null for an init container',
      spec: { ...parse(vectorA), initContainers: [null as never] },
      same: true,
      sameWithoutImage: true,
    },
    { name: 'an empty list of init containers', spec: { ...parse(vectorA), initContainers: [] }, same: true, sameWithoutImage: true },
    { name: 'null members', spec: withContainer({ env: null, lifecycle: null, tty: false }), same: true, sameWithoutImage: true },
    { name: 'an unknown member', spec: withContainer({ restartPolicyRules: [{}] }), same: false, sameWithoutImage: false },
    {
      name: 'a policy for devices, even disabled',
      spec: withContainer({ shareVolumeDevicePolicy: { type: 'disabled' } }),
      same: false,
      sameWithoutImage: false,
    },
  ])('with $name', ({ spec, same, sameWithoutImage }) => {
    const { hash, hashWithoutImage } = sidecarSetHashes(spec);
    expect([hash === hashA, hashWithoutImage === hashAWithoutImage]).toEqual([same, sameWithoutImage]);
  });

  it.each<{ spec: HashedSpec; hash: string }>([
    { spec: { containers: [] }, hash: '5662x672v59974vdzvf4bdfwc4v526wx5w7884vx5c7fc2f246v484v5988xb9z7' },
    { spec: {}, hash: 'x5vwx9w6vv4dv72c9w4c2f6v74fbwx545b45bbfz6z2dvf8w887xw86fvcb4cf48' },
    { spec: { containers: null as never }, hash: 'x5vwx9w6vv4dv72c9w4c2f6v74fbwx545b45bbfz6z2dvf8w887xw86fvcb4cf48' },
  ])('distinguishes an empty list of containers from an absent one, as OpenKruise does: $spec', ({ spec, hash }) => {
    expect(sidecarSetHashes(spec)).toEqual({ hash, hashWithoutImage: hash });
  });

  it('distinguishes quantities by their canonical form, or by the text that Kubernetes keeps', () => {
    const cpu = (text: string | number): HashedSpec => withContainer({ resources: { limits: { cpu: text } } });
    expect(sidecarSetHashes(cpu('1000m'))).toEqual(sidecarSetHashes(cpu(1)));
    expect(sidecarSetHashes(cpu('2.500'))).not.toEqual(sidecarSetHashes(cpu('2500m')));
  });

  const hashKey = 'kruise.io/sidecarset-hash';
  const imagelessKey = 'kruise.io/sidecarset-hash-without-image';
  it.each<{ annotations: Readonly<Record<string, string>> | undefined; hash: string; hashWithoutImage: string }>([
    { annotations: { [hashKey]: 'h', [imagelessKey]: 'w' }, hash: 'h', hashWithoutImage: 'w' },
    { annotations: { [hashKey]: 'h' }, hash: 'h', hashWithoutImage: hashAWithoutImage },
    { annotations: { [imagelessKey]: 'w' }, hash: hashA, hashWithoutImage: 'w' },
    { annotations: { [hashKey]: '', [imagelessKey]: '' }, hash: hashA, hashWithoutImage: hashAWithoutImage },
    { annotations: {}, hash: hashA, hashWithoutImage: hashAWithoutImage },
    { annotations: undefined, hash: hashA, hashWithoutImage: hashAWithoutImage },
  ])('is that which the object holds, computed where it holds none: $annotations', ({ annotations, ...then }) => {
    const sidecarSet = { metadata: { name: 's', annotations }, spec: parse(vectorA) } as SidecarSet;
    expect(hashesOf(sidecarSet)).toEqual(then);
  });
});

describe('the data of a revision', () => {
  const data =
    '{"spec":{"$patch":"replace","containers":[{"command":["sleep","999d"],"image":"centos:6.7","imagePullPolicy":"IfNotPresent","name":"sidecar1","podInjectPolicy":"BeforeAppContainer","resources":{},"shareVolumePolicy":{"type":"disabled"},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"volumeMounts":[{"mountPath":"/var/log","name":"log-volume"}]}],"imagePullSecrets":null,"initContainers":null,"patchPodMetadata":null,"volumes":[{"emptyDir":{},"name":"log-volume"}]}}';
  const spec = { ...parse(vectorA), volumes: [{ name: 'log-volume', emptyDir: {} }], imagePullSecrets: [] };

  it('is that of upstream, all five keys always there', () => {
    expect(versionBytes(spec)).toBe(data);
    expect(revisionName('test-sidecarset', revisionHash(versionBytes(spec), 0))).toBe('test-sidecarset-cf4bf7796');
  });

  it('reads back as what was written', () => {
    const stored = { data: JSON.parse(data) as unknown };
    expect(storedVersionBytes(stored)).toBe(data);
    expect(versionBytes(versionedSpecOf(stored)!)).toBe(data);
    expect(Object.keys(versionedSpecOf(stored)!)).toEqual(['containers', 'volumes']);
  });

  it('is compared as that of upstream, whatever an older version omitted or added', () => {
    const { containers, volumes } = spec;
    const stored = { spec: { volumes, containers, initContainers: [], updateStrategy: { partition: 1 } } };
    expect(storedVersionBytes({ data: stored })).toBe(data);
  });

  it.each([[null], ['text'], [{}], [{ spec: null }]])('%j holds no version, and is compared as it is', (broken) => {
    expect(versionedSpecOf({ data: broken })).toBeUndefined();
    expect(storedVersionBytes({ data: broken })).toBe(JSON.stringify(broken));
  });

  it('is null where it is absent', () => {
    expect(storedVersionBytes({})).toBe('null');
  });
});

describe('objects of the original manager', () => {
  it.each(recordedStages)('%s: the hashes of SidecarSets', (stage) => {
    for (const version of ['v1beta1', 'v1alpha1'])
      for (const { metadata, spec } of recordedObjects<SidecarSet>(stage, `sidecarsets.${version}`))
        expect(metadata.annotations).toMatchObject({
          'kruise.io/sidecarset-hash': sidecarSetHashes(spec).hash,
          'kruise.io/sidecarset-hash-without-image': sidecarSetHashes(spec).hashWithoutImage,
        });
  });

  it('names and data of revisions', () => {
    const revisions = recordedObjects<ControllerRevision>('3-updated', 'controllerrevisions-system');
    expect(revisions).toHaveLength(2);
    for (const revision of revisions) {
      const bytes = storedVersionBytes(revision);
      expect(JSON.parse(bytes)).toEqual(revision.data);
      expect(revisionName('recorded-sidecar', revisionHash(bytes, 0))).toBe(revision.metadata.name);
    }
  });
});
