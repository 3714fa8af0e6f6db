import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { artifactOf, blobsOf, imageOf, layerOf } from './oci.ts';
import { parseReference, push } from './registry.ts';

describe('a reference', () => {
  it.each([
    ['127.0.0.1:5000/openkruise/kruise-manager:v1', { registry: '127.0.0.1:5000', repository: 'openkruise/kruise-manager', tag: 'v1' }],
    ['localhost/a:latest', { registry: 'localhost', repository: 'a', tag: 'latest' }],
    ['[::1]:5000/a/b_c:1', { registry: '[::1]:5000', repository: 'a/b_c', tag: '1' }],
    ['a/b', undefined],
    ['127.0.0.1:5000/A:v1', undefined],
    ['127.0.0.1:5000/a:', undefined],
  ])('%s', (text, parsed) => {
    expect(parseReference(text)).toEqual(parsed);
  });
});

describe('pushing', () => {
  let server: Server;
  let stored: Map<string, Buffer>;
  /** Media types by path. */
  let types: Map<string, string>;
  let refuse: string | undefined;
  beforeEach(async () => {
    stored = new Map();
    types = new Map();
    refuse = undefined;
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://registry');
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        if (refuse !== undefined && url.pathname.includes(refuse)) return response.writeHead(500).end('no space left');
        if (request.method === 'HEAD') return response.writeHead(stored.has(url.pathname.split('/').at(-1) ?? '') ? 200 : 404).end();
        if (request.method === 'POST') return response.writeHead(202, { location: '/v2/a/blobs/uploads/1?state=x' }).end();
        types.set(url.pathname, request.headers['content-type'] ?? '');
        stored.set(url.searchParams.get('digest') ?? url.pathname, Buffer.concat(parts));
        return response.writeHead(201).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void server.close());

  const config = { architecture: 'amd64', user: '1', entrypoint: [], env: [], labels: {} };
  const image = imageOf([layerOf('x', [{ kind: 'file', path: 'x', content: Buffer.from('x') }], join(tmpdir(), 'registry-test'))], config);
  const only = artifactOf([{ image, architecture: 'amd64' }]);
  const to = (): { registry: string; repository: string; tag: string } => ({
    registry: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    repository: 'a',
    tag: 'v1',
  });

  it('stores every blob and the manifest under its tag; a second time only the manifest is sent', async () => {
    const sent = await push(only, to());
    expect(sent).toBe(blobsOf(image).reduce((sum, { content }) => sum + content.length, 0));
    for (const { digest, content } of blobsOf(image).slice(0, -1)) expect(stored.get(digest)).toEqual(content);
    expect(stored.get('/v2/a/manifests/v1')).toEqual(image.manifest.content);
    expect(await push(only, to())).toBe(image.manifest.content.length);
  });

  it('stores the manifests of several platforms under their digests, and the index under the tag', async () => {
    const other = imageOf(image.layers, { ...config, architecture: 'arm64' });
    const both = artifactOf([
      { image, architecture: 'amd64' },
      { image: other, architecture: 'arm64' },
    ]);
    const blobs = new Set([...blobsOf(image), ...blobsOf(other), both.top]);
    expect(await push(both, to())).toBe([...blobs].reduce((sum, { content }) => sum + content.length, 0));
    expect(types.get('/v2/a/manifests/v1')).toBe('application/vnd.oci.image.index.v1+json');
    for (const { manifest } of [image, other]) {
      expect(stored.get(`/v2/a/manifests/${manifest.digest}`)).toEqual(manifest.content);
      expect(types.get(`/v2/a/manifests/${manifest.digest}`)).toBe('application/vnd.oci.image.manifest.v1+json');
    }
    expect(stored.get('/v2/a/manifests/v1')).toEqual(both.top.content);
  });

  it('fails with what the registry said, or that there is none', async () => {
    refuse = 'manifests';
    await expect(push(only, to())).rejects.toThrow('manifest of a:v1: HTTP 500 no space left');
    const deleted = to();
    server.close();
    server.closeAllConnections();
    await expect(push(only, deleted)).rejects.toThrow('ECONNREFUSED');
  });
});
