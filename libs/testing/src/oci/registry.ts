/** The part of a registry's API that pushes an image: OCI distribution over HTTP, without an image tool. Anonymous. */
import { createHash } from 'node:crypto';

/** Content with its digest, e.g. `sha256:…`. */
export interface Blob {
  readonly digest: string;
  readonly content: Uint8Array;
}

/** The media type of an OCI image manifest. */
export const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** Returns the sha256 digest of content in its OCI form, `sha256:<hex>`. */
export const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
/** Returns content with the digest that names it in a registry. */
export const blobOf = <T extends Uint8Array>(content: T): { readonly digest: string; readonly content: T } => ({
  digest: digestOf(content),
  content,
});

/** Sends a request. @throws with the message of the registry or the network */
async function ask(what: string, url: string | URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((error: unknown) => {
    // fetch itself only reports that it failed; the cause contains why
    const { cause } = error as { readonly cause?: { readonly message?: string } };
    throw new Error(`${what}: ${cause?.message ?? String(error)}`);
  });
  if (!answer.ok && answer.status !== 404) throw new Error(`${what}: HTTP ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return answer;
}

function expectFound(what: string, answer: Response): Response {
  if (answer.status === 404) throw new Error(`${what}: HTTP 404`);
  return answer;
}

const binary = { 'content-type': 'application/octet-stream' };

/**
 * Pushes a blob.
 *
 * @param base of the repository, e.g. `http://127.0.0.1:5000/v2/library/nginx`
 * @param from another repository of this registry that has the blob already
 * @returns whether it had to be sent
 */
export async function pushBlob(base: string, { digest, content }: Blob, from?: string): Promise<boolean> {
  const present = await ask(`look for ${digest}`, `${base}/blobs/${digest}`, { method: 'HEAD' });
  if (present.ok) return false;
  const begin = `start of upload to ${base}`;
  const mount = from === undefined ? '' : `?mount=${digest}&from=${from}`;
  const begun = expectFound(begin, await ask(begin, `${base}/blobs/uploads/${mount}`, { method: 'POST' }));
  if (begun.status === 201) return false;
  const location = new URL(begun.headers.get('location') ?? '', base);
  location.searchParams.set('digest', digest);
  const send = `upload of ${digest}`;
  expectFound(send, await ask(send, location, { method: 'PUT', headers: binary, body: new Uint8Array(content) }));
  return true;
}

/**
 * Puts a manifest or an index, whose parts exist already, under a name.
 *
 * @param name a tag, or the digest of the manifest
 * @param mediaType of the content
 */
export async function pushManifest(base: string, name: string, { content }: Blob, mediaType = manifestType): Promise<void> {
  const what = `manifest of ${base.replace(/^.*\/v2\//, '')}:${name}`;
  const init = { method: 'PUT', headers: { 'content-type': mediaType }, body: new Uint8Array(content) };
  expectFound(what, await ask(what, `${base}/manifests/${name}`, init));
}
