import { expect, it } from '@jest/globals';
import { nodeImages, type NodeImage } from '@kruise/api';
import { FakeApi } from '@kruise/kube/testing';
import { aNodeImage, aTag } from '@kruise/kinds/images/builders.testing';
import { patchNodeImage, type NodeImagePart } from './patch-node-image.ts';

const key = { namespace: '', name: 'n1' };
const { signal } = new AbortController();

async function heldIn(api: FakeApi, labels: Readonly<Record<string, string>> | undefined): Promise<NodeImage> {
  const { metadata, ...rest } = aNodeImage({ images: { nginx: { tags: [aTag()] } } });
  return api.create(nodeImages, { ...rest, metadata: { name: metadata.name, ...(labels === undefined ? {} : { labels }) } });
}
const writePart = (api: FakeApi, before: NodeImage, after: NodeImage, part: NodeImagePart): Promise<NodeImage> =>
  patchNodeImage(api, { before, after, part }, signal);

it('writes the labels and the spec, without the status', async () => {
  const api = new FakeApi();
  const before = await heldIn(api, { a: '1', gone: 'x' });
  const spec = { images: { redis: { tags: [aTag()] } } };
  const after: NodeImage = { ...before, metadata: { ...before.metadata, labels: { a: '2' } }, spec, status: { desired: 9 } };
  await writePart(api, before, after, 'spec');
  expect(api.peek(nodeImages, key)).toMatchObject({ metadata: { labels: { a: '2' } }, spec });
  expect(api.peek(nodeImages, key)?.metadata.labels).toEqual({ a: '2' });
  expect(api.peek(nodeImages, key)?.spec).toEqual(spec);
  expect(api.peek(nodeImages, key)?.status).toBeUndefined();
});

it('writes the first labels, and takes the last away', async () => {
  const api = new FakeApi();
  const before = await heldIn(api, undefined);
  const labelled = await writePart(api, before, { ...before, metadata: { ...before.metadata, labels: { a: '1' } } }, 'spec');
  expect(labelled.metadata.labels).toEqual({ a: '1' });
  const bare = await writePart(api, labelled, { ...labelled, metadata: { ...labelled.metadata, labels: {} } }, 'spec');
  expect(bare.metadata.labels ?? {}).toEqual({});
});

it('writes the status alone, where there was one and where there was none', async () => {
  const api = new FakeApi();
  const before = await heldIn(api, { a: '1' });
  const changed: NodeImage = {
    ...before,
    metadata: { ...before.metadata, labels: { a: '2' } },
    spec: {},
    status: { desired: 1, failed: 1 },
  };
  const first = await writePart(api, before, changed, 'status');
  expect(first).toMatchObject({ metadata: { labels: { a: '1' } }, spec: before.spec, status: { desired: 1, failed: 1 } });
  const second = await writePart(api, first, { ...first, status: { desired: 2 } }, 'status');
  expect(second.status).toEqual({ desired: 2 });
});

it('conflicts when another client has written since', async () => {
  const api = new FakeApi();
  const before = await heldIn(api, {});
  const first = await writePart(api, before, { ...before, spec: {} }, 'spec');
  await expect(writePart(api, before, { ...before, status: { desired: 1 } }, 'status')).rejects.toMatchObject({
    failure: { kind: 'Conflict' },
  });
  expect(api.peek(nodeImages, key)).toEqual(first);
});
