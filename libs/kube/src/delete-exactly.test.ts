import { describe, expect, it } from '@jest/globals';
import { configMaps } from '@kruise/objects';
import { deleteExactly, deleteUnchanged } from './delete-exactly.ts';
import { FakeApi } from './testing/fake-api.ts';

const key = { namespace: 'ns', name: 'a' };

describe('an object is deleted', () => {
  it('when it is the one that was seen', async () => {
    const api = new FakeApi();
    const seen = await api.create(configMaps, { metadata: key });
    await deleteExactly(api, configMaps, seen);
    expect(api.peek(configMaps, key)).toBeUndefined();
    await deleteExactly(api, configMaps, seen);
  });

  it('not when another one has its name by now', async () => {
    const api = new FakeApi();
    const seen = await api.create(configMaps, { metadata: key });
    await api.delete(configMaps, key);
    await api.create(configMaps, { metadata: key });
    await expect(deleteExactly(api, configMaps, seen)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    expect(api.peek(configMaps, key)).toBeDefined();
  });

  it('not when it changed, if that is requested', async () => {
    const api = new FakeApi();
    const seen = await api.create(configMaps, { metadata: key });
    await api.patch(configMaps, key, { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    await expect(deleteUnchanged(api, configMaps, seen)).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    await deleteExactly(api, configMaps, seen);
    expect(api.peek(configMaps, key)).toBeUndefined();
  });
});
