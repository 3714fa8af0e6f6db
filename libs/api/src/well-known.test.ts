import { describe, expect, it } from '@jest/globals';
import { specificationText } from '@kruise/testing';
import * as kinds from './index.ts';
import * as wellKnown from './well-known.ts';

const { annotations, conditionReasons, conditionTypes, eventReasons, podConditions } = wellKnown;

/** The names in the folders of the kinds: `cloneSetLabels`, `sidecarSetLabels` and so on. */
const ofKinds = (group: 'Labels' | 'Annotations' | 'EnvNames'): readonly string[] =>
  Object.entries(kinds).flatMap(([name, value]) => (name.endsWith(group) ? Object.values(value as Readonly<Record<string, string>>) : []));

const labelKeys = [...Object.values(wellKnown.labels), ...ofKinds('Labels')];
const annotationKeys = [...Object.values(annotations), ...ofKinds('Annotations')];
const envNames = [...Object.values(wellKnown.envNames), ...ofKinds('EnvNames')];
const finalizers = kinds.allKinds.flatMap(({ finalizer }) => finalizer ?? []);
const controllerNames = [...Object.values(wellKnown.controllerNames), ...kinds.allKinds.map(({ controllerName }) => controllerName)];

/**
 * Unknown to upstream: an annotation of objects in their v1alpha1 form, a condition that explains why a workload is blocked, how often sidecars of a
 * Job were stopped again, and the event when that had no success.
 */
const ownInvention = [
  annotations.hubMembers,
  conditionTypes.blocked,
  annotations.sidecarTerminationRepeats,
  eventReasons.sidecarTerminatorFailed,
];

const keys = [...labelKeys, ...annotationKeys, ...finalizers, kinds.workloadSpreadFakeSubset];
const qualifiedName = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

describe('names that others see', () => {
  it('are beside the kind that they belong to, when it is only one', () => {
    expect(ofKinds('Labels')).toContain(kinds.cloneSetLabels.instanceId);
    expect(ofKinds('Annotations')).toContain(kinds.sidecarSetAnnotations.canary);
    expect(ofKinds('EnvNames')).toContain(kinds.ephemeralJobEnvNames.id);
    expect(finalizers).toContain(kinds.ephemeralJobFinalizer);
  });

  it('are keys that Kubernetes accepts', () => {
    expect(keys.filter((key) => !qualifiedName.test(key))).toEqual([]);
  });

  it.each([
    ['labels', labelKeys],
    ['annotations', annotationKeys],
    ['finalizers', finalizers],
    ['environment variables', envNames],
    ['Pod conditions', Object.values(podConditions)],
    ['condition types', Object.values(conditionTypes)],
    ['condition reasons', Object.values(conditionReasons)],
    ['event reasons', Object.values(eventReasons)],
    ['controllers', controllerNames],
  ])('no two %s are the same', (_, values) => {
    expect((values as readonly string[]).filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });
});

describe('the spec', () => {
  const text = specificationText();

  it('names each of them', () => {
    const names = [
      keys,
      envNames,
      controllerNames,
      ...[podConditions, conditionTypes, conditionReasons, eventReasons].map((group) => Object.values(group)),
    ];
    const unknown = names.flat().filter((name) => !text.includes(name) && !(ownInvention as readonly string[]).includes(name));
    expect(unknown).toEqual([]);
  });

  it('names no other label, annotation or finalizer of ours', () => {
    const others = /^(apps\.kruise\.io\/(v1alpha1|v1beta1)|rollouts\.kruise\.io|cloneset\.apps\.kruise\.io)/;
    const named = [...text.matchAll(/`((?:[a-z0-9.-]+\.)?kruise\.io\/[a-z][a-z0-9.-]*[a-z0-9])(?:[`:=" ])/g)].map(
      ([, key]) => key as string,
    );
    expect(named.length).toBeGreaterThan(50);
    const missing = [...new Set(named)].filter((key) => !others.test(key) && !(keys as readonly string[]).includes(key));
    expect(missing.filter((key) => !keys.some((known) => known.endsWith('/') && key.startsWith(known)))).toEqual([]);
  });
});
