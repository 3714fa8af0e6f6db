/** What an update waits for, and when it is complete. @see spec/inplace-update.md 7 */
import { describe, expect, it } from '@jest/globals';
import type { Container, Pod } from '@kruise/objects';
import { type PodGiven, aPod } from '../../testdata/build.ts';
import { type Completion, containersCompletion, runsSpecImage, updateCompletion } from './completion.ts';
import { formatRuntimeMeta, legacyPlainHash, metadataEnvHash, plainHash } from './runtime-meta.ts';
import { type InPlaceUpdateState, formatUpdateState } from './update-state.ts';

const fresh: InPlaceUpdateState = { revision: 'r', updateTimestamp: '2026-01-02T12:00:00Z', lastContainerStatuses: null };
const imageChanged: InPlaceUpdateState = { ...fresh, lastContainerStatuses: { a: { imageID: 'old' } } };
const status = (name: string, more: object = {}) => ({
  name,
  ready: true,
  image: `${name}:1`,
  imageID: 'old',
  containerID: `containerd://${name}`,
  restartCount: 0,
  ...more,
});
const running = (startedAt: string) => ({ state: { running: { startedAt } } });
const stateOf = (state: InPlaceUpdateState) => ({ 'apps.kruise.io/inplace-update-state': formatUpdateState(state) });
const complete: Completion = { kind: 'Complete' };
const incomplete = (why: string): Completion => ({ kind: 'Incomplete', why });

describe('the update of a Pod', () => {
  it.each<{ name: string; annotations: Record<string, string>; then: Completion }>([
    { name: 'is complete when there never was one', annotations: {}, then: complete },
    { name: 'is complete when nothing waits', annotations: stateOf(fresh), then: complete },
    {
      name: 'waits for the grace period',
      annotations: { ...stateOf(fresh), 'apps.kruise.io/inplace-update-grace': '{"revision":"r"}' },
      then: incomplete('the grace period is not over'),
    },
    {
      name: 'waits for a grace period that cannot be read',
      annotations: { 'apps.kruise.io/inplace-update-grace': 'x' },
      then: incomplete('the grace period is not over'),
    },
    {
      name: 'waits for later batches',
      annotations: stateOf({ ...fresh, nextContainerImages: { a: 'a:2' } }),
      then: incomplete('containers wait for a later batch'),
    },
    {
      name: 'is incomplete as long as its state cannot be read',
      annotations: { 'apps.kruise.io/inplace-update-state': '[]' },
      then: incomplete('the state annotation cannot be read: not a JSON object'),
    },
    {
      name: 'waits for its containers',
      annotations: stateOf(imageChanged),
      then: incomplete('container a does not run its new image yet'),
    },
  ])('$name', ({ annotations, then }) => {
    expect(updateCompletion(aPod({ annotations }), true)).toEqual(then);
  });
});

describe('changed resources', () => {
  const state: InPlaceUpdateState = {
    ...fresh,
    updateResources: true,
    containerBatchesRecord: [
      { timestamp: 't', containers: ['a'] },
      { timestamp: 't', containers: ['b'] },
    ],
  };
  const both = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
  const late = (name: string) => incomplete(`container ${name} does not run with its new resources yet`);

  it.each<{ name: string; resources?: object; reported: object | undefined; then: Completion }>([
    { name: 'have arrived when the status has them', resources: both, reported: both, then: complete },
    { name: 'have arrived in another notation', resources: both, reported: { ...both, requests: { cpu: '0.5' } }, then: complete },
    { name: 'have not arrived while the limits differ', resources: both, reported: { ...both, limits: { cpu: '1' } }, then: late('a') },
    { name: 'have not arrived while the requests differ', resources: both, reported: { limits: both.limits }, then: late('a') },
    { name: 'have not arrived while the status has more', resources: { limits: { cpu: '1' } }, reported: both, then: late('a') },
    { name: 'have not arrived while the status has none', resources: both, reported: undefined, then: late('a') },
    { name: 'that are none have arrived when the status has none', reported: {}, then: complete },
    { name: 'that are none have not arrived while the status has some', reported: both, then: late('a') },
  ])('$name', ({ resources, reported, then }) => {
    const container = { name: 'a', ...(resources === undefined ? {} : { resources }) };
    const held = status('a', reported === undefined ? {} : { resources: reported });
    const pod = aPod({ containers: [container], statuses: [held] });
    expect(containersCompletion(pod, state, true)).toEqual(then);
  });

  it('are required of the containers of every batch', () => {
    const pod = aPod({ containers: [{ name: 'a' }, { name: 'b' }], statuses: [status('a', { resources: {} }), status('b')] });
    expect(containersCompletion(pod, state, true)).toEqual(late('b'));
    expect(containersCompletion(pod, { ...state, containerBatchesRecord: [{ timestamp: 't', containers: ['a'] }] }, true)).toEqual(
      complete,
    );
    const { containerBatchesRecord: _record, ...unrecorded } = state;
    expect(containersCompletion(pod, unrecorded, true)).toEqual(complete);
  });

  it('have not arrived while the status is of another container', () => {
    expect(containersCompletion(aPod({ containers: [{ name: 'a' }], statuses: [status('x', { resources: {} })] }), state, true)).toEqual(
      late('a'),
    );
  });

  it('need a status of every container', () => {
    const bare: Pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } };
    expect(containersCompletion(bare, state, true)).toEqual(incomplete('the statuses of some containers are missing'));
    expect(containersCompletion(bare, { ...state, updateResources: false }, true)).toEqual(complete);
  });
});

describe('a changed environment', () => {
  const fed: Container = { name: 'a', env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['x']" } } }] };
  const state: InPlaceUpdateState = { ...fresh, updateEnvFromMetadata: true };
  const report = (of: string, containerID = 'containerd://a') => {
    const metadataEnvs = metadataEnvHash(fed, { name: 'p', labels: { x: of } });
    return formatRuntimeMeta([{ name: 'a', containerID, restartCount: 0, plainHash: plainHash(fed), metadataEnvHash: metadataEnvs }]);
  };
  const given = (annotations: Record<string, string>): PodGiven => ({
    containers: [fed],
    labels: { x: '1' },
    statuses: [status('a')],
    annotations,
  });
  const late = incomplete('container a does not run with its new environment yet');

  it.each<{ name: string; pod: Pod; then: Completion }>([
    {
      name: 'has arrived when the node reports so',
      pod: aPod(given({ 'apps.kruise.io/runtime-containers-meta': report('1') })),
      then: complete,
    },
    {
      name: 'has not arrived while the node reports the old one',
      pod: aPod(given({ 'apps.kruise.io/runtime-containers-meta': report('0') })),
      then: late,
    },
    {
      name: 'has not arrived while the node reports another instance',
      pod: aPod(given({ 'apps.kruise.io/runtime-containers-meta': report('1', 'containerd://b') })),
      then: late,
    },
    {
      name: 'has not arrived while the node reports no container',
      pod: aPod(given({ 'apps.kruise.io/runtime-containers-meta': '{"containers":[]}' })),
      then: late,
    },
    {
      name: 'has not arrived without a report',
      pod: aPod(given({})),
      then: incomplete('the node has not reported the environment of the containers'),
    },
    {
      name: 'has not arrived while the container has no instance',
      pod: aPod({ ...given({ 'apps.kruise.io/runtime-containers-meta': report('1', '') }), statuses: [status('a', { containerID: '' })] }),
      then: late,
    },
  ])('$name', ({ pod, then }) => {
    expect(containersCompletion(pod, state, true)).toEqual(then);
  });
});

describe('changed images', () => {
  it.each<{ name: string; batches?: InPlaceUpdateState['containerBatchesRecord']; more: object; then: 'Complete' | 'Incomplete' }>([
    { name: 'have arrived once the container was started after the update', more: running('2026-01-02T12:00:01Z'), then: 'Complete' },
    { name: 'have not arrived while it was started before', more: running('2026-01-02T11:59:59Z'), then: 'Incomplete' },
    {
      name: 'have not arrived while it was started before its own batch',
      batches: [{ timestamp: '2026-01-02T12:00:05Z', containers: ['a'] }],
      more: running('2026-01-02T12:00:04Z'),
      then: 'Incomplete',
    },
    {
      name: 'are not decided by batches of other containers',
      batches: [
        { timestamp: '2026-01-02T12:00:01Z', containers: ['a'] },
        { timestamp: '2026-01-02T12:00:05Z', containers: ['b'] },
      ],
      more: running('2026-01-02T12:00:04Z'),
      then: 'Complete',
    },
    {
      name: 'are decided by the last batch of the container',
      batches: [
        { timestamp: '2026-01-02T12:00:01Z', containers: ['a'] },
        { timestamp: '2026-01-02T12:00:05Z', containers: ['a', 'b'] },
      ],
      more: running('2026-01-02T12:00:04Z'),
      then: 'Incomplete',
    },
    {
      name: 'have arrived when it was started in the second of the update, after one that ended then',
      more: { ...running('2026-01-02T12:00:00Z'), lastState: { terminated: { finishedAt: '2026-01-02T12:00:00Z' } } },
      then: 'Complete',
    },
    {
      name: 'have not arrived when the previous one ended earlier',
      more: { ...running('2026-01-02T12:00:00Z'), lastState: { terminated: { finishedAt: '2026-01-02T11:59:59Z' } } },
      then: 'Incomplete',
    },
    {
      name: 'have not arrived when it runs since before, whatever ended since',
      more: { ...running('2026-01-02T11:00:00Z'), lastState: { terminated: { finishedAt: '2026-01-02T12:00:05Z' } } },
      then: 'Incomplete',
    },
    {
      name: 'have not arrived when nothing is known of the previous one',
      more: { ...running('2026-01-02T12:00:00Z'), lastState: {} },
      then: 'Incomplete',
    },
    {
      name: 'are decided by the start of the update when no batch has the container',
      batches: [{ timestamp: '2026-01-02T12:00:05Z', containers: ['b'] }],
      more: running('2026-01-02T12:00:04Z'),
      then: 'Complete',
    },
    { name: 'have not arrived while its start is unknown', more: { state: { running: {} } }, then: 'Incomplete' },
    { name: 'have not arrived while it only waits', more: { state: { waiting: { reason: 'ContainerCreating' } } }, then: 'Incomplete' },
  ])('$name', ({ batches, more, then }) => {
    const state = batches === undefined ? imageChanged : { ...imageChanged, containerBatchesRecord: batches };
    const pod = aPod({ containers: [{ name: 'a', image: 'a:2' }], statuses: [status('a', more)] });
    expect(containersCompletion(pod, state, true).kind).toBe(then);
  });

  const container = { name: 'a', image: 'a:2', args: ['x'] };
  const before = running('2026-01-02T11:00:00Z');
  it.each<{ name: string; hash: number; containerID?: string; more: object; then: 'Complete' | 'Incomplete' }>([
    { name: 'is the old one by another hash and an earlier start', hash: 7, more: before, then: 'Incomplete' },
    { name: 'is the new one by its hash', hash: plainHash(container), more: before, then: 'Complete' },
    { name: 'is the new one by its hash in the older form', hash: legacyPlainHash(container), more: before, then: 'Complete' },
    { name: 'is the new one when its hash is unknown', hash: 0, more: before, then: 'Complete' },
    {
      name: 'is the new one when the report is of another instance',
      hash: 7,
      containerID: 'containerd://x',
      more: before,
      then: 'Complete',
    },
    {
      name: 'is the new one when it was started in the second of the update',
      hash: 7,
      more: running('2026-01-02T12:00:00Z'),
      then: 'Complete',
    },
    { name: 'is the new one when its start is unknown', hash: 7, more: {}, then: 'Complete' },
    { name: 'is the new one when it does not run yet', hash: 7, more: { state: { waiting: {} } }, then: 'Complete' },
  ])('reported under the new name by a runtime that had it before: $name', ({ hash, containerID = 'containerd://a', more, then }) => {
    const report = (name: string, id: string, own: number) => ({
      name,
      containerID: id,
      restartCount: 0,
      plainHash: own,
      metadataEnvHash: 0,
    });
    const metas = [report('b', 'containerd://b', 1), report('a', containerID, hash)];
    const pod = aPod({
      containers: [container, { name: 'b', image: 'b:1' }],
      statuses: [status('b'), status('a', { image: 'a:2', ...more })],
      annotations: { 'apps.kruise.io/runtime-containers-meta': formatRuntimeMeta(metas) },
    });
    expect(containersCompletion(pod, imageChanged, true).kind).toBe(then);
  });

  it('must be observed by the kubelet first', () => {
    const pod = aPod({ containers: [{ name: 'a', image: 'a:2' }], statuses: [status('a', running('2026-01-02T12:00:01Z'))] });
    const seen = (observedGeneration: number, generation?: number): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, ...(generation === undefined ? {} : { generation }) },
      status: { ...pod.status, observedGeneration } as never,
    });
    const kindOf = (given: Pod) => containersCompletion(given, imageChanged, true).kind;
    expect([kindOf(seen(2, 3)), kindOf(seen(3, 3)), kindOf(seen(4, 3)), kindOf(seen(0))]).toEqual([
      'Incomplete',
      'Complete',
      'Complete',
      'Complete',
    ]);
  });

  it('of a container that the spec no longer has are decided by its status', () => {
    const kindOf = (more: object) =>
      containersCompletion(aPod({ containers: [{ name: 'b' }], statuses: [status('a', more)] }), imageChanged, true).kind;
    expect([kindOf({}), kindOf({ imageID: 'new' })]).toEqual(['Incomplete', 'Complete']);
  });
});

describe('a container with a digest', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const runs = (imageID: string, image: string, more: object = {}): boolean => {
    const container = { name: 'a', image };
    const pod = aPod({ containers: [container], statuses: [status('a', { imageID, ...more })] });
    return runsSpecImage(pod, container, { imageID: 'x', since: '2026-01-02T12:00:00Z' });
  };

  it.each<[string, string, object, boolean]>([
    [`docker-pullable://a@${digest}`, `a@${digest}`, {}, true],
    [`docker.io/library/a@${digest}`, `a:1@${digest}`, {}, true],
    [`b@${digest}`, `a@${digest}`, {}, false],
    [digest, `a@${digest}`, {}, false],
    [digest, `a@${digest}`, running('2026-01-02T12:00:01Z'), true],
    ['', `a@${digest}`, {}, false],
  ])('runs with the image id %s the image of %s: %#', (imageID, image, more, expected) => {
    expect(runs(imageID, image, more)).toBe(expected);
  });
});
