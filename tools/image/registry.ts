/** Pushes an image to a registry without an image tool. Anonymous: registries that want credentials take the archive through other tools. */
import { blobsOf, manifestType, type Blob, type Image } from './oci.ts';

export interface Reference {
  /** `host[:port]`. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

/** `127.0.0.1:5000/openkruise/kruise-manager:v1`; undefined when there is no registry, repository or tag in it. */
export function parseReference(text: string): Reference | undefined {
  const match = /^([a-zA-Z0-9.-]+(?::\d+)?|\[[0-9a-fA-F:]+\](?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*):([\w][\w.-]{0,127})$/.exec(text);
  const [, registry, repository, tag] = match ?? [];
  return registry === undefined || repository === undefined || tag === undefined ? undefined : { registry, repository, tag };
}

const isLocal = (registry: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);

/** Plain HTTP to this machine, HTTPS to every other. */
const baseOf = ({ registry, repository }: Reference): string => `${isLocal(registry) ? 'http' : 'https'}://${registry}/v2/${repository}`;

async function ask(what: string, url: string | URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((error: unknown) => {
    // fetch itself only says that it failed; why stands in the cause
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

/** @returns whether it had to be sent */
async function pushBlob(base: string, { digest, content }: Blob): Promise<boolean> {
  const present = await ask(`look for ${digest}`, `${base}/blobs/${digest}`, { method: 'HEAD' });
  if (present.ok) return false;
  const begin = `start of upload to ${base}`;
  const begun = expectFound(begin, await ask(begin, `${base}/blobs/uploads/`, { method: 'POST' }));
  const location = new URL(begun.headers.get('location') ?? '', base);
  location.searchParams.set('digest', digest);
  const send = `upload of ${digest}`;
  expectFound(
    send,
    await ask(send, location, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array(content) }),
  );
  return true;
}

/** @returns bytes that had to be sent: blobs that the registry has already are not */
export async function push(image: Image, to: Reference): Promise<number> {
  const base = baseOf(to);
  let sent = 0;
  for (const blob of blobsOf(image)) {
    if (blob === image.manifest) continue;
    if (await pushBlob(base, blob)) sent += blob.content.length;
  }
  const what = `manifest of ${to.repository}:${to.tag}`;
  const init = { method: 'PUT', headers: { 'content-type': manifestType }, body: new Uint8Array(image.manifest.content) };
  expectFound(what, await ask(what, `${base}/manifests/${to.tag}`, init));
  return sent + image.manifest.content.length;
}
