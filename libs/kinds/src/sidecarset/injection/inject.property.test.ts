import { describe, expect, it } from '@jest/globals';
import { applyJsonPatch, createJsonPatch, instant, type Pod } from '@kruise/objects';
import fc from 'fast-check';
import { inject } from './inject.ts';
import { aNewPod, aSidecarSet, now } from './injection.testing.ts';
import { prepareVersion } from './prepared-version.ts';
import { currentVersion } from './version.ts';

const hot = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
const mount = fc.record({ name: fc.constantFrom('v1', 'v2'), mountPath: fc.constantFrom('/1', '/2', '/3') });
const env = fc.record({ name: fc.constantFrom('A', 'B'), value: fc.constantFrom('x', 'y') });
const uniqueMounts = fc.uniqueArray(mount, { selector: ({ mountPath }) => mountPath, maxLength: 2 });

const sidecar = fc.record({
  image: fc.constantFrom('i:1', 'i:2'),
  podInjectPolicy: fc.constantFrom('BeforeAppContainer', 'AfterAppContainer'),
  upgradeStrategy: fc.constantFrom({}, hot),
  shareVolumePolicy: fc.constantFrom({}, { type: 'enabled' }),
  volumeMounts: uniqueMounts,
  env: fc.uniqueArray(env, { selector: ({ name }) => name, maxLength: 2 }),
  transferEnv: fc.constantFrom([], [{ sourceContainerName: 'main', envNames: ['A', 'B'] }]),
  resourcesPolicy: fc.constantFrom(undefined, { targetContainersMode: 'sum', resourcesExpr: { requests: { cpu: 'cpu/2' } } }),
});

const sets = fc
  .array(
    fc.record({
      containers: fc.array(sidecar, { maxLength: 3 }),
      inits: fc.array(sidecar, { maxLength: 2 }),
      policy: fc.constantFrom('Retain', 'Overwrite', 'MergePatchJson'),
    }),
    { maxLength: 4 },
  )
  .map((list) =>
    list.map(({ containers, inits, policy }, i) =>
      aSidecarSet(`set-${i}`, {
        containers: containers.map((container, j) => ({ ...container, name: `c${i}-${j}` })),
        initContainers: inits.map((container, j) => ({ ...container, name: `i${i}-${j}` })),
        volumes: [
          { name: 'v1', emptyDir: {} },
          { name: 'v2', emptyDir: {} },
        ],
        patchPodMetadata: [{ annotations: { k: `{"k${i}":1}` }, patchPolicy: policy }],
      }),
    ),
  );

const pod = fc
  .record({ volumeMounts: uniqueMounts, env: fc.uniqueArray(env, { selector: ({ name }) => name, maxLength: 2 }), init: fc.boolean() })
  .map(({ init, ...main }) =>
    aNewPod({
      containers: [{ name: 'main', image: 'app:1', ...main }],
      ...(init ? { initContainers: [{ name: 'own', image: 'x:1' }] } : {}),
    }),
  );

const injectedAt = (target: Pod, list: readonly ReturnType<typeof aSidecarSet>[], at = now): Pod => {
  const result = inject(
    target,
    list.map((set) => prepareVersion(currentVersion(set))),
    { now: at, sortByName: false },
  );
  if (result.kind === 'Refused') throw new Error(result.why);
  return result.pod;
};

describe('the injection', () => {
  it('done twice is the same as once, also when time has passed', () => {
    fc.assert(
      fc.property(pod, sets, (target, list) => {
        const once = injectedAt(target, list);
        expect(injectedAt(once, list, instant(now + 60_000))).toEqual(once);
      }),
    );
  });

  it('gives a patch that makes the Pod from what was asked', () => {
    fc.assert(
      fc.property(pod, sets, (target, list) => {
        const once = injectedAt(target, list);
        const patched = applyJsonPatch(target, createJsonPatch(target, once));
        expect(patched).toEqual({ kind: 'Patched', value: once });
      }),
    );
  });

  it('leaves the containers of the Pod as they are and in their order, and names no container twice', () => {
    fc.assert(
      fc.property(pod, sets, (target, list) => {
        const { spec } = injectedAt(target, list);
        expect(spec.containers.filter(({ name }) => name === 'main')).toEqual(target.spec.containers);
        const names = [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        for (const { volumeMounts = [] } of spec.containers)
          expect(new Set(volumeMounts.map(({ mountPath }) => mountPath)).size).toBe(volumeMounts.length);
      }),
    );
  });
});
