/**
 * How runtimes differ where CRI allows it, for the scripted runtime: forms of names and ids, the content of a verbose status, the answer for unknown
 * containers, and the messages of their failures.
 */
import { createHash } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { CriImage } from './verbs/list-images.ts';

export interface ShapedFailure {
  readonly code: number;
  readonly message: string;
}

/** How registries fail a pull. */
export type RegistryFault = 'down' | 'unauthorized' | 'manifestGone' | 'diskFull';

/** The differences of one runtime from others: names of its sockets, ids of its images, messages of its failures. */
export interface RuntimeShape {
  /** Scheme of its container ids. */
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  /** Where its socket is below the run directory, the usual place first. */
  readonly sockets: readonly [string, ...string[]];
  /** Returns the image as its list contains it. */
  imageOf(imageRef: string): CriImage;
  /** Returns the answer of PullImage. */
  pulledRef(image: CriImage): string;
  /** Returns `info` of a verbose ContainerStatus. */
  verboseInfo(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Returns the failure of StopContainer for an unknown container; undefined for success. */
  stopOfUnknown(id: string): ShapedFailure | undefined;
  /** Nanoseconds of `startedAt` of a container that has not started. */
  readonly neverStarted: string;
  /** Images of its list that no container uses. */
  readonly leftovers: readonly CriImage[];
  failure(fault: RegistryFault, imageRef: string): ShapedFailure;
}

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the reference with the registry that a name without one implies. */
function fullReference(imageRef: string): string {
  const [first = '', ...rest] = imageRef.split('/');
  if (rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')) return imageRef;
  return rest.length > 0 ? `docker.io/${imageRef}` : `docker.io/library/${imageRef}`;
}

const isByDigest = (imageRef: string): boolean => imageRef.includes('@');
const withoutTag = (imageRef: string): string =>
  isByDigest(imageRef) ? imageRef.slice(0, imageRef.indexOf('@')) : imageRef.slice(0, imageRef.lastIndexOf(':'));
const digestIn = (imageRef: string): string => imageRef.slice(imageRef.indexOf('@') + 1);

interface NameForms {
  readonly id: string;
  /** As the runtime writes it. */
  readonly reference: string;
  /** Digests other than the one in the reference. */
  readonly digests: readonly string[];
}

function imageWith({ id, reference, digests }: NameForms): CriImage {
  const named = isByDigest(reference) ? [digestIn(reference), ...digests] : digests;
  return {
    id,
    repoTags: isByDigest(reference) ? [] : [reference],
    repoDigests: named.map((digest) => `${withoutTag(reference)}@${digest}`),
    size: '1000',
  };
}

const unknown = (message: string): ShapedFailure => ({ code: status.UNKNOWN, message });

/** containerd: the default shape of a {@link ScriptedRuntime}. */
export const containerdShape: RuntimeShape = {
  name: 'containerd',
  version: '1.0.0',
  apiVersion: 'v1',
  sockets: ['containerd/containerd.sock', 'containerd.sock'],
  imageOf: (imageRef) => {
    const id = `sha256:${hexOf(imageRef)}`;
    return imageWith({ id, reference: fullReference(imageRef), digests: isByDigest(imageRef) ? [] : [id] });
  },
  pulledRef: ({ id }) => id,
  verboseInfo: (env) => ({ info: JSON.stringify({ config: { envs: Object.entries(env).map(([key, value]) => ({ key, value })) } }) }),
  stopOfUnknown: (id) => ({ code: status.NOT_FOUND, message: `no container ${id}` }),
  neverStarted: '0',
  leftovers: [],
  failure: (fault, imageRef) => {
    const start = `failed to pull and unpack image "${fullReference(imageRef)}": `;
    switch (fault) {
      case 'down':
        return unknown(`${start}failed to do request: Head "https://r.io/v2/": dial tcp 10.0.0.1:443: connect: connection refused`);
      case 'unauthorized':
        return unknown(`${start}failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized`);
      case 'manifestGone':
        return { code: status.NOT_FOUND, message: `${start}failed to resolve reference: ${fullReference(imageRef)}: not found` };
      case 'diskFull':
        return unknown(`${start}failed to extract layer: write /var/lib/containerd/x: no space left on device`);
    }
  },
};

/** CRI-O: ids without algorithm, two digests an image, the pulled image by digest, the process of a container in its verbose status. */
export const crioShape: RuntimeShape = {
  name: 'cri-o',
  version: '1.31.0',
  apiVersion: 'v1',
  sockets: ['crio/crio.sock', 'crio.sock'],
  imageOf: (imageRef) => {
    const id = hexOf(`config of ${imageRef}`);
    const digests = [`sha256:${hexOf(`list of ${imageRef}`)}`, `sha256:${hexOf(`manifest of ${imageRef}`)}`];
    return imageWith({ id, reference: fullReference(imageRef), digests });
  },
  pulledRef: ({ repoDigests }) => repoDigests[0] ?? '',
  verboseInfo: (env) => ({
    info: JSON.stringify({
      sandboxID: 's1',
      pid: 4711,
      runtimeSpec: { process: { env: ['PATH=/usr/bin', ...Object.entries(env).map((pair) => pair.join('='))] } },
      privileged: false,
    }),
  }),
  stopOfUnknown: () => undefined,
  neverStarted: '0',
  leftovers: [{ id: hexOf('dangling'), repoTags: [], repoDigests: [], size: '1' }],
  failure: (fault, imageRef) => {
    const full = fullReference(imageRef);
    switch (fault) {
      case 'down':
        return unknown(`pinging container registry r.io: Get "https://r.io/v2/": dial tcp 10.0.0.1:443: connect: connection refused`);
      case 'unauthorized':
        return unknown(`unable to retrieve auth token: invalid username/password: unauthorized: authentication required`);
      case 'manifestGone':
        return unknown(`reading manifest in ${full}: manifest unknown`);
      case 'diskFull':
        return unknown(`writing blob: storing blob to file "/var/tmp/x": write /var/tmp/x: no space left on device`);
    }
  },
};

/** cri-dockerd: short names throughout, images without a name, an empty verbose status, and the messages of the engine behind it. */
export const criDockerdShape: RuntimeShape = {
  name: 'docker',
  version: '27.1.1',
  apiVersion: '1.46.0',
  sockets: ['cri-dockerd.sock', 'cri-dockerd/cri-dockerd.sock'],
  imageOf: (imageRef) => {
    const short = imageRef.replace(/^docker\.io\/(library\/)?/, '');
    return imageWith({ id: `sha256:${hexOf(`config of ${short}`)}`, reference: short, digests: [`sha256:${hexOf(`list of ${short}`)}`] });
  },
  pulledRef: ({ repoDigests }) => `docker-pullable://${repoDigests[0] ?? ''}`,
  verboseInfo: () => ({}),
  stopOfUnknown: (id) => unknown(`Error response from daemon: No such container: ${id}`),
  // The beginning of the calendar, as far as 64 bits allow.
  neverStarted: '-6795364578871345152',
  leftovers: [{ id: `sha256:${hexOf('dangling')}`, repoTags: ['<none>:<none>'], repoDigests: ['<none>@<none>'], size: '1' }],
  failure: (fault, imageRef) => {
    switch (fault) {
      case 'down':
        return unknown(`Error response from daemon: Get "https://r.io/v2/": dial tcp 10.0.0.1:443: connect: connection refused`);
      case 'unauthorized':
        return unknown(`Error response from daemon: Head "https://r.io/v2/x/manifests/1": no basic auth credentials: unauthorized`);
      case 'manifestGone':
        return unknown(`Error response from daemon: manifest for ${imageRef} not found: manifest unknown: manifest unknown`);
      case 'diskFull':
        return unknown(`write /var/lib/docker/tmp/GetImageBlob1: no space left on device`);
    }
  },
};
