import { expect, it } from '@jest/globals';
import { applyPatch, patchedLocally } from './apply-patch.ts';
import type { Untyped } from './untyped.ts';

const clone = (spec: object, annotations?: Readonly<Record<string, string>>): Untyped => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', ...(annotations && { annotations }) },
  spec,
});

const appliedBefore = (spec: object): Readonly<Record<string, string>> => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(clone(spec)),
});

const after = (live: Untyped, file: Untyped): unknown => patchedLocally(live, applyPatch(live, file))['spec'];

it.each<{ name: string; live: Untyped; file: object; then: object }>([
  {
    name: 'a field that another writer set stays',
    live: clone({ replicas: 7, minReadySeconds: 5 }),
    file: { minReadySeconds: 9 },
    then: { replicas: 7, minReadySeconds: 9 },
  },
  {
    name: 'a field that the former file had and this one has not is removed',
    live: clone({ replicas: 7, minReadySeconds: 5 }, appliedBefore({ replicas: 7, minReadySeconds: 5 })),
    file: { replicas: 7 },
    then: { replicas: 7 },
  },
  {
    name: 'a former file that cannot be read removes nothing',
    live: clone({ replicas: 7 }, { 'kubectl.kubernetes.io/last-applied-configuration': '{' }),
    file: {},
    then: { replicas: 7 },
  },
  {
    name: 'a member of an object that was removed leaves its neighbours',
    live: clone({ updateStrategy: { type: 'OnDelete', paused: true } }, appliedBefore({ updateStrategy: { paused: true } })),
    file: { updateStrategy: {} },
    then: { updateStrategy: { type: 'OnDelete' } },
  },
])('$name', ({ live, file, then }) => {
  expect(after(live, clone(file))).toEqual(then);
});
