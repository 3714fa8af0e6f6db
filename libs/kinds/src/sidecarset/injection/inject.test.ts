import { describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import { instant, type Container, type Pod } from '@kruise/objects';
import { inject } from './inject.ts';
import { aNewPod, aSidecarSet, containerOf, injected, injection, namesOf, now, sidecar } from './injection.testing.ts';
import { prepareVersion } from './prepared-version.ts';
import { currentVersion } from './version.ts';

const envOf = (pod: Pod, name: string): readonly string[] =>
  (containerOf(pod, name).env ?? []).map((variable) => `${variable.name}=${variable.value ?? ''}`);
const annotationOf = (pod: Pod, key: string): unknown => JSON.parse(pod.metadata.annotations?.[key] ?? 'null');
const main = (over: object): Partial<Pod['spec']> => ({ containers: [{ name: 'main', image: 'app:1', ...over }] });

describe('containers', () => {
  it('are placed before and behind those of the Pod, init containers behind, each marked as injected, and are recorded', () => {
    const set = aSidecarSet('set', {
      containers: [sidecar('a'), sidecar('b', { podInjectPolicy: 'AfterAppContainer' })],
      initContainers: [sidecar('i')],
    });
    const pod = injected(aNewPod({ initContainers: [{ name: 'own', image: 'x:1' }] }), [set]);
    expect(namesOf(pod.spec.containers)).toEqual(['a', 'main', 'b']);
    expect(namesOf(pod.spec.initContainers)).toEqual(['own', 'i']);
    for (const name of ['a', 'b', 'i']) expect(envOf(pod, name)).toContain('IS_INJECTED=true');
    expect(containerOf(pod, 'main').env).toBeUndefined();
    const { 'kruise.io/sidecarset-hash': hash, 'kruise.io/sidecarset-hash-without-image': imageless } = set.metadata.annotations!;
    const time = '2026-11-21T07:38:13Z';
    expect(pod.metadata.annotations).toEqual({
      'kruise.io/sidecarset-hash': `{"set":{"updateTimestamp":"${time}","hash":"${hash!}","sidecarSetName":"set","sidecarList":["a","b"],"controllerRevision":"set-rev1"}}`,
      'kruise.io/sidecarset-hash-without-image': `{"set":{"updateTimestamp":"${time}","hash":"${imageless!}","sidecarSetName":"set","sidecarList":["a","b"]}}`,
      'kruise.io/sidecarset-injected-list': 'set',
    });
  });

  it('come without the members that only SidecarSets know', () => {
    const set = aSidecarSet('set', { containers: [sidecar('a', { transferEnv: [], shareVolumeDevicePolicy: { type: 'disabled' } })] });
    expect(Object.keys(containerOf(injected(aNewPod(), [set]), 'a')).sort()).toEqual([
      'env',
      'image',
      'imagePullPolicy',
      'name',
      'terminationMessagePath',
      'terminationMessagePolicy',
    ]);
  });

  it('of several SidecarSets keep the order of the sets, and are sorted with the gate; init containers always are', () => {
    const sets = [
      aSidecarSet('one', {
        containers: [sidecar('z'), sidecar('m', { podInjectPolicy: 'AfterAppContainer' })],
        initContainers: [sidecar('iz')],
      }),
      aSidecarSet('two', {
        containers: [sidecar('a'), sidecar('b', { podInjectPolicy: 'AfterAppContainer' })],
        initContainers: [sidecar('ia')],
      }),
    ];
    expect(namesOf(injected(aNewPod(), sets).spec.containers)).toEqual(['z', 'a', 'main', 'm', 'b']);
    expect(namesOf(injected(aNewPod(), sets, true).spec.containers)).toEqual(['a', 'z', 'main', 'b', 'm']);
    expect(namesOf(injected(aNewPod(), sets).spec.initContainers)).toEqual(['ia', 'iz']);
    expect(injected(aNewPod(), sets).metadata.annotations?.[sidecarSetAnnotations.injectedList]).toBe('one,two');
  });

  it('honour the place of init containers, too', () => {
    const set = aSidecarSet('s', { initContainers: [sidecar('i', { podInjectPolicy: 'BeforeAppContainer' })] });
    expect(namesOf(injected(aNewPod({ initContainers: [{ name: 'own', image: 'x:1' }] }), [set]).spec.initContainers)).toEqual([
      'i',
      'own',
    ]);
  });

  it.each([undefined, '', 'Somewhere'])(
    'are placed behind when a version that the webhook did not check gives them the place %p',
    (place) => {
      const { spec, ...rest } = aSidecarSet('s', { containers: [sidecar('a')], initContainers: [sidecar('i')] });
      const placed = (containers: SidecarSet['spec']['containers']) =>
        (containers ?? []).map(({ podInjectPolicy: _given, ...container }) => ({
          ...container,
          ...(place === undefined ? {} : { podInjectPolicy: place }),
        }));
      const past = {
        ...rest,
        spec: { ...spec, containers: placed(spec.containers), initContainers: placed(spec.initContainers) },
      } as SidecarSet;
      const pod = injected(aNewPod({ initContainers: [{ name: 'own', image: 'x:1' }] }), [past]);
      expect([namesOf(pod.spec.containers), namesOf(pod.spec.initContainers)]).toEqual([
        ['main', 'a'],
        ['own', 'i'],
      ]);
    },
  );

  it('replace containers of the same name, which is reported', () => {
    const pod = aNewPod({
      containers: [
        { name: 'main', image: 'app:1' },
        { name: 'a', image: 'mine:1' },
        { name: 'z', image: 'z:1' },
      ],
    });
    const result = injection(pod, [aSidecarSet('s', { containers: [sidecar('a')] })]);
    if (result.kind === 'Refused') throw new Error(result.why);
    expect(result.pod.spec.containers.map(({ image }) => image)).toEqual(['app:1', 'a:1', 'z:1']);
    expect(result.replaced).toEqual(['a']);
  });

  it.each<[string, object, object]>([
    ['a container of the same name', { containers: [sidecar('x')] }, { containers: [sidecar('x')] }],
    ['a container of the name of an init container', { initContainers: [sidecar('x')] }, { containers: [sidecar('x')] }],
    [
      'a container of the name of a twin',
      { containers: [sidecar('x', { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } })] },
      { containers: [sidecar('x-2')] },
    ],
  ])('are refused, by name, where two SidecarSets inject %s', (_name, first, second) => {
    const sets = [aSidecarSet('a', first), aSidecarSet('b', second)];
    expect(injection(aNewPod(), sets)).toEqual({
      kind: 'Refused',
      why: expect.stringMatching(/^SidecarSets a and b both inject a container x(-2)?$/),
    });
    expect(injection(aNewPod(), [sets[0]!]).kind).toBe('Injected');
  });

  it('of one name from two SidecarSets are not refused where they take the place of one that the Pod came with', () => {
    const sets = ['a', 'b'].map((name) => aSidecarSet(name, { containers: [sidecar('x')] }));
    const pod = aNewPod({ containers: [{ name: 'x', image: 'mine:1' }] });
    expect(injection(pod, sets)).toMatchObject({ kind: 'Injected', replaced: ['x'] });
  });

  it('come into a Pod that has none, and with them no lists that it does not need', () => {
    const { spec } = injected(aNewPod({ containers: undefined as never }), [aSidecarSet('s', { containers: [sidecar('a')] })]);
    expect(namesOf(spec.containers)).toEqual(['a']);
    expect(Object.keys(spec)).toEqual(['containers']);
  });

  it.each<{ name: string; env: Container['env']; then: readonly string[] }>([
    { name: 'has no variables', env: undefined, then: ['a'] },
    { name: 'has others', env: [{ name: 'OTHER', value: 'true' }], then: ['a'] },
    { name: 'was injected', env: [{ name: 'OTHER' }, { name: 'IS_INJECTED', value: 'true' }], then: [] },
  ])('are reported as replaced where the one of the Pod $name: $then', ({ env, then }) => {
    const held: Container = { name: 'a', image: 'mine:1', ...(env === undefined ? {} : { env }) };
    expect(injection(aNewPod({ containers: [held] }), [aSidecarSet('s', { containers: [sidecar('a')] })])).toMatchObject({
      replaced: then,
    });
  });

  it('are not injected without SidecarSets: the very Pod comes back', () => {
    const pod = aNewPod();
    const result = injection(pod, []);
    expect(result).toEqual({ kind: 'Injected', pod, replaced: [], missingEnv: [] });
    expect(injected(pod, [])).toBe(pod);
  });

  it('are not refused for a fault of the program: that comes out', () => {
    expect(() => injection({ ...aNewPod(), spec: undefined as never }, [aSidecarSet('s', { containers: [sidecar('a')] })])).toThrow(
      TypeError,
    );
  });
});

describe('volumes and pull secrets', () => {
  const volume = (name: string, path: string) => ({ name, hostPath: { path, type: '' } });

  it('are added as far as they are mounted and the Pod has none of the name', () => {
    const set = aSidecarSet('s', {
      containers: [
        sidecar('a', {
          volumeMounts: [
            { name: 'v2', mountPath: '/2' },
            { name: 'own', mountPath: '/o' },
          ],
          volumeDevices: [{ name: 'v1', devicePath: '/dev/x' }],
        }),
      ],
      initContainers: [
        sidecar('i', {
          volumeMounts: [
            { name: 'v3', mountPath: '/3' },
            { name: 'absent', mountPath: '/4' },
          ],
        }),
      ],
      volumes: [volume('v1', '/1'), volume('v2', '/2'), volume('v3', '/3'), volume('unused', '/u'), volume('own', '/theirs')],
    });
    const pod = injected(aNewPod({ volumes: [volume('own', '/mine')] }), [set]);
    expect(pod.spec.volumes).toEqual([volume('own', '/mine'), volume('v3', '/3'), volume('v2', '/2'), volume('v1', '/1')]);
  });

  it('volumes that the Pod has twice are not hidden from the API server', () => {
    const set = aSidecarSet('s', {
      containers: [sidecar('a', { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
      volumes: [volume('v', '/v')],
    });
    const twice = [volume('own', '/1'), volume('own', '/2')];
    expect(injected(aNewPod({ volumes: twice }), [set]).spec.volumes).toEqual([...twice, volume('v', '/v')]);
  });

  it('secrets are united by name, those of the Pod first', () => {
    const set = aSidecarSet('s', { containers: [sidecar('a')], imagePullSecrets: [{ name: 'b' }, { name: 'c' }] });
    const pod = injected(aNewPod({ imagePullSecrets: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }), [set]);
    expect(pod.spec.imagePullSecrets).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  });

  it('a secret without a name is the one whose name is empty', () => {
    const set = aSidecarSet('s', { containers: [sidecar('a')], imagePullSecrets: [{ name: '' }, {}] });
    expect(injected(aNewPod({ imagePullSecrets: [{}] }), [set]).spec.imagePullSecrets).toEqual([{}]);
  });
});

describe('shared volumes', () => {
  const mount = (name: string, mountPath: string, over: object = {}) => ({ name, mountPath, ...over });
  const sharing = (over: object = {}) =>
    aSidecarSet('s', { containers: [sidecar('a', { shareVolumePolicy: { type: 'enabled' }, ...over })] });

  it('come with the variables that their sub paths name', () => {
    const env = [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'OTHER', value: 'x' },
    ];
    const pod = injected(aNewPod(main({ env, volumeMounts: [mount('v', '/v', { subPathExpr: 'foo/$(POD_NAME)/$(ABSENT)' })] })), [
      sharing(),
    ]);
    expect(containerOf(pod, 'a').volumeMounts).toEqual([mount('v', '/v', { subPathExpr: 'foo/$(POD_NAME)/$(ABSENT)' })]);
    expect(containerOf(pod, 'a').env).toEqual([{ name: 'IS_INJECTED', value: 'true' }, env[0]]);
  });

  it('do not come over mounts or devices of its own, nor twice, nor from injected or init containers', () => {
    const spec: Partial<Pod['spec']> = {
      containers: [
        { name: 'main', image: 'app:1', volumeMounts: [mount('v', '/own'), mount('w', '/w'), mount('x', '/dev/x')] },
        { name: 'other', image: 'app:1', volumeMounts: [mount('z', '/w'), mount('y', '/y')] },
        { name: 'earlier', image: 'app:1', env: [{ name: 'IS_INJECTED', value: 'true' }], volumeMounts: [mount('q', '/q')] },
      ],
      initContainers: [{ name: 'init', image: 'app:1', volumeMounts: [mount('r', '/r')] }],
    };
    const set = sharing({ volumeMounts: [mount('mine', '/own')], volumeDevices: [{ name: 'd', devicePath: '/dev/x' }] });
    expect(containerOf(injected(aNewPod(spec), [set]), 'a').volumeMounts).toEqual([
      mount('mine', '/own'),
      mount('w', '/w'),
      mount('y', '/y'),
    ]);
  });

  it('come without the devices', () => {
    const spec = main({ volumeMounts: [mount('v', '/v')], volumeDevices: [{ name: 'd', devicePath: '/dev/d' }] });
    expect(Object.keys(containerOf(injected(aNewPod(spec), [sharing()]), 'a'))).not.toContain('volumeDevices');
  });

  it('are no lists where there is nothing to share', () => {
    const names = Object.keys(containerOf(injected(aNewPod(), [sharing({ shareVolumeDevicePolicy: { type: 'enabled' } })]), 'a'));
    expect(names.filter((name) => name.startsWith('volume'))).toEqual([]);
  });

  it('devices are shared each once, and not over those of its own', () => {
    const device = (name: string, devicePath = `/dev/${name}`) => ({ name, devicePath });
    const spec = main({ volumeDevices: [device('d'), device('theirs', '/dev/own'), device('e'), device('again', '/dev/d')] });
    const set = sharing({ shareVolumeDevicePolicy: { type: 'enabled' }, volumeDevices: [device('mine', '/dev/own')] });
    expect(containerOf(injected(aNewPod(spec), [set]), 'a').volumeDevices).toEqual([device('mine', '/dev/own'), device('d'), device('e')]);
  });

  it('devices are shared by a policy of their own', () => {
    const spec = main({
      volumeMounts: [mount('v', '/v')],
      volumeDevices: [
        { name: 'd', devicePath: '/dev/d' },
        { name: 'e', devicePath: '/own' },
      ],
    });
    const set = aSidecarSet('s', {
      containers: [sidecar('a', { shareVolumeDevicePolicy: { type: 'enabled' }, volumeMounts: [mount('mine', '/own')] })],
      volumes: [{ name: 'mine', emptyDir: {} }],
    });
    const container = containerOf(injected(aNewPod(spec), [set]), 'a');
    expect(container.volumeDevices).toEqual([{ name: 'd', devicePath: '/dev/d' }]);
    expect(container.volumeMounts).toEqual([mount('mine', '/own')]);
  });
});

describe('transferred variables', () => {
  const env = [
    { name: 'A', value: 'a' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'C', value: 'c' },
  ];
  const taking = (...transferEnv: object[]) =>
    aSidecarSet('s', { containers: [sidecar('x', { env: [{ name: 'C', value: 'own' }], transferEnv })] });
  const from = (pod: Pod, set: ReturnType<typeof taking>): Container['env'] => containerOf(injected(pod, [set]), 'x').env?.slice(2);

  it('are those of all names, sorted, whole, and never over its own', () => {
    const set = taking({ sourceContainerName: 'main', envName: 'C', envNames: ['B', 'A', 'ABSENT'] });
    expect(containerOf(injected(aNewPod(main({ env })), [set]), 'x').env).toEqual([
      { name: 'C', value: 'own' },
      { name: 'IS_INJECTED', value: 'true' },
      env[0],
      env[1],
    ]);
  });

  it.each<{ name: string; fieldPath: string; metadata: object; then: readonly unknown[] }>([
    {
      name: 'named by a label',
      fieldPath: "metadata.labels['source']",
      metadata: { labels: { app: 'web', source: 'main' } },
      then: [env[0]],
    },
    {
      name: 'named by an annotation',
      fieldPath: "metadata.annotations['source']",
      metadata: { annotations: { source: 'main' } },
      then: [env[0]],
    },
    { name: 'named by a label that is not there', fieldPath: "metadata.labels['source']", metadata: {}, then: [] },
    { name: 'named by what is no label', fieldPath: 'metadata.name', metadata: {}, then: [] },
  ])('come from a container $name', ({ fieldPath, metadata, then }) => {
    const set = taking({ sourceContainerNameFrom: { fieldRef: { fieldPath } }, envName: 'A' });
    expect(from(aNewPod(main({ env }), metadata), set)).toEqual(then);
  });

  it('of one name come once, from the first container that is named', () => {
    const other: Container = { name: 'other', image: 'x:1', env: [{ name: 'A', value: 'other' }] };
    const set = taking({ sourceContainerName: 'main', envName: 'A' }, { sourceContainerName: 'other', envName: 'A' });
    expect(from(aNewPod({ containers: [{ name: 'main', image: 'app:1', env }, other] }), set)).toEqual([env[0]]);
  });

  it('that do not exist are reported', () => {
    const result = injection(aNewPod(), [taking({ sourceContainerName: 'main', envNames: ['A', 'B'] })]);
    expect(result).toMatchObject({ kind: 'Injected', missingEnv: ['main/A', 'main/B'] });
  });

  it('may come from the container that a patched annotation names', () => {
    const set = aSidecarSet('s', {
      containers: [
        sidecar('x', {
          transferEnv: [{ sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.annotations['k']" } }, envName: 'A' }],
        }),
      ],
      patchPodMetadata: [{ annotations: { k: 'main' } }],
    });
    expect(envOf(injected(aNewPod(main({ env })), [set]), 'x')).toContain('A=a');
  });
});

describe('patched annotations', () => {
  const patching = (patchPolicy: string, value: string, name = 's') =>
    aSidecarSet(name, { containers: [sidecar(name)], patchPodMetadata: [{ annotations: { k: value }, patchPolicy }] });

  it.each<{ name: string; held: string | undefined; policy: string; value: string; then: string | undefined }>([
    { name: 'Retain keeps', held: 'mine', policy: 'Retain', value: 'theirs', then: 'mine' },
    { name: 'Retain adds', held: undefined, policy: 'Retain', value: 'theirs', then: 'theirs' },
    { name: 'Overwrite replaces', held: 'mine', policy: 'Overwrite', value: 'theirs', then: 'theirs' },
    { name: 'MergePatchJson merges', held: '{"b":2}', policy: 'MergePatchJson', value: '{"a":1}', then: '{"a":1,"b":2}' },
    { name: 'MergePatchJson sets', held: '', policy: 'MergePatchJson', value: 'no json', then: 'no json' },
    { name: 'an unknown policy does nothing', held: undefined, policy: 'Other', value: 'x', then: undefined },
  ])('$name', ({ held, policy, value, then }) => {
    const pod = aNewPod({}, held === undefined ? {} : { annotations: { k: held } });
    expect(injected(pod, [patching(policy, value)]).metadata.annotations?.['k']).toBe(then);
  });

  it('a Pod whose value cannot be merged is refused', () => {
    expect(injection(aNewPod({}, { annotations: { k: 'text' } }), [patching('MergePatchJson', '{"a":1}')])).toEqual({
      kind: 'Refused',
      why: 'SidecarSet s: annotation k: the value of the Pod is not JSON',
    });
  });

  it('several SidecarSets merge in their order', () => {
    const sets = [patching('MergePatchJson', '{"x":1,"y":1}', 'a'), patching('MergePatchJson', '{"y":2,"z":1.0}', 'b')];
    expect(injected(aNewPod(), sets).metadata.annotations?.['k']).toBe('{"x":1,"y":2,"z":1.0}');
  });
});

describe('hot upgrade sidecars', () => {
  const hot = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' } };

  it('are two containers, one behind the other, with versions', () => {
    const pod = injected(aNewPod(), [
      aSidecarSet('s', { containers: [sidecar('mesh', { ...hot, env: [{ name: 'E', value: 'e' }] }), sidecar('z')] }),
    ]);
    expect(pod.spec.containers.map(({ name, image }) => `${name}=${image ?? ''}`)).toEqual([
      'mesh-1=mesh:1',
      'mesh-2=empty:1',
      'z=z:1',
      'main=app:1',
    ]);
    expect(containerOf(pod, 'mesh-2').env).toEqual([
      { name: 'E', value: 'e' },
      { name: 'IS_INJECTED', value: 'true' },
      { name: 'SIDECARSET_VERSION', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['version.sidecarset.kruise.io/mesh-2']" } } },
      {
        name: 'SIDECARSET_VERSION_ALT',
        valueFrom: { fieldRef: { fieldPath: "metadata.annotations['versionalt.sidecarset.kruise.io/mesh-2']" } },
      },
    ]);
    expect(pod.metadata.annotations).toMatchObject({
      'kruise.io/sidecarset-working-hotupgrade-container': '{"mesh":"mesh-1"}',
      'version.sidecarset.kruise.io/mesh-1': '1',
      'versionalt.sidecarset.kruise.io/mesh-1': '0',
      'version.sidecarset.kruise.io/mesh-2': '0',
      'versionalt.sidecarset.kruise.io/mesh-2': '1',
    });
    expect(annotationOf(pod, 'kruise.io/sidecarset-hash')).toMatchObject({ s: { sidecarList: ['mesh', 'z'] } });
  });

  it('know versions by no other way than these', () => {
    const own = ['SIDECARSET_VERSION', 'E', 'SIDECARSET_VERSION_ALT'].map((name) => ({ name, value: 'own' }));
    const pod = injected(aNewPod(), [aSidecarSet('s', { containers: [sidecar('mesh', { ...hot, env: own })] })]);
    for (const name of ['mesh-1', 'mesh-2'])
      expect(envOf(pod, name)).toEqual(['E=own', 'IS_INJECTED=true', 'SIDECARSET_VERSION=', 'SIDECARSET_VERSION_ALT=']);
  });

  it('that have no empty image idle without any, for the API server to judge', () => {
    const set = aSidecarSet('s', { containers: [sidecar('mesh', { upgradeStrategy: { upgradeType: 'HotUpgrade' } })] });
    expect(containerOf(injected(aNewPod(), [set]), 'mesh-2').image).toBe('');
  });

  it('among init containers have twins only as native sidecars', () => {
    const set = aSidecarSet('s', {
      initContainers: [sidecar('n', { ...hot, restartPolicy: 'Always' }), sidecar('i', hot)],
      updateStrategy: { type: 'NotUpdate' },
    });
    expect(namesOf(injected(aNewPod(), [set]).spec.initContainers)).toEqual(['i', 'n-1', 'n-2']);
  });
});

describe('computed resources', () => {
  const target = (name: string, limits: object | undefined, requests: object = {}) => ({
    name,
    image: 'x:1',
    resources: { ...(limits === undefined ? {} : { limits }), requests },
  });
  const policy = (limits: object | undefined, requests: object | undefined, over: object = {}) => ({
    resourcesPolicy: {
      targetContainersMode: 'sum',
      targetContainersNameRegex: '^app',
      resourcesExpr: { ...(limits && { limits }), ...(requests && { requests }) },
      ...over,
    },
  });
  const computed = (containers: readonly object[], over: object, extra: object = {}) =>
    injection(aNewPod({ containers: containers as Pod['spec']['containers'], ...extra }), [
      aSidecarSet('s', { containers: [sidecar('side', over), sidecar('app-sidecar')] }),
    ]);
  const resourcesOf = (...args: Parameters<typeof computed>) => {
    const result = computed(...args);
    return result.kind === 'Refused' ? result.why : containerOf(result.pod, 'side').resources;
  };

  it('have no limit that not all targets have, but requests', () => {
    const targets = [target('app-1', { cpu: '200m' }, { cpu: '100m' }), target('app-2', {}, { cpu: '50m' })];
    expect(resourcesOf(targets, policy({ cpu: 'max(cpu*50%, 50m)', memory: '200Mi' }, { cpu: 'cpu*2', memory: 'memory' }))).toEqual({
      requests: { cpu: '300m', memory: '0' },
    });
  });

  it.each<{ name: string; mode: string; then: object }>([
    { name: 'the sum', mode: 'sum', then: { limits: { cpu: '150m', memory: '100Mi' } } },
    { name: 'the largest', mode: 'max', then: { limits: { cpu: '100m', memory: '100Mi' } } },
  ])('are made from $name', ({ mode, then }) => {
    const targets = [target('app-1', { cpu: '200m', memory: '1Gi' }), target('app-2', { cpu: '100m', memory: '1Gi' }), target('other', {})];
    expect(resourcesOf(targets, policy({ cpu: 'cpu/2', memory: '100Mi' }, undefined, { targetContainersMode: mode }))).toEqual(then);
  });

  it('count native sidecars of the Pod, but not other init containers nor what is injected', () => {
    const initContainers = [{ ...target('app-native', { cpu: '1' }), restartPolicy: 'Always' }, target('app-init', { cpu: '8' })];
    expect(
      resourcesOf([target('app-1', { cpu: '1' }), target('app-sidecar', { cpu: '4' })], policy({ cpu: 'cpu' }, undefined), {
        initContainers,
      }),
    ).toEqual({ limits: { cpu: '2' } });
  });

  it('count nothing that any of the SidecarSets injects', () => {
    const sets = [
      aSidecarSet('s', { containers: [sidecar('side', policy({ cpu: 'cpu' }, undefined))] }),
      aSidecarSet('t', { containers: [sidecar('app-other')] }),
    ];
    const containers = [target('app-1', { cpu: '1' }), target('app-other', { cpu: '4' })];
    expect(containerOf(injected(aNewPod({ containers: containers as Pod['spec']['containers'] }), sets), 'side').resources).toEqual({
      limits: { cpu: '1' },
    });
  });

  it.each<{ name: string; over: object; then: string }>([
    {
      name: 'nothing matches',
      over: policy({ cpu: 'cpu' }, undefined, { targetContainersNameRegex: '^none$' }),
      then: 'SidecarSet s: resources of container side: no containers match the regex pattern ^none$',
    },
    { name: 'the result is negative', over: policy({ cpu: 'cpu - 2' }, undefined), then: 'calculation result is negative: -1' },
    { name: 'the expression fails', over: policy({ cpu: 'cpu*cpu' }, undefined), then: 'multiplication of two quantities' },
    { name: 'the expression is none', over: policy({ cpu: 'cpu+' }, undefined), then: 'parse error' },
    {
      name: 'the pattern is none',
      over: policy({ cpu: 'cpu' }, undefined, { targetContainersNameRegex: '(' }),
      then: 'invalid regex pattern',
    },
  ])('refuse the Pod when $name', ({ over, then }) => {
    expect(resourcesOf([target('app-1', { cpu: '1' })], over)).toContain(then);
  });

  it('refuse a Pod without containers', () => {
    const all = policy({ cpu: 'cpu' }, undefined, { targetContainersNameRegex: '.*' });
    expect(resourcesOf(undefined as never, all)).toContain('no containers match the regex pattern .*');
  });
});

describe('the record of the injection', () => {
  const set = aSidecarSet('s', { containers: [sidecar('a')] });

  it('is merged into what the Pod has', () => {
    const other = '{"other":{"updateTimestamp":"2020-01-01T00:00:00Z","hash":"h","sidecarSetName":"other","sidecarList":[]}}';
    const pod = injected(
      aNewPod({}, { annotations: { [annotations.sidecarSetHash]: other, [sidecarSetAnnotations.injectedList]: 'other' } }),
      [set],
    );
    expect(Object.keys(annotationOf(pod, annotations.sidecarSetHash) as object)).toEqual(['other', 's']);
    expect(pod.metadata.annotations?.[sidecarSetAnnotations.injectedList]).toBe('other,s');
  });

  it.each([annotations.sidecarSetHash, sidecarSetAnnotations.hashWithoutImage])('that cannot be read refuses the Pod: %s', (key) => {
    expect(injection(aNewPod({}, { annotations: { [key]: 'broken' } }), [set])).toEqual({
      kind: 'Refused',
      why: `annotation ${key} of the Pod is not a JSON object`,
    });
  });

  it('is that of the present version where the Pod has one of another', () => {
    const next = aSidecarSet('s', { containers: [sidecar('a', { image: 'a:2' })] });
    const again = injected(injected(aNewPod(), [set]), [next]);
    expect(annotationOf(again, annotations.sidecarSetHash)).toMatchObject({
      s: { hash: next.metadata.annotations?.[annotations.sidecarSetHash] },
    });
  });

  it('leaves the revision out while there is none, and stays when the Pod comes again', () => {
    const fresh = { ...set, status: { matchedPods: 0, updatedPods: 0, readyPods: 0 } };
    const once = injected(aNewPod(), [fresh]);
    expect(once.metadata.annotations?.[annotations.sidecarSetHash]).not.toContain('controllerRevision');
    const versions = [prepareVersion(currentVersion(fresh))];
    expect(inject(once, versions, { now: instant(now + 60_000), sortByName: false })).toEqual({
      kind: 'Injected',
      pod: once,
      replaced: [],
      missingEnv: [],
    });
  });
});

describe('SidecarSets that went past admission', () => {
  it.each<object>([
    { containers: [null, 'text', sidecar('a')] },
    { containers: null, initContainers: null, volumes: null, patchPodMetadata: null, imagePullSecrets: null },
    {
      containers: [
        sidecar('a', {
          env: null,
          volumeMounts: null,
          transferEnv: [null],
          upgradeStrategy: null,
          shareVolumePolicy: null,
          resourcesPolicy: null,
        }),
      ],
    },
    { containers: [sidecar('a', { resourcesPolicy: {} })] },
    { containers: [sidecar('a')], patchPodMetadata: [null, { annotations: null }] },
  ])('harm nothing: %j', (spec) => {
    expect(['Injected', 'Refused']).toContain(injection(aNewPod(), [aSidecarSet('s', spec)]).kind);
  });
});
