// State annotations and container hashes: examples of spec/inplace-update.md 2.2 and 7.3, and those recorded from the original.
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { allRecordedObjects, recordedPod, recordedRevision } from '@kruise/testing';
import fc from 'fast-check';
import { cloneSetRevisions } from '../../revision/revision-adapter.ts';
import { at } from '../../testdata/build.ts';
import { updateCompletion } from './completion.ts';
import { type InPlaceOptions, planInPlaceUpdate } from '../plan-in-place-update.ts';
import { planRefresh } from '../plan-refresh.ts';
import { firstInconsistent, formatRuntimeMeta, legacyPlainHash, metadataEnvHash, plainHash, runtimeMetaOf } from './runtime-meta.ts';
import { startUpdate } from '../start-update.ts';
import { type UpdateSpec, formatUpdateSpec, parseUpdateSpec } from '../spec/update-spec.ts';
import { type InPlaceUpdateState, formatUpdateState, parseUpdateState } from './update-state.ts';

const stateKey = 'apps.kruise.io/inplace-update-state';
const metaKey = 'apps.kruise.io/runtime-containers-meta';
const pods = allRecordedObjects<Pod>('pods');

const stateOf = (text: string): InPlaceUpdateState => {
  const parsed = parseUpdateState(text);
  if (parsed.kind === 'Malformed') throw new Error(parsed.why);
  return parsed.value;
};

describe('the state annotation', () => {
  const states = pods.flatMap(({ metadata }) => metadata.annotations?.[stateKey] ?? []);

  it('is unchanged byte for byte for every recorded one', () => {
    expect(states.length).toBeGreaterThanOrEqual(2);
    for (const text of states) expect(formatUpdateState(stateOf(text))).toBe(text);
  });

  it('is written as the example of the spec', () => {
    const text =
      '{"revision":"sample-5794d985c7","updateTimestamp":"2026-01-02T03:04:05Z","lastContainerStatuses":null,"containerBatchesRecord":[{"timestamp":"2026-01-02T03:04:05Z","containers":[]}]}';
    expect(formatUpdateState(stateOf(text))).toBe(text);
  });

  it('has its members in the order of the original', () => {
    const state: InPlaceUpdateState = {
      containerBatchesRecord: [{ timestamp: 't', containers: ['a'] }],
      preCheckBeforeNext: { containersRequiredReady: ['a'] },
      nextContainerResources: { b: { requests: { memory: '1', cpu: '1' }, limits: { cpu: '1' } } },
      nextContainerRefMetadata: { b: { annotations: { z: '1' }, labels: { 9: 'x', 10: '<' } } },
      nextContainerImages: { b: 'b:2' },
      updateImages: true,
      updateResources: true,
      updateEnvFromMetadata: true,
      lastContainerStatuses: { b: { imageID: 'x' }, a: { imageID: 'y' } },
      updateTimestamp: 't',
      revision: 'r',
    };
    expect(formatUpdateState(state)).toBe(
      String.raw`{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{"imageID":"y"},"b":{"imageID":"x"}},"updateEnvFromMetadata":true,"updateResources":true,"updateImages":true,"nextContainerImages":{"b":"b:2"},"nextContainerRefMetadata":{"b":{"creationTimestamp":null,"labels":{"10":"\u003c","9":"x"},"annotations":{"z":"1"}}},"nextContainerResources":{"b":{"limits":{"cpu":"1"},"requests":{"cpu":"1","memory":"1"}}},"preCheckBeforeNext":{"containersRequiredReady":["a"]},"containerBatchesRecord":[{"timestamp":"t","containers":["a"]}]}`,
    );
    expect(stateOf(formatUpdateState(state))).toEqual(state);
  });

  it.each(['', '[]', 'null', '{"revision":'])('reports why %j cannot be read', (text) => {
    expect(parseUpdateState(text).kind).toBe('Malformed');
  });
});

describe('the recorded rollout of web', () => {
  const web = ['web-6d6d9b6464', 'web-8f8b8c7bf', 'web-5fdcb6795d'].map(recordedRevision);
  const gates = { InPlaceUpdateEnvFromMetadata: true, InPlaceWorkloadVerticalScaling: true, RecreatePodWhenChangeVCTInCloneSetGate: true };
  const options: InPlaceOptions = { gates, adapter: cloneSetRevisions(true), ignoreClaimTemplates: false, graceSeconds: 2 };
  const decide = (from: number) => {
    const target = web[from + 1];
    return target === undefined ? undefined : planInPlaceUpdate(web[from], target, options);
  };

  it('first changes an annotation that a container reads, then an image', () => {
    expect(decide(0)).toEqual({
      kind: 'InPlace',
      spec: {
        revision: 'web-8f8b8c7bf',
        containerRefMetadata: { main: { annotations: { cfg: 'v2' } } },
        updateEnvFromMetadata: true,
        graceSeconds: 2,
      },
    });
    expect(decide(1)).toEqual({
      kind: 'InPlace',
      spec: { revision: 'web-5fdcb6795d', containerImages: { main: 'nginx:alpine-21' }, graceSeconds: 2 },
    });
  });

  it('leaves the state that the original left', () => {
    const after = recordedPod('3-updated', 'web-g7xb4');
    const text = after.metadata.annotations?.[stateKey] ?? '';
    const before: Pod = {
      ...after,
      metadata: { ...after.metadata, annotations: { cfg: 'v2' } },
      status: { containerStatuses: [{ name: 'main', imageID: stateOf(text).lastContainerStatuses?.['main']?.imageID ?? '' }] as never[] },
    };
    const decision = decide(1);
    if (decision?.kind !== 'InPlace') throw new Error('not in place');
    const context = { adapter: options.adapter, resources: 'BySubresource' as const };
    const started = startUpdate(before, decision.spec, { ...context, now: at('2026-11-21T07:39:51.3Z') }).pod;
    const step = planRefresh(started, { ...context, now: at('2026-11-21T07:39:53.9Z') });
    if (step.kind !== 'ApplyGrace') throw new Error(step.kind);
    expect(step.update.pod.metadata.annotations?.[stateKey]).toBe(text);
    expect(step.update.pod.metadata.labels).toEqual(after.metadata.labels);
    expect(step.update.pod.spec).toEqual(after.spec);
  });
});

describe('the grace annotation', () => {
  it('contains the metadata patch in base64', () => {
    const spec: UpdateSpec = { revision: 'r', metaDataPatch: { metadata: { labels: { é: null } } }, graceSeconds: 30 };
    expect(formatUpdateSpec(spec)).toBe(
      '{"revision":"r","metaDataPatch":"eyJtZXRhZGF0YSI6eyJsYWJlbHMiOnsiw6kiOm51bGx9fX0=","graceSeconds":30}',
    );
  });

  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 });
  const map = fc.dictionary(text, text, { minKeys: 1, maxKeys: 3 }).map((held) => ({ ...held }));
  const spec = fc.record(
    {
      revision: text,
      containerImages: map,
      containerRefMetadata: fc.dictionary(text, fc.record({ labels: map, annotations: map }, { requiredKeys: [] }), {
        minKeys: 1,
        maxKeys: 2,
      }),
      containerResources: fc.dictionary(text, fc.record({ limits: map }), { minKeys: 1, maxKeys: 2 }),
      metaDataPatch: fc.record({ metadata: fc.record({ labels: map }) }),
      updateEnvFromMetadata: fc.constant(true as const),
      graceSeconds: fc.integer({ min: 1, max: 2147483647 }),
    },
    { requiredKeys: ['revision'] },
  );

  it('is unchanged after parsing its text', () => {
    fc.assert(
      fc.property(spec, (value) => {
        const parsed = parseUpdateSpec(formatUpdateSpec(value));
        expect(parsed).toEqual({ kind: 'Parsed', value: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
  });

  it.each(['{"revision":"r","metaDataPatch":"%"}', '{"revision":"r","metaDataPatch":"AAAA"}', '7'])(
    'reports why %j cannot be read',
    (broken) => {
      expect(parseUpdateSpec(broken).kind).toBe('Malformed');
    },
  );
});

describe('hashes of containers', () => {
  const env = [
    { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
    { name: 'CFG', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.annotations['cfg']" } } },
    { name: 'PLAIN', value: 'x' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'SIDECARSET_VERSION', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['v']" } } },
  ];

  it.each([
    ['plain', plainHash({ name: 'nginx', image: 'nginx:1.25' }), 1561234377],
    ['plain, before 1.31', legacyPlainHash({ name: 'nginx', image: 'nginx:1.25' }), 3262819660],
    ['env', metadataEnvHash({ name: 'c', env }, { name: 'p', labels: { app: 'sample' }, annotations: { cfg: 'foo' } }), 2035405208],
    ['env without a value', metadataEnvHash({ name: 'c', env }, { name: 'p', labels: { app: 'sample' } }), 1681667994],
    ['no env', metadataEnvHash({ name: 'c' }, { name: 'p' }), 86995377],
  ])('%s', (_name, hash, expected) => {
    expect(hash).toBe(expected);
  });
});

describe('the runtime meta annotation', () => {
  const reported = pods.filter(({ metadata }) => metadata.annotations?.[metaKey] !== undefined);

  it('is unchanged byte for byte for every recorded one', () => {
    expect(reported.length).toBeGreaterThanOrEqual(2);
    for (const pod of reported) expect(formatRuntimeMeta(runtimeMetaOf(pod) ?? [])).toBe(pod.metadata.annotations?.[metaKey]);
  });

  it('agrees with the spec and metadata of every Pod that was recorded after its update', () => {
    const updated = [recordedPod('3-updated', 'web-g7xb4'), recordedPod('3-updated', 'db-0')];
    for (const pod of updated) {
      const metas = runtimeMetaOf(pod) ?? [];
      expect(firstInconsistent(pod, metas, 'Plain')).toBeUndefined();
      expect(firstInconsistent(pod, metas, 'MetadataEnv')).toBeUndefined();
      expect(updateCompletion(pod, true)).toEqual({ kind: 'Complete' });
    }
  });
});
