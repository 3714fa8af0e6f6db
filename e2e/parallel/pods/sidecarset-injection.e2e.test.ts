/** What new Pods get from SidecarSets, and which SidecarSets are refused. Pods are made as dry runs where only their spec matters. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  annotations,
  configuration,
  labels,
  sidecarSetAnnotations,
  sidecarSetLabels,
  sidecarSets,
  sidecarSetsV1Alpha1,
  sidecarSetWhiteListKey,
  type SidecarSet,
} from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { configMaps, namespaces, pods, type Container, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { patiently } from '../../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import { everyReplicaWould } from '../../support/replicas.ts';
import { imagesOf, sidecar, sidecarImages as images, SidecarFixture } from '../../support/sidecar-fixture.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const settings = { namespace: 'kruise-system', name: configuration.name };
const whiteList = {
  data: { [sidecarSetWhiteListKey]: JSON.stringify({ rules: [{ allowedAnnotationKeyExprs: ['^e2e-'] }] }) },
};

describe('SidecarSets', () => {
  let base: CloneSetFixture;
  let fixture: SidecarFixture;

  beforeAll(async () => {
    base = await openFixture('sidecar-injection');
    fixture = new SidecarFixture(base);
  });
  afterAll(async () => {
    await fixture?.close();
    await closeFixture(base);
  });

  const podOf = (app: string, over: { readonly spec?: Partial<Pod['spec']>; readonly metadata?: object } = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: base.namespace, name: `${app}-dry-run`, labels: { app }, ...over.metadata },
    spec: { containers: [sidecar('main', images.first)], ...over.spec },
  });
  /** A Pod as it would be, were it created. */
  const dryRun = (app: string, over?: Parameters<typeof podOf>[1]): Promise<Pod> =>
    fixture.client.create(pods, podOf(app, over), { dryRun: true });
  const containerOf = (pod: Pod, name: string): Container | undefined => pod.spec.containers.find((container) => container.name === name);
  const isInjected = (pod: Pod): boolean => pod.metadata.annotations?.[sidecarSetAnnotations.injectedList] !== undefined;

  it('put containers before and behind those of the Pod, and record what they did', async () => {
    const set = await fixture.create(
      'place',
      [sidecar('a', images.first), sidecar('b', images.first, { podInjectPolicy: 'AfterAppContainer' })],
      {
        initContainers: [sidecar('i', images.first)],
      },
    );
    const pod = await dryRun('place', { spec: { initContainers: [sidecar('own', images.first)] } });
    expect(pod.spec.containers.map(({ name }) => name)).toEqual(['a', 'main', 'b']);
    expect(pod.spec.initContainers?.map(({ name }) => name)).toEqual(['own', 'i']);
    for (const name of ['a', 'b']) expect(containerOf(pod, name)?.env).toContainEqual({ name: 'IS_INJECTED', value: 'true' });
    const name = fixture.nameOf('place');
    const recordIn = (key: string): unknown => JSON.parse(pod.metadata.annotations?.[key] ?? 'null');
    const record = { sidecarSetName: name, sidecarList: ['a', 'b'] };
    expect(recordIn(annotations.sidecarSetHash)).toMatchObject({
      [name]: { ...record, hash: set.metadata.annotations?.[annotations.sidecarSetHash] },
    });
    expect(recordIn(sidecarSetAnnotations.hashWithoutImage)).toMatchObject({
      [name]: { ...record, hash: set.metadata.annotations?.[sidecarSetAnnotations.hashWithoutImage] },
    });
    expect(pod.metadata.annotations?.[sidecarSetAnnotations.injectedList]).toBe(name);
  });

  it('convert a namespace to a selector and the label of the custom version to a member, and back', async () => {
    const name = fixture.nameOf('alpha');
    const key = { namespace: '', name };
    const created = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'SidecarSet',
      metadata: { name, labels: { [sidecarSetLabels.customVersion]: 'v1' } },
    };
    const spec = { namespace: base.namespace, selector: { matchLabels: { app: 'alpha' } }, containers: [sidecar('side', images.first)] };
    await patiently(() => fixture.client.create(sidecarSetsV1Alpha1, { ...created, spec }));
    const hub = await fixture.client.get(sidecarSets, key);
    expect(hub.spec.namespaceSelector).toEqual({ matchLabels: { [labels.namespaceName]: base.namespace } });
    expect([hub.spec.customVersion, hub.metadata.labels?.[sidecarSetLabels.customVersion]]).toEqual(['v1', undefined]);
    const back = await fixture.client.get(sidecarSetsV1Alpha1, key);
    expect([back.spec.namespace, back.metadata.labels?.[sidecarSetLabels.customVersion]]).toEqual([undefined, 'v1']);
    expect(back.metadata.annotations).toEqual(hub.metadata.annotations);
    await fixture.client.delete(sidecarSets, key);
  });

  it('select namespaces by label, from the moment that the label is there', async () => {
    const selector = { matchLabels: { 'e2e-inject': base.namespace } };
    const name = fixture.nameOf('ns');
    const sidecarSet: SidecarSet = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name },
      spec: { selector: { matchLabels: { app: 'ns' } }, namespaceSelector: selector, containers: [sidecar('side', images.first)] },
    };
    await patiently(() => fixture.client.create(sidecarSets, sidecarSet));
    expect(isInjected(await dryRun('ns'))).toBe(false);
    await fixture.client.patch(
      namespaces,
      { namespace: '', name: base.namespace },
      { metadata: { labels: selector.matchLabels } },
      { type: 'merge' },
    );
    await fixture.eventually(async () => isInjected(await dryRun('ns')), 'Pods are injected');
    await fixture.client.delete(sidecarSets, { namespace: '', name });
  });

  it('patch annotations that the white list of the cluster allows', async () => {
    const patching = (key: string, patchPolicy: string, value: string): Partial<SidecarSet['spec']> => ({
      patchPodMetadata: [{ annotations: { [key]: value }, patchPolicy }],
    });
    await fixture.client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: settings }).catch((error: unknown) => {
      if (!isFailure(error, 'AlreadyExists')) throw error;
    });
    await fixture.client.patch(configMaps, settings, whiteList, { type: 'merge' });
    const merging = patching('e2e-merged', 'MergePatchJson', '{"a":1}');
    expect(await fixture.refusal(fixture.create('other', [sidecar('side', images.first)], patching('other', 'Retain', 'x')))).toContain(
      'annotation(other) is not allowed',
    );
    await fixture.create('patch', [sidecar('side', images.first)], merging);
    const merged = await dryRun('patch', { metadata: { annotations: { 'e2e-merged': '{"b":2}' } } });
    expect(merged.metadata.annotations?.['e2e-merged']).toBe('{"a":1,"b":2}');
    const overwriting = fixture.create('patch2', [sidecar('two', images.first)], patching('e2e-merged', 'Overwrite', 'x'), 'patch');
    expect(await fixture.refusal(overwriting)).toContain(`annotation e2e-merged is in conflict with sidecarset ${fixture.nameOf('patch')}`);
  });

  it('give new Pods the version that is requested', async () => {
    const version = (number: number): Partial<SidecarSet['spec']> => ({
      customVersion: String(number),
      containers: [sidecar('side', images.first, { env: [{ name: 'V', value: String(number) }] })],
    });
    const notUpdate = { updateStrategy: { type: 'NotUpdate' } };
    await fixture.create('version', [], { ...version(0), ...notUpdate });
    for (const number of [0, 1, 2]) {
      if (number > 0) await fixture.change('version', version(number));
      await fixture.eventually(async () => (await fixture.revisions('version')).length === number + 1, `revision ${number}`);
    }
    const versionIn = (pod: Pod): string | undefined => containerOf(pod, 'side')?.env?.find(({ name }) => name === 'V')?.value;
    /** From every replica, as any of them may be asked next. */
    const getsVersion =
      (wanted: string, metadata: object = {}) =>
      (): Promise<boolean> =>
        everyReplicaWould(fixture.client, podOf('version', { metadata }), (patch) => patch.includes(`"name":"V","value":"${wanted}"`));
    await fixture.eventually(getsVersion('2'), 'the present version');

    expect(await fixture.refusal(fixture.change('version', { injectionStrategy: { revision: { customVersion: '9' } } }))).toContain(
      'Cannot find specific ControllerRevision',
    );
    await fixture.change('version', { injectionStrategy: { revision: { customVersion: '1' } } });
    await fixture.eventually(getsVersion('1'), 'a former version');
    const [, former] = await fixture.revisions('version');
    const record = (await dryRun('version')).metadata.annotations?.[annotations.sidecarSetHash];
    expect(record).toContain(`"controllerRevision":"${former?.metadata.name ?? ''}"`);

    await fixture.change('version', {
      injectionStrategy: { revision: { customVersion: '0', policy: 'Partial' } },
      updateStrategy: { selector: { matchLabels: { version: 'canary' } } },
    });
    const canary = { labels: { app: 'version', version: 'canary' } };
    await fixture.eventually(getsVersion('0'), 'stable Pods get a former version');
    expect(versionIn(await dryRun('version', { metadata: canary }))).toBe('2');
    await fixture.change('version', { updateStrategy: { selector: null, partition: '100%' } });
    await fixture.eventually(getsVersion('0', canary), 'all get a former version');
  });

  it('have canaries that replace them', async () => {
    const notUpdate = { updateStrategy: { type: 'NotUpdate' } };
    await fixture.create('base', [sidecar('side', images.first)], notUpdate);
    const name = fixture.nameOf('canary');
    const canary: SidecarSet = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name, annotations: { [sidecarSetAnnotations.canary]: 'true', [sidecarSetAnnotations.base]: fixture.nameOf('base') } },
      spec: { ...(await fixture.get('base')).spec, containers: [sidecar('side', images.second)] },
    };
    const typed = { ...canary, spec: { ...canary.spec, updateStrategy: { type: 'RollingUpdate' } } };
    expect(await fixture.refusal(fixture.client.create(sidecarSets, typed))).toContain(
      'RollingUpdate is not supported for canary sidecarSet',
    );
    await patiently(() => fixture.client.create(sidecarSets, canary));
    const getsCanary = (): Promise<boolean> => everyReplicaWould(fixture.client, podOf('base'), (patch) => patch.includes(images.second));
    await fixture.eventually(getsCanary, 'Pods get the canary from every replica');
    await fixture.pods('base', ['a', 'b']);
    const expected = { side: images.second, main: images.first };
    expect((await fixture.podsOf('base')).map(imagesOf)).toEqual([expected, expected]);
    await fixture.untilCounts('canary', [2, 2, 0, 0]);
    await fixture.untilCounts('base', [0, 0, 0, 0]);
    expect((await fixture.change('base', { revisionHistoryLimit: 5 })).spec.revisionHistoryLimit).toBe(5);
    await fixture.client.delete(sidecarSets, { namespace: '', name });
  });

  it('compute resources from those of the Pod', async () => {
    const expressions = { limits: { cpu: 'max(cpu*50%, 50m)' }, requests: { cpu: 'cpu/2', memory: '16Mi' } };
    const policy = {
      resourcesPolicy: { targetContainersMode: 'sum' as const, targetContainersNameRegex: '^main', resourcesExpr: expressions },
    };
    await fixture.create('sized', [sidecar('side', images.first, policy)]);
    const main = (name: string, resources: object): Container => ({ ...(sidecar(name, images.first) as Container), resources });
    const one = await dryRun('sized', { spec: { containers: [main('main', { limits: { cpu: '200m' } })] } });
    expect(containerOf(one, 'side')?.resources).toEqual({ limits: { cpu: '100m' }, requests: { cpu: '100m', memory: '16Mi' } });
    const two = await dryRun('sized', {
      spec: { containers: [main('main', { limits: { cpu: '200m' } }), main('main2', { requests: { cpu: '100m' } })] },
    });
    expect(containerOf(two, 'side')?.resources).toEqual({ requests: { cpu: '150m', memory: '16Mi' } });
    expect(await fixture.refusal(dryRun('sized', { spec: { containers: [main('other', {})] } }))).toContain(
      'no containers match the regex pattern ^main',
    );
    const broken = { resourcesPolicy: { ...policy.resourcesPolicy, resourcesExpr: { limits: { cpu: 'cpu*' } } } };
    expect(await fixture.refusal(fixture.change('sized', { containers: [sidecar('side', images.first, broken)] }))).toContain(
      'invalid expression: parse error',
    );
  });

  it('share mounts and take variables over', async () => {
    const taking = {
      shareVolumePolicy: { type: 'enabled' },
      env: [{ name: 'OWN', value: 'mine' }],
      transferEnv: [{ sourceContainerName: 'main', envNames: ['OWN', 'TAKEN'] }],
    };
    await fixture.create('share', [sidecar('side', images.first, taking)]);
    const podName = { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } };
    const env = [podName, { name: 'OWN', value: 'theirs' }, { name: 'TAKEN', value: 'yes' }];
    const mount = { name: 'v', mountPath: '/v', subPathExpr: 'foo/$(POD_NAME)' };
    const main = { ...(sidecar('main', images.first) as Container), env, volumeMounts: [mount] };
    const side = containerOf(await dryRun('share', { spec: { containers: [main], volumes: [{ name: 'v', emptyDir: {} }] } }), 'side');
    expect(side?.volumeMounts).toContainEqual(mount);
    expect(side?.env).toEqual([
      { name: 'OWN', value: 'mine' },
      { name: 'IS_INJECTED', value: 'true' },
      { name: 'TAKEN', value: 'yes' },
      podName,
    ]);
  });

  it('that could meet in a Pod and do not agree are refused', async () => {
    const volume = (path: string): Partial<SidecarSet['spec']> => ({ volumes: [{ name: 'v', hostPath: { path, type: '' } }] });
    await fixture.create('meet', [sidecar('side', images.first)], volume('/tmp/a'));
    expect(await fixture.refusal(fixture.create('meet2', [sidecar('side', images.first)], {}, 'meet'))).toContain(
      `container side already exist in ${fixture.nameOf('meet')}`,
    );
    expect(await fixture.refusal(fixture.create('meet3', [sidecar('other', images.first)], volume('/tmp/b'), 'meet'))).toContain(
      `volume v is in conflict with sidecarset ${fixture.nameOf('meet')}`,
    );
    await fixture.create('apart', [sidecar('side', images.first)]);
  });

  it('may lose containers, but neither gain them nor change how they are upgraded', async () => {
    await fixture.create('kept', [sidecar('a', images.first), sidecar('b', images.first)]);
    expect(
      await fixture.refusal(fixture.change('kept', { containers: [sidecar('a', images.first), sidecar('c', images.first)] })),
    ).toContain('container c is not found');
    const hot = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: images.empty } };
    expect(await fixture.refusal(fixture.change('kept', { containers: [sidecar('a', images.first, hot)] }))).toContain(
      'container a upgradeType is immutable',
    );
    expect((await fixture.change('kept', { containers: [sidecar('a', images.first)] })).spec.containers).toHaveLength(1);
  });

  it('name every fault at once, warn of what cannot be meant, and print their columns', async () => {
    const faulty = fixture.create('bad', [sidecar('a', images.first, { podInjectPolicy: 'Before' })], {
      selector: {},
      updateStrategy: { partition: -1 },
    });
    const said = await fixture.refusal(faulty);
    for (const path of ['spec.selector', 'spec.containers[0].podInjectPolicy', 'spec.updateStrategy.partition'])
      expect(said).toContain(path);
    const table = await kubectl('get', 'sidecarset', fixture.nameOf('kept'));
    expect(table.split('\n')[0]?.split(/\s+/)).toEqual(['NAME', 'MATCHED', 'UPDATED', 'READY', 'AGE']);
  });
});
