import { describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations } from '@kruise/api';
import type { Container, ContainerStatus, Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { availability, hasUnavailableLabel } from './available.ts';

const gates = { InPlaceWorkloadVerticalScaling: false };
const isAvailable = (pod: Pod) => availability(gates)(pod);
const [digest, other] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];

/** The one container, and what is reported of it. */
const running = (image: string, status: Partial<ContainerStatus> | undefined, container: Partial<Container> = {}): Pod => {
  const pod = aPod({ image });
  const statuses = pod.status?.containerStatuses ?? [];
  return {
    ...pod,
    spec: { ...pod.spec, containers: pod.spec.containers.map((one) => ({ ...one, ...container })) },
    status: { ...pod.status, containerStatuses: status === undefined ? [] : statuses.map((one) => ({ ...one, ...status })) },
  };
};

describe('a Pod is in service (5.4)', () => {
  it.each<{ name: string; shape: PodShape; then: boolean }>([
    { name: 'when it runs and is ready', shape: {}, then: true },
    { name: 'not while it is not ready', shape: { ready: false }, then: false },
    { name: 'not while it is pending', shape: { phase: 'Pending' }, then: false },
    { name: 'not when it has ended', shape: { phase: 'Succeeded' }, then: false },
    { name: 'not while it is being deleted', shape: { terminating: true }, then: false },
    { name: 'not with a label that says so', shape: { labels: { 'unavailable-pod.kruise.io/x': '' } }, then: false },
    { name: 'with a label that only resembles it', shape: { labels: { 'unavailable-pod.kruise.io.example/x': '' } }, then: true },
  ])('$name', ({ shape, then }) => {
    expect(isAvailable(aPod(shape))).toBe(then);
  });

  it('the label is any key that begins so', () => {
    expect(hasUnavailableLabel(aPod({ labels: { 'unavailable-pod.kruise.io/': 'false' } }))).toBe(true);
    expect(hasUnavailableLabel({ ...aPod(), metadata: { name: 'p' } })).toBe(false);
  });
});

describe('a container of an image by digest runs it (5.4 step 1)', () => {
  const image = `app@${digest}`;
  it.each<{ name: string; status: Partial<ContainerStatus> | undefined; image?: string; then: boolean }>([
    { name: 'by the same reference', status: { imageID: `docker.io/library/app@${digest}` }, then: true },
    { name: 'behind the name of the runtime', status: { imageID: `docker-pullable://app@${digest}` }, then: true },
    { name: 'from a mirror', status: { imageID: `mirror.example.com/app@${digest}` }, then: true },
    { name: 'with a tag beside the digest', image: `app:1@${digest}`, status: { imageID: `app@${digest}` }, then: true },
    { name: 'not by another digest behind the name of the runtime', status: { imageID: `docker-pullable://app@${other}` }, then: false },
    { name: 'not by another digest behind nothing but the sign of one', status: { imageID: `://app@${other}` }, then: false },
    { name: 'not by another digest', status: { imageID: `app@${other}` }, then: false },
    { name: 'perhaps, by the digest of a configuration', status: { imageID: other }, then: true },
    { name: 'not without an id', status: { imageID: '' }, then: false },
    { name: 'not without a status', status: undefined, then: false },
    { name: 'whatever the id, by tag', image: 'app:1', status: { imageID: `app@${other}` }, then: true },
    { name: 'whatever the id, for an image that is no reference', image: 'APP', status: { imageID: `app@${other}` }, then: true },
  ])('$name', ({ status, image: given = image, then }) => {
    expect(isAvailable(running(given, status))).toBe(then);
  });
});

it('all containers of images by digest run them (5.4 step 1)', () => {
  const made = running(`app@${digest}`, { imageID: `app@${digest}` });
  const [main] = made.spec.containers;
  if (main === undefined) throw new Error('the Pod has one container');
  expect(isAvailable({ ...made, spec: { ...made.spec, containers: [main, { ...main, name: 'second' }] } })).toBe(false);
});

describe('a sidecar runs the image of its SidecarSet (5.4 step 3)', () => {
  const sidecar = { env: [{ name: 'IS_INJECTED', value: 'true' }] };
  const state = { mine: { lastContainerStatuses: { main: { imageID: 'old' } } } };
  const pod = (
    annotations: Readonly<Record<string, string>>,
    status: Partial<ContainerStatus>,
    container: Partial<Container> = sidecar,
  ): Pod => {
    const made = running('side:2', status, container);
    return { ...made, metadata: { ...made.metadata, annotations } };
  };
  const annotations = {
    [sidecarSetAnnotations.injectedList]: 'mine,yours',
    [sidecarSetAnnotations.inPlaceUpdateState]: JSON.stringify(state),
  };
  const old = { imageID: 'old', image: 'side:1' };

  it.each<{ name: string; given: Pod; then: boolean }>([
    { name: 'not with the recorded id under another name', given: pod(annotations, old), then: false },
    { name: 'with another id', given: pod(annotations, { ...old, imageID: 'new' }), then: true },
    {
      name: 'with the recorded id under the name that is wanted',
      given: pod(annotations, { imageID: 'old', image: 'docker.io/library/side:2' }),
      then: true,
    },
    { name: 'when it was not injected', given: pod(annotations, old, {}), then: true },
    { name: 'when another variable says so', given: pod(annotations, old, { env: [{ name: 'A', value: 'true' }] }), then: true },
    { name: 'when it says that it was not', given: pod(annotations, old, { env: [{ name: 'IS_INJECTED', value: 'false' }] }), then: true },
    { name: 'without a report, as the Pod is ready', given: pod(annotations, { ...old, name: 'other' }), then: true },
    {
      name: 'when nothing was injected, and the state cannot be read',
      given: pod({ ...annotations, [sidecarSetAnnotations.inPlaceUpdateState]: '{' }, old, {}),
      then: true,
    },
    {
      name: 'without a list, whatever the state',
      given: pod({ [sidecarSetAnnotations.injectedList]: '', [sidecarSetAnnotations.inPlaceUpdateState]: '{' }, old),
      then: true,
    },
    {
      name: 'with a state that records nothing',
      given: pod({ ...annotations, [sidecarSetAnnotations.inPlaceUpdateState]: '{"mine":{}}' }, old),
      then: true,
    },
    {
      name: 'when the SidecarSet is not on the list',
      given: pod({ ...annotations, [sidecarSetAnnotations.injectedList]: 'yours' }, old),
      then: true,
    },
    { name: 'without a list', given: pod({ ...annotations, [sidecarSetAnnotations.injectedList]: '' }, old), then: true },
    { name: 'without a state', given: pod({ [sidecarSetAnnotations.injectedList]: 'mine' }, old), then: true },
    {
      name: 'not with a state that cannot be read',
      given: pod({ ...annotations, [sidecarSetAnnotations.inPlaceUpdateState]: '{' }, old),
      then: false,
    },
    {
      name: 'with a state of another form',
      given: pod({ ...annotations, [sidecarSetAnnotations.inPlaceUpdateState]: '{"mine":{"lastContainerStatuses":{"main":1}}}' }, old),
      then: true,
    },
  ])('$name', ({ given, then }) => {
    expect(isAvailable(given)).toBe(then);
  });

  it('all of them do', () => {
    const made = pod(annotations, old);
    const [main] = made.spec.containers;
    const [status] = made.status?.containerStatuses ?? [];
    if (main === undefined || status === undefined) throw new Error('the Pod has one container');
    const withSecond = {
      ...made,
      spec: { ...made.spec, containers: [{ ...main, name: 'new' }, main] },
      status: { ...made.status, containerStatuses: [{ ...status, name: 'new', imageID: 'new' }, status] },
    };
    expect(isAvailable(withSecond)).toBe(false);
  });

  it('also beside containers of images by digest', () => {
    const pinned = pod(annotations, { imageID: `side@${digest}`, image: `side@${digest}` }, { ...sidecar, image: `side@${digest}` });
    const record = { mine: { lastContainerStatuses: { main: { imageID: `side@${digest}` } } } };
    const before = { ...annotations, [sidecarSetAnnotations.inPlaceUpdateState]: JSON.stringify(record) };
    const stale = { ...pinned, metadata: { ...pinned.metadata, annotations: before } };
    expect(isAvailable(pinned)).toBe(true);
    expect(
      isAvailable({
        ...stale,
        status: { ...stale.status, containerStatuses: (stale.status?.containerStatuses ?? []).map((one) => ({ ...one, image: 'side:1' })) },
      }),
    ).toBe(false);
  });
});

describe('an update in place is over (5.4 step 4)', () => {
  const state = (more: object = {}) =>
    JSON.stringify({
      revision: 'r',
      updateTimestamp: '2026-01-01T00:00:00Z',
      lastContainerStatuses: { main: { imageID: 'sha256:app:1' } },
      ...more,
    });
  it.each<{ name: string; annotations: Readonly<Record<string, string>>; then: boolean }>([
    { name: 'when there was none', annotations: {}, then: true },
    {
      name: 'when the image is another',
      annotations: { 'apps.kruise.io/inplace-update-state': state({ lastContainerStatuses: { main: { imageID: 'before' } } }) },
      then: true,
    },
    { name: 'not while the grace period lasts', annotations: { 'apps.kruise.io/inplace-update-grace': '{}' }, then: false },
    {
      name: 'not while containers wait',
      annotations: { 'apps.kruise.io/inplace-update-state': state({ nextContainerImages: { main: 'x' } }) },
      then: false,
    },
    { name: 'not when it cannot be read', annotations: { 'apps.kruise.io/inplace-update-state': '{' }, then: false },
  ])('$name', ({ annotations, then }) => {
    expect(isAvailable(aPod({ annotations }))).toBe(then);
  });

  it('resources count where workloads change them in place', () => {
    const annotations = { 'apps.kruise.io/inplace-update-state': state({ updateResources: true, lastContainerStatuses: {} }) };
    const made = aPod({ annotations });
    const pod: Pod = {
      ...made,
      spec: { ...made.spec, containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '2' } } }] },
    };
    const resized = {
      ...pod,
      status: {
        ...pod.status,
        containerStatuses: (pod.status?.containerStatuses ?? []).map((one) => ({ ...one, resources: { requests: { cpu: '1' } } })),
      },
    };
    expect([false, true].map((InPlaceWorkloadVerticalScaling) => availability({ InPlaceWorkloadVerticalScaling })(resized as Pod))).toEqual(
      [true, false],
    );
  });
});

it('the answer about a Pod is remembered, and a changed Pod is another', () => {
  const known = availability(gates);
  const pod = aPod();
  expect([known(pod), known(pod), known({ ...pod, status: { ...pod.status, phase: 'Failed' } })]).toEqual([true, true, false]);
});
