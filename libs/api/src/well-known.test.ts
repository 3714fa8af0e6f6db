import { describe, expect, it } from '@jest/globals';
import { specificationText } from '@kruise/testing';
import * as wellKnown from './well-known.ts';

const { annotations, conditionReasons, conditionTypes, controllerNames, envNames, eventReasons, finalizers, labels, podConditions } =
  wellKnown;

/**
 * Known to nothing upstream: an annotation of objects in their v1alpha1 form, a condition that says why a workload stands still, and how often
 * sidecars of a Job were stopped again, and the event when that had no success.
 */
const ownInvention = [
  annotations.hubMembers,
  conditionTypes.blocked,
  annotations.sidecarTerminationRepeats,
  eventReasons.sidecarTerminatorFailed,
];

const keys = [...Object.values(labels), ...Object.values(annotations), ...Object.values(finalizers), wellKnown.workloadSpreadFakeSubset];
const qualifiedName = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

describe('names that others see', () => {
  it('are keys that Kubernetes accepts', () => {
    expect(keys.filter((key) => !qualifiedName.test(key))).toEqual([]);
  });

  it.each([
    ['labels', labels],
    ['annotations', annotations],
    ['finalizers', finalizers],
    ['environment variables', envNames],
    ['Pod conditions', podConditions],
    ['condition types', conditionTypes],
    ['condition reasons', conditionReasons],
    ['event reasons', eventReasons],
    ['controllers', controllerNames],
  ])('no two %s are the same', (_, names) => {
    const values = Object.values(names);
    expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
  });
});

describe('the spec', () => {
  const text = specificationText();

  it('names each of them', () => {
    const names = [
      keys,
      ...[podConditions, conditionTypes, conditionReasons, envNames, eventReasons, controllerNames].map((group) => Object.values(group)),
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
