import { describe, expect, it } from '@jest/globals';
import { instant, namespaces, pods, type Pod } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from './fake-api.ts';
import { Timeline } from './timeline.ts';

const key = { namespace: 'default', name: 'a' };
const aPod = (labels: Readonly<Record<string, string>>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...key, labels },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
});

function fixtureOf(): { readonly clock: FakeClock; readonly api: FakeApi; readonly timeline: Timeline } {
  const clock = new FakeClock(instant(0));
  const api = new FakeApi({ clock });
  const timeline = new Timeline(clock);
  timeline.recordWrites(api);
  return { clock, api, timeline };
}

describe('a timeline', () => {
  it('records each write with its time and what it changed, and neither reads nor seeded objects', async () => {
    const { clock, api, timeline } = fixtureOf();
    api.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    await api.create(pods, aPod({ app: 'web' }));
    await clock.step(1500);
    await api.get(pods, key);
    timeline.note('the user relabels');
    await api.patch(pods, key, { metadata: { labels: { app: 'db' } } }, { type: 'merge' });
    await api.delete(pods, key);
    expect(timeline.text.split('\n')).toEqual([
      '   0.0s create Pod default/a',
      '          add /metadata/namespace "default"',
      '          add /metadata/name "a"',
      '          add /metadata/labels {"app":"web"}',
      '          add /spec {"containers":[{"image":"app:1","name":"main"}]}',
      '--- the user relabels',
      '   1.5s patch Pod default/a',
      '          replace /metadata/labels/app "db"',
      '   1.5s delete Pod default/a',
      '',
    ]);
  });

  it('records a write that changes nothing, and a refused one with the reason', async () => {
    const { api, timeline } = fixtureOf();
    const held = api.seed(pods, aPod({}));
    await api.update(pods, held);
    await expect(api.create(pods, aPod({}))).rejects.toMatchObject({ failure: { kind: 'AlreadyExists' } });
    expect(timeline.text).toBe('   0.0s update Pod default/a\n   0.0s create Pod default/a: AlreadyExists\n');
  });

  it('does not record a write that never arrived', async () => {
    const { api, timeline } = fixtureOf();
    const connection = api.connect('manager', {
      before: () => {
        throw new Error('lost');
      },
    });
    await expect(connection.create(pods, aPod({}))).rejects.toThrow('lost');
    expect(timeline.text).toBe('\n');
  });
});
