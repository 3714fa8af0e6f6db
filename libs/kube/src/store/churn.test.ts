/** Memory over churn: what leaves the store leaves the process, including the tables of shared parts and the tombstones. */
import { expect, it } from '@jest/globals';
import { configMaps, keyOf, type ConfigMap } from '@kruise/objects';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeClock } from '../clock/fake-clock.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { ObjectSharing } from './object-sharing.ts';
import { ObjectStore } from './object-store.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const heapMB = (): number => {
  collect();
  return process.memoryUsage().heapUsed / (1024 * 1024);
};

/** About 4 KB of data, a tenth of which is shared with the 100 objects of the same template. */
const anObject = (round: number, at: number, version: number): ConfigMap => {
  const template = `${round}-${Math.floor(at / 100)}`;
  const own = Object.fromEntries(Array.from({ length: 36 }, (_, part) => [`key-${part}`, `${round}-${at}-${part}-${'x'.repeat(90)}`]));
  const metadata = {
    name: `o-${round}-${at}`,
    namespace: 'ns',
    uid: `u-${round}-${at}`,
    resourceVersion: String(version),
    labels: { template },
  };
  return { metadata, data: { ...own, shared: `${template} ${'y'.repeat(200)}` } };
};

it('does not grow over churn', async () => {
  const clock = new FakeClock();
  const sharing = new ObjectSharing();
  const store = new ObjectStore<ConfigMap>({
    type: configMaps,
    clock,
    logger: silentLogger(),
    sharing,
    indexes: { template: (object) => [object.metadata.labels?.['template'] ?? ''] },
  });
  let version = 0;
  const heaps: number[] = [];
  const objects = 600;
  for (let round = 0; round < 8; round++) {
    const before = store.list();
    for (let at = 0; at < objects; at++) store.observeWatched(anObject(round, at, ++version));
    for (const object of before) {
      store.observeDeletion(keyOf(object), object.metadata.uid, String(++version));
      store.observeDeleted({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    }
    await clock.step(5 * 60_000);
    expect(store.size).toBe(objects);
    expect(store.tombstones).toBeLessThanOrEqual(2 * objects);
    heaps.push(heapMB());
  }
  const [settled = 0] = heaps.slice(2);
  expect(heaps.at(-1)).toBeLessThan(settled + 2);
  expect(store.byIndex('template', '0-1')).toStrictEqual([]);
  expect(sharing.slots).toBe(1 << 12);
  for (let at = 0; at < 2049; at++) store.observeWatched(anObject(8, at, ++version));
  expect(sharing.slots).toBe(1 << 14);
}, 120_000);
