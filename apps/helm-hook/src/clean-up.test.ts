import { describe, expect, it } from '@jest/globals';
import { allKinds, imagePullJobFinalizer, podProbeMarkerFinalizer, resourceTypeOf, type KindDeclaration } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { cleanUp, heldObjects } from './clean-up.ts';

const typeOf = (wanted: string, version: 'v1alpha1' | 'v1beta1'): ResourceType =>
  resourceTypeOf(allKinds.find(({ kind }) => kind === wanted) as KindDeclaration, version);
const markers = typeOf('PodProbeMarker', 'v1alpha1');
const pullJobs = typeOf('ImagePullJob', 'v1beta1');

const object = (name: string, ...held: readonly string[]): KubeObject => ({ metadata: { namespace: 'ns', name, finalizers: held } });
const names = (api: FakeApi, type: ResourceType): readonly string[] => api.peekAll(type, 'ns').map(({ metadata }) => metadata.name);

describe('before an uninstall', () => {
  it('what a manager must clean up after is deleted while it runs, all else is left to the uninstall', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await api.create(markers, object('held', podProbeMarkerFinalizer, 'example.org/other'));
    await api.create(markers, object('free'));
    const done = cleanUp({ client: api, clock, signal: new AbortController().signal });
    await clock.step(1000);
    // The manager has done its part; another's finalizer is not ours to wait for.
    await api.patch(markers, { namespace: 'ns', name: 'held' }, { metadata: { finalizers: ['example.org/other'] } }, { type: 'merge' });
    await clock.step(1000);
    expect(await done).toEqual({ forced: [], failures: [] });
    expect(names(api, markers)).toEqual(['free', 'held']);
    expect(api.peek(markers, { namespace: 'ns', name: 'held' })?.metadata.deletionTimestamp).toBeDefined();
  });

  it('what no manager cleans up after is let go after half a minute, and named', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await api.create(pullJobs, object('job', imagePullJobFinalizer));
    const done = cleanUp({ client: api, clock, signal: new AbortController().signal });
    await clock.step(29_000);
    expect(names(api, pullJobs)).toEqual(['job']);
    await clock.step(2000);
    expect(await done).toEqual({ forced: ['imagepulljobs ns/job'], failures: [] });
    expect(names(api, pullJobs)).toEqual([]);
  });

  it('that keeps the CRDs, what cannot be deleted without a manager is named and stays', async () => {
    const api = new FakeApi();
    await api.create(markers, object('held', podProbeMarkerFinalizer));
    await api.create(markers, object('free', 'example.org/other'));
    await api.create(pullJobs, object('job', imagePullJobFinalizer));
    const named = await heldObjects({ client: api, clock: new FakeClock(), signal: new AbortController().signal });
    expect([...named].sort()).toEqual(['imagepulljobs ns/job', 'podprobemarkers ns/held']);
    expect([names(api, markers), names(api, pullJobs)]).toEqual([['free', 'held'], ['job']]);
    expect(new Set(api.calls.flatMap(({ verb, part }) => (verb === 'list' ? [part] : [])))).toEqual(new Set(['Metadata']));
  });

  it('a kind without CRD is passed over', async () => {
    const api = new FakeApi();
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'list') throw new ApiError('not found', { kind: 'NotFound' });
      },
    };
    expect(await cleanUp({ client: api, clock: new FakeClock(), signal: new AbortController().signal })).toEqual({
      forced: [],
      failures: [],
    });
  });

  it('an object whose finalizer a webhook without a manager keeps is named, and the others are let go', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    for (const name of ['first', 'second']) await api.create(markers, object(name, podProbeMarkerFinalizer));
    api.faults = {
      before: ({ verb, key }) => {
        if (verb === 'patch' && key.name === 'first') throw new ApiError('failed calling webhook', { kind: 'ServerError', status: 500 });
      },
    };
    const done = cleanUp({ client: api, clock, signal: new AbortController().signal });
    await clock.step(31_000);
    expect(await done).toEqual({
      forced: ['podprobemarkers ns/second'],
      failures: ['podprobemarkers ns/first: failed calling webhook'],
    });
    expect(names(api, markers)).toEqual(['first']);
  });

  it('finalizers of others stay on what is let go', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await api.create(markers, object('held', podProbeMarkerFinalizer, 'example.org/other'));
    const done = cleanUp({ client: api, clock, signal: new AbortController().signal });
    await clock.step(31_000);
    expect(await done).toEqual({ forced: ['podprobemarkers ns/held'], failures: [] });
    expect(api.peek(markers, { namespace: 'ns', name: 'held' })?.metadata.finalizers).toEqual(['example.org/other']);
  });

  it('a cluster that does not answer is a failure, and nothing is deleted', async () => {
    const api = new FakeApi();
    await api.create(markers, object('held', podProbeMarkerFinalizer));
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'list') throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    };
    await expect(cleanUp({ client: api, clock: new FakeClock(), signal: new AbortController().signal })).rejects.toThrow('no answer');
    expect(api.calls.filter(({ verb }) => verb === 'delete')).toEqual([]);
  });
});
