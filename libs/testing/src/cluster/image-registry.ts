/** Pushes small images to the cluster's registry: OCI manifests of uncompressed layers, no image tool needed. */
import { createHash } from 'node:crypto';

export interface Layer {
  readonly digest: string;
  readonly content: Uint8Array;
}

export interface SampleImage {
  /** Below the registry, e.g. `library/nginx`. */
  readonly repository: string;
  readonly tag: string;
  readonly layers: readonly Layer[];
  /** Comes before the command, and before the `args` of a container that has no `command`. */
  readonly entrypoint?: readonly string[];
  readonly command: readonly string[];
  readonly env: readonly string[];
}

export const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

export const layerOf = (content: Uint8Array): Layer => ({ digest: digestOf(content), content });

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Config and manifest of an image, the same bytes for the same image. */
export function documentsOf(
  image: SampleImage,
  architecture = architectures[process.arch] ?? process.arch,
): { readonly config: Layer; readonly manifest: Layer } {
  const config = layerOf(
    json({
      architecture,
      os: 'linux',
      config: {
        ...(image.entrypoint === undefined ? {} : { Entrypoint: image.entrypoint }),
        Cmd: image.command,
        Env: ['PATH=/bin:/usr/sbin:/sbin:/usr/bin', ...image.env],
      },
      rootfs: { type: 'layers', diff_ids: image.layers.map((layer) => layer.digest) },
    }),
  );
  const descriptor = (mediaType: string, part: Layer): object => ({ mediaType, digest: part.digest, size: part.content.length });
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: descriptor(types.config, config),
    layers: image.layers.map((layer) => descriptor(types.layer, layer)),
  };
  return { config, manifest: layerOf(json(manifest)) };
}

async function expectOk(answer: Response, what: string): Promise<Response> {
  if (!answer.ok) throw new Error(`registry: ${what}: HTTP ${answer.status} ${await answer.text()}`);
  return answer;
}

/** One registry; remembers which layer it put where, so that each is uploaded once and mounted elsewhere. */
export class ImageRegistry {
  readonly #base: string;
  readonly #home = new Map<string, string>();

  /** @param address e.g. `127.0.0.1:5000` */
  constructor(address: string) {
    this.#base = `http://${address}/v2`;
  }

  async push(image: SampleImage): Promise<void> {
    const { config, manifest } = documentsOf(image);
    for (const blob of [...image.layers, config]) await this.#upload(image.repository, blob);
    const headers = { 'content-type': types.manifest };
    await expectOk(
      await fetch(`${this.#base}/${image.repository}/manifests/${image.tag}`, { method: 'PUT', headers, body: manifest.content }),
      `manifest of ${image.repository}:${image.tag}`,
    );
  }

  async #upload(repository: string, blob: Layer): Promise<void> {
    const home = this.#home.get(blob.digest);
    if (home === repository) return;
    const from = home === undefined ? '' : `?mount=${blob.digest}&from=${home}`;
    const begun = await expectOk(
      await fetch(`${this.#base}/${repository}/blobs/uploads/${from}`, { method: 'POST' }),
      `upload to ${repository}`,
    );
    if (home === undefined) this.#home.set(blob.digest, repository);
    if (begun.status === 201) return;
    const location = new URL(begun.headers.get('location') ?? '', this.#base);
    location.searchParams.set('digest', blob.digest);
    await expectOk(
      await fetch(location, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: blob.content }),
      `layer of ${repository}`,
    );
  }
}
