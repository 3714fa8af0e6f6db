/** Checks whether a container runs the image of the Pod's spec. @see spec/sidecarset.md 5.7 */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import type { Container, ContainerStatus, Pod } from '@kruise/objects';
import { runsSpecImage } from './completion.ts';
import { formatRuntimeMeta, legacyPlainHash, plainHash } from './runtime-meta.ts';

const side: Container = { name: 'side', image: 'side:2' };
const main: Container = { name: 'main', image: 'app:1' };
const digestA = `sha256:${'a'.repeat(64)}`;
const digestB = `sha256:${'b'.repeat(64)}`;
const since = '2026-01-02T03:04:05Z';
const old: ContainerStatus = {
  name: 'side',
  image: 'side:1',
  imageID: 'id-1',
  containerID: 'containerd://1',
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: '2026-01-02T03:00:00Z' } },
};

interface Given {
  readonly status?: Partial<ContainerStatus>;
  readonly image?: string;
  readonly imageID?: string | undefined;
  /** Hashes that the node reports of the running container. */
  readonly hashes?: { readonly side: number; readonly main: number };
  readonly observedGeneration?: number;
  /** Id of the instance that the node reports; that of the status by default. */
  readonly reportedID?: string;
}

function isRunning({ status, image = 'side:2', imageID = 'id-1', hashes, observedGeneration, reportedID }: Given): boolean {
  const container: Container = { ...side, image };
  const statuses: readonly ContainerStatus[] = [
    { ...old, ...status },
    { ...old, name: 'main', image: 'app:1', containerID: 'containerd://m' },
  ];
  const metas = statuses.toReversed().map(({ name, containerID = '' }) => ({
    name,
    containerID: name === 'side' ? (reportedID ?? containerID) : containerID,
    restartCount: 0,
    plainHash: hashes?.[name as 'side' | 'main'] ?? 0,
    metadataEnvHash: 0,
  }));
  const pod: Pod = {
    metadata: {
      name: 'a',
      generation: 2,
      ...(hashes === undefined ? {} : { annotations: { [annotations.runtimeContainersMeta]: formatRuntimeMeta(metas) } }),
    },
    spec: { containers: [container, main] },
    status: { containerStatuses: statuses, ...(observedGeneration === undefined ? {} : { observedGeneration }) },
  };
  return runsSpecImage(pod, container, { imageID, since });
}

const restarted = { state: { running: { startedAt: '2026-01-02T03:05:00Z' } } };

describe('a container', () => {
  it.each<{ name: string; given: Given; then: boolean }>([
    { name: 'does not while it is the old one', given: {}, then: false },
    { name: 'does with another image id', given: { status: { image: 'side:2', imageID: 'id-2' } }, then: true },
    { name: 'does not without an image id', given: { status: { imageID: '' } }, then: false },
    { name: 'does under another spelling of the name', given: { status: { image: 'docker.io/library/side:2' } }, then: true },
    { name: 'does when it was started since', given: { status: restarted }, then: true },
    { name: 'does not when the kubelet has yet to see the spec', given: { status: restarted, observedGeneration: 1 }, then: false },
    {
      name: 'does when it was started since, and the kubelet saw the spec',
      given: { status: restarted, observedGeneration: 2 },
      then: true,
    },
    {
      name: 'does by its digest',
      given: { image: `side@${digestA}`, status: { imageID: `docker.io/library/side@${digestA}` } },
      then: true,
    },
    {
      name: 'does not by another digest',
      given: { image: `side@${digestA}`, status: { imageID: `docker.io/library/side@${digestB}` } },
      then: false,
    },
    { name: 'does as the node reports', given: { hashes: { side: plainHash(side), main: 1 } }, then: true },
    { name: 'does as the node reports in the old form', given: { hashes: { side: legacyPlainHash(side), main: 1 } }, then: true },
    {
      name: 'does not as the node reports, whatever the times are',
      given: { status: restarted, hashes: { side: 1, main: plainHash(main) } },
      then: false,
    },
    {
      name: 'is decided by the times when the form of the hashes is unknown',
      given: { status: restarted, hashes: { side: 1, main: 1 } },
      then: true,
    },
    {
      name: 'is not decided by a report of another instance',
      given: { status: restarted, hashes: { side: 1, main: plainHash(main) }, reportedID: 'containerd://2' },
      then: true,
    },
    {
      name: 'is not decided by a report without an instance, when it has none',
      given: { status: { ...restarted, containerID: '' }, hashes: { side: plainHash({ ...side, image: 'x' }), main: plainHash(main) } },
      then: true,
    },
    { name: 'does with another id than before, whatever the times are', given: { status: { imageID: 'id-2' } }, then: true },
    { name: 'is not decided by an empty report', given: { status: restarted, hashes: { side: 0, main: plainHash(main) } }, then: true },
  ])('$name', ({ given, then }) => {
    expect(isRunning(given)).toBe(then);
  });

  it('does when it was never changed', () => {
    const pod: Pod = { metadata: { name: 'a' }, spec: { containers: [side] }, status: { containerStatuses: [old] } };
    expect(runsSpecImage(pod, side, { imageID: undefined, since: undefined })).toBe(true);
    expect(runsSpecImage({ ...pod, status: {} }, side, { imageID: undefined, since: undefined })).toBe(false);
  });
});
