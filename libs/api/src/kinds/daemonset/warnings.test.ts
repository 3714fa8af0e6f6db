/** Warnings about DaemonSets. @see spec/daemonset.md 5 to 8 */
import { describe, expect, it } from '@jest/globals';
import { withMembers, type JsonObject } from '@kruise/objects';
import { defaultGates } from '../../gates/feature-gates.ts';
import { annotated, bare, filled, having, onDelete, rolling, rollingBy, versions } from './admission.testing.ts';
import type { DaemonSetVersion } from './defaults.ts';
import { daemonSetWarnings } from './rules.ts';

interface Given {
  readonly version?: DaemonSetVersion;
  readonly oldObject?: JsonObject;
  readonly gate?: boolean;
}

const warningsOf = (object: JsonObject, { version = 'v1beta1', oldObject, gate = true }: Given = {}): readonly string[] =>
  daemonSetWarnings(filled(object, version), { version, oldObject, gates: { ...defaultGates, PreDownloadImageForDaemonSetUpdate: gate } });
const withSpec = (members: JsonObject, object = bare): JsonObject =>
  having('spec', withMembers(object['spec'] as JsonObject, members), object);
const progressive = 'daemonset.kruise.io/progressive-create-pod';
const generation = 'deprecated.daemonset.template.generation';
const preDownload = 'apps.kruise.io/image-predownload-';
const inPlace = rollingBy({ rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 });

describe('a DaemonSet gets a warning', () => {
  it.each<{ name: string; object: JsonObject; then: string }>([
    {
      name: 'for a burst in words',
      object: withSpec({ burstReplicas: 'many' }),
      then: 'spec.burstReplicas: must be an integer or a whole percentage (e.g. 1 or "20%"); what cannot be read acts as 0, so that no Pod is created, deleted or updated in place',
    },
    {
      name: 'for a numeral as its burst',
      object: withSpec({ burstReplicas: '5' }),
      then: 'spec.burstReplicas: must be an integer or a whole percentage (e.g. 1 or "20%"); what cannot be read acts as 0, so that no Pod is created, deleted or updated in place',
    },
    ...[0, '0%', -1].map((burstReplicas) => ({
      name: `for a burst of ${String(burstReplicas)}`,
      object: withSpec({ burstReplicas }),
      then: `spec.burstReplicas: with ${JSON.stringify(burstReplicas)} no Pod is created, deleted or updated in place`,
    })),
    {
      name: 'for a limit that cannot be read, beside one that can',
      object: rollingBy({ maxUnavailable: '33.3%', maxSurge: 1 }),
      then: `${rolling}.maxUnavailable: "33.3%" is neither a number nor a whole percentage and counts as 0`,
    },
    {
      name: 'for a surge that cannot be read',
      object: rollingBy({ maxUnavailable: 1, maxSurge: 'some' }),
      then: `${rolling}.maxSurge: "some" is neither a number nor a whole percentage and counts as 0`,
    },
    {
      name: 'for a partition with OnDelete',
      object: onDelete({ partition: 1 }),
      then: `${rolling}: partition have no effect on Pods with type OnDelete`,
    },
    {
      name: 'for a partition in percent and all that limits rolling updates, with OnDelete',
      object: onDelete({ partition: '50%', paused: true, selector: { matchLabels: { tier: 'canary' } } }),
      then: `${rolling}: partition, paused, selector have no effect on Pods with type OnDelete`,
    },
    {
      name: 'for an empty selector of nodes',
      object: rollingBy({ maxUnavailable: 1, selector: { matchExpressions: [] } }),
      then: `${rolling}.selector: an empty selector chooses every node, like no selector at all`,
    },
    {
      name: 'for an illegal selector of nodes',
      object: rollingBy({ maxUnavailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      then: `${rolling}.selector.matchExpressions[0].values: must be specified when \`operator\` is 'In' or 'NotIn'; an illegal selector chooses no node to update`,
    },
    {
      name: 'for a hook before normal service',
      object: withSpec({ lifecycle: { preNormal: { labelsHandler: { a: 'b' } } } }),
      then: 'spec.lifecycle.preNormal: has no effect in a DaemonSet',
    },
    ...['4', '12', '-3'].map((value) => ({
      name: `for generation ${value} of the template`,
      object: annotated(generation, value),
      then: `metadata.annotations[${generation}]: Pods without label controller-revision-hash whose label pod-template-generation is ${value} count as updated; leave it out unless that is meant`,
    })),
    {
      name: 'for Pods to wait for before images are pulled ahead',
      object: annotated(`${preDownload}min-updated-ready-pods`, '1'),
      then: `metadata.annotations[${preDownload}min-updated-ready-pods]: has no effect on a DaemonSet`,
    },
  ])('$name', ({ object, then }) => {
    for (const version of versions) expect(warningsOf(object, { version })).toEqual([then]);
  });

  it.each<{ name: string; keys: readonly string[]; reported: string }>([
    { name: 'one', keys: ['parallelism'], reported: `${preDownload}parallelism` },
    {
      name: 'both',
      keys: ['parallelism', 'timeout-seconds'],
      reported: `${preDownload}parallelism, ${preDownload}timeout-seconds`,
    },
  ])('for pulling images ahead while the gate is off, requested by $name', ({ keys, reported }) => {
    const object = having('metadata.annotations', Object.fromEntries(keys.map((key) => [`${preDownload}${key}`, '5'])));
    expect(warningsOf(object, { gate: false })).toEqual([
      `metadata.annotations: ${reported} have no effect while feature gate PreDownloadImageForDaemonSetUpdate is off`,
    ]);
    expect(warningsOf(object)).toEqual([]);
  });

  it('for creation in parts with OnDelete, wherever its version says so', () => {
    const reported = 'has no effect with type OnDelete, which has no partition';
    const beta = withSpec({ scaleStrategy: { partitionedScaling: true } }, onDelete());
    expect(warningsOf(beta)).toEqual([`spec.scaleStrategy.partitionedScaling: ${reported}`]);
    const alpha = annotated(progressive, 'true', onDelete());
    expect(warningsOf(alpha, { version: 'v1alpha1' })).toEqual([`metadata.annotations[${progressive}]: ${reported}`]);
  });

  it('for the annotation of v1alpha1 in v1beta1, while the member says otherwise', () => {
    const reported = `metadata.annotations[${progressive}]: sets spec.scaleStrategy.partitionedScaling as soon as a client writes the object through v1alpha1; remove it or set the field`;
    expect(warningsOf(annotated(progressive, 'true'))).toEqual([reported]);
    const denied = withSpec({ scaleStrategy: { partitionedScaling: false } }, annotated(progressive, 'true'));
    expect(warningsOf(denied)).toEqual([reported]);
    expect(warningsOf(withSpec({ scaleStrategy: { partitionedScaling: true } }, annotated(progressive, 'true')))).toEqual([]);
    expect(warningsOf(annotated(progressive, 'True'))).toEqual([]);
    expect(warningsOf(annotated(progressive, 'true'), { version: 'v1alpha1' })).toEqual([]);
  });

  it.each<{ name: string; oldObject?: JsonObject; object?: JsonObject; warned: boolean }>([
    { name: 'when it was Standard before', oldObject: bare, warned: true },
    { name: 'when it was OnDelete before', oldObject: onDelete({ rollingUpdateType: 'InPlaceIfPossible' }), warned: true },
    { name: 'but not when it was in place before', oldObject: inPlace, warned: false },
    { name: 'but not when it is new', warned: false },
    { name: 'but not when it is unchanged', oldObject: bare, object: bare, warned: false },
    {
      name: 'but not when its template had the readiness gate all along',
      oldObject: having('spec.template.spec.readinessGates', [null, { conditionType: 'InPlaceUpdateReady' }]),
      warned: false,
    },
    {
      name: 'and when its template had another readiness gate',
      oldObject: having('spec.template.spec.readinessGates', [{ conditionType: 'example.com/ready' }]),
      warned: true,
    },
  ])('for its first update in place, $name', ({ oldObject, object = inPlace, warned }) => {
    const reported = `${rolling}.rollingUpdateType: existing Pods lack readiness gate InPlaceUpdateReady, so that their next update recreates them`;
    expect(warningsOf(object, oldObject === undefined ? {} : { oldObject: filled(oldObject) })).toEqual(warned ? [reported] : []);
  });
});

describe('a DaemonSet gets no warning', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'with its defaults', object: bare },
    { name: 'in place', object: inPlace },
    { name: 'with a surge', object: rollingBy({ maxSurge: '10%' }) },
    { name: 'with a burst of one', object: withSpec({ burstReplicas: 1 }) },
    { name: 'with a burst in percent', object: withSpec({ burstReplicas: '10%' }) },
    {
      name: 'with a partition, a pause and a selector',
      object: rollingBy({ maxUnavailable: 1, partition: '50%', paused: true, selector: { matchLabels: { a: 'b' } } }),
    },
    {
      name: 'with OnDelete and settings that limit nothing',
      object: onDelete({ partition: 0, paused: false, selector: {}, maxUnavailable: 'some' }),
    },
    { name: 'with OnDelete and a partition of no percent', object: onDelete({ partition: '0%' }) },
    { name: 'with creation in parts', object: withSpec({ scaleStrategy: { partitionedScaling: true } }) },
    { name: 'with OnDelete and creation of all', object: withSpec({ scaleStrategy: { partitionedScaling: false } }, onDelete()) },
    { name: 'with a hook before deletion', object: withSpec({ lifecycle: { preDelete: { labelsHandler: { a: 'b' } } } }) },
    ...['', 'four', '4th', 'v4'].map((value) => ({
      name: `with a generation of the template that is no number: "${value}"`,
      object: annotated(generation, value),
    })),
    { name: 'with a limit of no percent beside a surge', object: rollingBy({ maxUnavailable: '0%', maxSurge: 1 }) },
    {
      name: 'with a required affinity of nodes, which applies to all Pods',
      object: having('spec.template.spec.affinity', {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
          },
        },
      }),
    },
  ])('$name', ({ object }) => expect(warningsOf(object)).toEqual([]));

  it('for pulling images ahead that was not requested', () => expect(warningsOf(bare, { gate: false })).toEqual([]));

  it('before its defaults are filled in', () => {
    const options = {
      version: 'v1beta1',
      oldObject: undefined,
      gates: { ...defaultGates, PreDownloadImageForDaemonSetUpdate: true },
    } as const;
    expect(daemonSetWarnings(bare, options)).toEqual([]);
  });
});
