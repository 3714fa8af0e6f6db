/** Another image of the same programs, as a new version has one: it has its own tag and digest, and nodes pull it. */
import { blobOf, manifestType, pushBlob, pushManifest } from '@kruise/testing';

interface Manifest {
  readonly config: { readonly digest: string; readonly size: number };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

async function read(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { accept: manifestType } });
  if (!answer.ok) throw new Error(`${url}: HTTP ${answer.status}`);
  return answer.json();
}

/**
 * Pushes the image `HOST/REPOSITORY:TAG` of a registry without TLS again, under another tag and with one label more.
 *
 * @returns the new tag
 */
export async function pushNextImage(image: string): Promise<string> {
  const [, registry = '', repository = '', tag = ''] = /^([^/]+)\/(.+):([^:]+)$/.exec(image) ?? [];
  const [base, next] = [`http://${registry}/v2/${repository}`, `${tag}-next`];
  const manifest = (await read(`${base}/manifests/${tag}`)) as Manifest;
  const { config, ...rest } = (await read(`${base}/blobs/${manifest.config.digest}`)) as { readonly config: { readonly Labels?: object } };
  const changed = blobOf(json({ ...rest, config: { ...config, Labels: { ...config.Labels, 'org.opencontainers.image.revision': next } } }));
  await pushBlob(base, changed);
  const described = { ...manifest.config, digest: changed.digest, size: changed.content.length };
  await pushManifest(base, next, blobOf(json({ ...manifest, config: described })));
  return next;
}
