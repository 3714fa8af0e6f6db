import { afterEach, describe, expect, it } from '@jest/globals';
import { configMaps, pods, secrets, type ConfigMap, type Secret } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { CachingClient } from './caching-client.ts';
import { parseFieldSelector } from './field-selector.ts';
import { Informers } from './informers.ts';

const aMap = (name: string, labels: Record<string, string> = {}): ConfigMap => ({ metadata: { name, namespace: 'ns', labels } });

const running: AbortController[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.abort();
});

function aSetting() {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const stop = new AbortController();
  running.push(stop);
  return { api, informers, stop, clock };
}

describe('informers', () => {
  it('keep one store and one watch for each kind and scope, however often it is requested', async () => {
    const { api, informers, stop } = aSetting();
    const byApp = (object: ConfigMap): string[] => [object.metadata.labels?.['app'] ?? ''];
    const store = informers.store(configMaps);
    expect(informers.store(configMaps, { indexes: { byApp } })).toBe(store);
    expect(informers.store(configMaps, { namespace: 'ns' })).not.toBe(store);
    api.seed(configMaps, aMap('a', { app: 'x' }));
    const ended = informers.run(stop.signal);
    await informers.waitForSync(stop.signal);
    expect(store.byIndex('byApp', 'x')).toHaveLength(1);
    expect(api.calls.filter(({ verb }) => verb === 'watch')).toHaveLength(2);
    expect(informers.storesOf('v1', 'ConfigMap')).toHaveLength(2);
    expect(informers.storesOf('v1', 'Secret')).toEqual([]);
    stop.abort();
    await ended;
  });

  it('start what is requested while they run, and end together', async () => {
    const { api, informers, stop } = aSetting();
    const ended = informers.run(stop.signal);
    const store = informers.store(configMaps, { labelSelector: 'app=x' });
    api.seed(configMaps, aMap('a', { app: 'x' }));
    api.seed(configMaps, aMap('b', { app: 'y' }));
    await informers.waitForSync(stop.signal);
    expect(store.size).toBe(1);
    await expect(informers.run(stop.signal)).rejects.toThrow('running already');
    stop.abort();
    await ended;
  });

  it('hold only the metadata on request, also of what own writes return, in a separate store', async () => {
    const { api, informers, stop } = aSetting();
    const secret = (name: string): Secret => ({ metadata: { name, namespace: 'ns', labels: { a: name } }, type: 'x', data: { a: 'e30=' } });
    const scope = { fieldSelector: 'type=x' };
    const trim = ({ metadata: { labels: _labels, ...metadata }, ...rest }: Secret): Secret => ({ ...rest, metadata });
    const [part, whole] = [informers.store(secrets, { ...scope, part: 'Metadata', trim }), informers.store(secrets, scope)];
    api.seed(secrets, secret('a'));
    const ended = informers.run(stop.signal);
    await informers.waitForSync(stop.signal);
    expect(part.list()).toMatchObject([{ kind: 'Secret', metadata: { name: 'a' } }]);
    expect(JSON.stringify(part.list())).not.toContain('labels');
    expect(whole.list()[0]?.data).toEqual({ a: 'e30=' });
    const made = await new CachingClient(api, informers).create(secrets, secret('b'));
    expect(made.data).toEqual({ a: 'e30=' });
    expect(part.list()).toHaveLength(2);
    expect(JSON.stringify(part.list())).not.toContain('e30=');
    stop.abort();
    await ended;
  });

  it('refuse selectors that cannot be parsed, and two ways to trim one store', () => {
    const { informers } = aSetting();
    expect(() => informers.store(configMaps, { labelSelector: 'a in' })).toThrow(/label selector/);
    expect(() => informers.store(configMaps, { fieldSelector: 'a' })).toThrow(/field selector/);
    informers.store(pods, { trim: (pod) => pod });
    expect(() => informers.store(pods, { trim: (pod) => ({ ...pod }) })).toThrow(/trim/);
    expect(() => informers.store(pods)).not.toThrow();
  });
});

describe('a field selector', () => {
  it.each([
    { text: 'spec.nodeName=n1', holds: true },
    { text: 'spec.nodeName==n1,metadata.name!=b', holds: true },
    { text: 'spec.nodeName!=n1', holds: false },
    { text: 'spec.nodeName=n1,metadata.name=b', holds: false },
    { text: 'spec.hostNetwork=true', holds: true },
    { text: 'status.phase=', holds: true },
    { text: 'status.phase!=Failed', holds: true },
    { text: '', holds: true },
  ])('$text is $holds', ({ text, holds }) => {
    const pod = { metadata: { name: 'a' }, spec: { nodeName: 'n1', hostNetwork: true, containers: [] } };
    expect(parseFieldSelector(text)(pod)).toBe(holds);
  });
});
