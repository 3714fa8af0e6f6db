/** Warnings about the annotation `config-rollout`, the same ones for each kind and version. @see spec/config-rollout.md 2 */
import { describe, expect, it } from '@jest/globals';
import { withMetadataValues, type JsonObject } from '@kruise/objects';
import { cloneSetWarnings } from '../kinds/cloneset/rules.ts';
import { daemonSetWarnings } from '../kinds/daemonset/rules.ts';
import { statefulSetWarnings } from '../kinds/statefulset/rules.ts';
import { defaultGates, type Gates } from '../gates/feature-gates.ts';

type Warnings = (object: JsonObject, gates: Gates) => readonly string[];

const hash = { name: 'HASH', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['apps.kruise.io/config-hash']" } } };
const other = { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } };
const on: Gates = { ...defaultGates, ConfigRollout: true };
const path = 'metadata.annotations[apps.kruise.io/config-rollout]';
const variable = "add a variable from metadata.annotations['apps.kruise.io/config-hash'] to each container that has to restart";

const inRollingUpdate = (strategy: JsonObject): JsonObject => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: strategy } });
const kinds: readonly {
  readonly kind: string;
  readonly warningsOf: Warnings;
  readonly inPlace: JsonObject;
  readonly recreating: JsonObject;
}[] = [
  ...(['v1beta1', 'v1alpha1'] as const).map((version) => ({
    kind: `CloneSet of ${version}`,
    warningsOf: (object: JsonObject, gates: Gates) => cloneSetWarnings(object, { version, oldObject: undefined, gates }),
    inPlace: version === 'v1alpha1' ? { updateStrategy: { type: 'InPlaceOnly' } } : inRollingUpdate({ podUpdatePolicy: 'InPlaceOnly' }),
    recreating: version === 'v1alpha1' ? { updateStrategy: { type: 'ReCreate' } } : inRollingUpdate({ podUpdatePolicy: 'ReCreate' }),
  })),
  {
    kind: 'StatefulSet',
    warningsOf: (object, gates) => statefulSetWarnings(object, { gates }),
    inPlace: inRollingUpdate({ podUpdatePolicy: 'InPlaceIfPossible' }),
    recreating: inRollingUpdate({ podUpdatePolicy: 'ReCreate' }),
  },
  {
    kind: 'DaemonSet',
    warningsOf: (object, gates) => daemonSetWarnings(object, { version: 'v1beta1', oldObject: undefined, gates }),
    inPlace: inRollingUpdate({ rollingUpdateType: 'InPlaceIfPossible' }),
    recreating: inRollingUpdate({ rollingUpdateType: 'Standard' }),
  },
];

interface Given {
  readonly env?: unknown;
  readonly names?: string;
  readonly gates?: Gates;
  readonly isRecreating?: boolean;
}

describe.each(kinds)('a $kind with annotation config-rollout', ({ warningsOf, inPlace, recreating }) => {
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'and a variable from the hash is as intended', given: { env: [other, hash] }, then: [] },
    { name: 'and another variable', given: { env: [other] }, then: [`${path}: a changed content restarts no container: ${variable}`] },
    { name: 'and no variable', given: {}, then: [`${path}: a changed content restarts no container: ${variable}`] },
    {
      name: 'and variables of a wrong type',
      given: { env: 'A=B' },
      then: [`${path}: a changed content restarts no container: ${variable}`],
    },
    { name: 'and no variable recreates its Pods', given: { isRecreating: true }, then: [] },
    {
      name: 'and the gate of variables off',
      given: { env: [hash], gates: { ...on, InPlaceUpdateEnvFromMetadata: false } },
      then: [`${path}: a changed content restarts no container while feature gate InPlaceUpdateEnvFromMetadata is off`],
    },
    {
      name: 'and the gate off',
      given: { env: [hash], gates: defaultGates },
      then: [`${path}: has no effect while feature gate ConfigRollout is off`],
    },
    { name: 'that is empty', given: { names: '' }, then: [] },
  ])('$name', ({ given: { env, names = 'configmap/app', gates = on, isRecreating = false }, then }) => {
    const template = { spec: { containers: [{ name: 'proxy' }, { name: 'app', ...(env === undefined ? {} : { env }) }] } };
    const spec = { template, ...(isRecreating ? recreating : inPlace) };
    const object = withMetadataValues({ metadata: { name: 'web' }, spec }, 'annotations', {
      'apps.kruise.io/config-rollout': names,
    });
    expect(warningsOf(object, gates)).toEqual(then);
  });

  it('whose template is missing is not read', () => {
    const object = { metadata: { annotations: { 'apps.kruise.io/config-rollout': 'configmap/app' } }, spec: inPlace };
    expect(warningsOf(object, on)).toEqual([`${path}: a changed content restarts no container: ${variable}`]);
  });
});
