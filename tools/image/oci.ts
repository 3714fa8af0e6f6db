/** An OCI image as documents and blobs, and as a layout on disk or an archive. The same bytes for the same content. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { blobOf, digestOf, manifestType, tar, withParents, type TarEntry } from '@kruise/testing';

export interface Blob {
  readonly digest: string;
  readonly content: Buffer;
}

export interface Layer {
  /** Of the archive before compression. */
  readonly diffId: string;
  readonly blob: Blob;
  readonly what: string;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly env: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface Image {
  readonly layers: readonly Layer[];
  readonly config: Blob;
  readonly manifest: Blob;
}

const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/** What every time in the image says. */
const epoch = '1970-01-01T00:00:00Z';

const jsonBlob = (value: unknown): Blob => blobOf(Buffer.from(JSON.stringify(value)));
const hexOf = (digest: string): string => digest.slice('sha256:'.length);

/**
 * Packs the entries, with all folders above them.
 *
 * @param cache folder that keeps compressed layers under their diffId, because compressing takes seconds; other layers in it are left alone
 */
export function layerOf(what: string, entries: readonly TarEntry[], cache: string): Layer {
  const archive = tar(withParents(entries));
  const diffId = digestOf(archive);
  const file = join(cache, `${hexOf(diffId)}.tar.gz`);
  if (existsSync(file)) return { what, diffId, blob: blobOf(readFileSync(file)) };
  const content = gzipSync(archive, { level: 9 });
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, content);
  return { what, diffId, blob: blobOf(content) };
}

export function imageOf(layers: readonly Layer[], config: ImageConfig): Image {
  const configBlob = jsonBlob({
    created: epoch,
    architecture: config.architecture,
    os: 'linux',
    config: { User: config.user, Env: config.env, Entrypoint: config.entrypoint, WorkingDir: '/', Labels: config.labels },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ what }) => ({ created: epoch, created_by: what })),
  });
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: mediaTypes.config, digest: configBlob.digest, size: configBlob.content.length },
    layers: layers.map(({ blob }) => ({ mediaType: mediaTypes.layer, digest: blob.digest, size: blob.content.length })),
    annotations: config.labels,
  });
  return { layers, config: configBlob, manifest };
}

export const blobsOf = (image: Image): readonly Blob[] => [...image.layers.map(({ blob }) => blob), image.config, image.manifest];

export interface PlatformImage {
  readonly image: Image;
  readonly architecture: string;
}

/** What a name in a registry refers to: the manifest of one image, or the index of the images of several platforms. */
export interface Artifact {
  readonly images: readonly PlatformImage[];
  readonly top: Blob;
  readonly mediaType: string;
}

const descriptorOf = ({ image: { manifest }, architecture }: PlatformImage): object => ({
  mediaType: manifestType,
  digest: manifest.digest,
  size: manifest.content.length,
  platform: { architecture, os: 'linux' },
});

/** @param images one for each platform, at least one; an index lists them in this order */
export function artifactOf(images: readonly PlatformImage[]): Artifact {
  const [only, second] = images;
  if (only !== undefined && second === undefined) return { images, top: only.image.manifest, mediaType: manifestType };
  const top = jsonBlob({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: images.map(descriptorOf) });
  return { images, top, mediaType: mediaTypes.index };
}

/** The files of the layout, by path. @param name full reference such as `docker.io/a/b:tag`, under which `ctr images import` stores it */
function layoutFiles({ images, top, mediaType }: Artifact, name: string): ReadonlyMap<string, Buffer> {
  const [only, second] = images;
  const descriptor = {
    ...(only !== undefined && second === undefined ? descriptorOf(only) : { mediaType, digest: top.digest, size: top.content.length }),
    annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1) },
  };
  const blobs = [...images.flatMap(({ image }) => blobsOf(image)), top];
  return new Map([
    ['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
    ['index.json', Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [descriptor] }))],
    ...blobs.map(({ digest, content }): [string, Buffer] => [`blobs/sha256/${hexOf(digest)}`, content]),
  ]);
}

/** Writes the layout into `folder`, which holds nothing else afterwards, and the same as one archive beside it (`<folder>.tar`). */
export function writeLayout(artifact: Artifact, at: { readonly folder: string; readonly name: string }): void {
  const files = layoutFiles(artifact, at.name);
  rmSync(at.folder, { recursive: true, force: true });
  mkdirSync(join(at.folder, 'blobs/sha256'), { recursive: true });
  for (const [path, content] of files) writeFileSync(join(at.folder, path), content);
  writeFileSync(`${at.folder}.tar`, tar([...files].map(([path, content]): TarEntry => ({ kind: 'file', path, content }))));
}
