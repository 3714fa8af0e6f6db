/** Pushes small images to the cluster's registry: OCI manifests of uncompressed layers, without an image tool. */
import { blobOf, manifestType, pushBlob, pushManifest, type Blob } from '../oci/registry.ts';

export interface SampleImage {
  /** Below the registry, e.g. `library/nginx`. */
  readonly repository: string;
  readonly tag: string;
  readonly layers: readonly Blob[];
  /** Precedes the command, and the `args` of a container that has no `command`. */
  readonly entrypoint?: readonly string[];
  readonly command: readonly string[];
  readonly env: readonly string[];
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const types = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Returns config and manifest of an image, the same bytes for the same image. */
export function documentsOf(
  image: SampleImage,
  architecture = architectures[process.arch] ?? process.arch,
): { readonly config: Blob; readonly manifest: Blob } {
  const config = blobOf(
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
  const descriptor = (mediaType: string, part: Blob): object => ({ mediaType, digest: part.digest, size: part.content.length });
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor(types.config, config),
    layers: image.layers.map((layer) => descriptor(types.layer, layer)),
  };
  return { config, manifest: blobOf(json(manifest)) };
}

/** One registry. It stores which layer is where, so that each is uploaded once and mounted elsewhere. */
export class ImageRegistry {
  readonly #base: string;
  readonly #home = new Map<string, string>();

  /** Creates a client. @param address e.g. `127.0.0.1:5000` */
  constructor(address: string) {
    this.#base = `http://${address}/v2`;
  }

  async push(image: SampleImage): Promise<void> {
    const { config, manifest } = documentsOf(image);
    const base = `${this.#base}/${image.repository}`;
    for (const blob of [...image.layers, config]) {
      await pushBlob(base, blob, this.#home.get(blob.digest));
      if (!this.#home.has(blob.digest)) this.#home.set(blob.digest, image.repository);
    }
    await pushManifest(base, image.tag, manifest);
  }
}
