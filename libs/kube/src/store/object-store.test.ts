import { describe, expect, it } from '@jest/globals';
import { configMaps, milliseconds, type ConfigMap } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import type { StoreEvent } from '../store.ts';
import { ObjectStore, type ObjectStoreOptions } from './object-store.ts';

interface Given {
  readonly name?: string;
  readonly uid?: string;
  readonly version?: number | string;
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly terminating?: boolean;
}

const aMap = ({ name = 'a', uid = `uid-${name}`, version = 1, labels, namespace = 'ns', terminating = false }: Given = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace,
    uid,
    resourceVersion: String(version),
    ...(labels === undefined ? {} : { labels }),
    ...(terminating ? { deletionTimestamp: '2025-01-01T00:00:00Z', finalizers: ['x'] } : {}),
  },
});

const key = (name = 'a', namespace = 'ns') => ({ namespace, name });

const short = (event: StoreEvent<ConfigMap>): string => {
  const { uid, resourceVersion } = event.object.metadata;
  const of = `${uid ?? ''}@${resourceVersion ?? ''}`;
  return event.kind === 'Updated' ? `Updated ${event.previous.metadata.resourceVersion ?? ''}->${of}` : `${event.kind} ${of}`;
};

function aStore(options: Partial<ObjectStoreOptions<ConfigMap>> = {}) {
  const clock = new FakeClock();
  const logger = silentLogger();
  const store = new ObjectStore<ConfigMap>({ type: configMaps, clock, logger, ...options });
  const story: string[] = [];
  store.subscribe((event) => story.push(short(event)));
  const replace = async (version: number, items: readonly ConfigMap[]): Promise<void> => {
    const replacement = store.beginReplacement();
    for (const item of items) replacement.add(item);
    await replacement.finish(String(version), () => undefined);
  };
  return { store, story, replace, clock, logger };
}

const heldVersion = (store: ObjectStore<ConfigMap>, name = 'a'): string | undefined => store.get(key(name))?.metadata.resourceVersion;

describe('order', () => {
  it('takes newer states and drops equal and older ones', () => {
    const { store, story } = aStore();
    store.observe(aMap({ version: 9 }));
    store.observeWatched(aMap({ version: 10 }));
    store.observe(aMap({ version: 10 }));
    store.observeWatched(aMap({ version: 9 }));
    store.observe(aMap({ version: 8 }));
    expect(heldVersion(store)).toBe('10');
    expect(story).toEqual(['Added uid-a@9', 'Updated 9->uid-a@10']);
  });

  it('compares as numbers, beyond what a float can tell apart', () => {
    const { store } = aStore();
    store.observe(aMap({ version: '9007199254740993' }));
    store.observe(aMap({ version: '9007199254740992' }));
    expect(heldVersion(store)).toBe('9007199254740993');
  });

  it('takes the later arrival where versions are no numbers', () => {
    const { store, story } = aStore();
    store.observe(aMap({ version: 'abc' }));
    store.observe(aMap({ version: 'abb' }));
    expect(heldVersion(store)).toBe('abb');
    expect(story).toEqual(['Added uid-a@abc', 'Updated abc->uid-a@abb']);
  });

  it('tells of another uid under the same name as Deleted, then Added', () => {
    const { store, story } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
    expect(story).toEqual(['Added one@5', 'Deleted one@5', 'Added two@8']);
    expect(store.size).toBe(1);
  });

  it('drops late events of the object that had the name before', () => {
    const { store, story } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
    store.observeWatched(aMap({ uid: 'one', version: 6 }));
    store.observeDeleted(aMap({ uid: 'one', version: 7 }));
    expect(store.get(key())?.metadata.uid).toBe('two');
    store.observeDeletion(key(), 'two', '9');
    store.observeWatched(aMap({ uid: 'one', version: 6 }));
    expect(store.get(key())).toBeUndefined();
    expect(story.at(-1)).toBe('Deleted two@8');
  });

  it('gives up an older object when one that had its name after it is deleted', () => {
    const { store, story } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observeDeleted(aMap({ uid: 'two', version: 9 }));
    expect(store.size).toBe(0);
    expect(story).toEqual(['Added one@5', 'Deleted one@5']);
  });

  it('keeps an object without uid by its name', () => {
    const { store, story } = aStore();
    const { uid: _none, ...metadata } = aMap({ version: 3 }).metadata;
    store.observe({ metadata });
    store.observe({ metadata: { ...metadata, resourceVersion: '4' } });
    store.observeDeleted({ metadata: { ...metadata, resourceVersion: '5' } });
    expect(story).toEqual(['Added @3', 'Updated 3->@4', 'Deleted @4']);
  });
});

describe('deletion', () => {
  it('by an own call stops the late events of the object', () => {
    const { store, story } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '8');
    store.observeWatched(aMap({ version: 7 }));
    expect(store.get(key())).toBeUndefined();
    store.observeDeleted(aMap({ version: 8 }));
    expect(story).toEqual(['Added uid-a@5', 'Deleted uid-a@5']);
  });

  it('of unknown version stops everything of that uid', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '');
    store.observeWatched(aMap({ version: 700 }));
    expect(store.size).toBe(0);
  });

  it('without uid takes what is held unless it is newer', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), undefined, '4');
    expect(store.size).toBe(1);
    store.observeDeletion(key(), undefined, '6');
    expect(store.size).toBe(0);
    store.observeWatched(aMap({ version: 5 }));
    expect(store.size).toBe(0);
  });

  it('of one uid leaves another of the same name alone', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ uid: 'two', version: 9 }));
    store.observeDeletion(key(), 'one', '');
    expect(store.get(key())?.metadata.uid).toBe('two');
  });

  it('that is older than a state from an own write is dropped', () => {
    const { store } = aStore();
    store.observe(aMap({ version: 12 }));
    store.observeDeleted(aMap({ version: 10 }));
    expect(heldVersion(store)).toBe('12');
  });

  it('that only begins leaves the object as terminating, until it is gone', () => {
    const { store, story } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observe(aMap({ version: 6, terminating: true }));
    expect(store.get(key())?.metadata.deletionTimestamp).toBeDefined();
    store.observeDeleted(aMap({ version: 7, terminating: true }));
    expect(story).toEqual(['Added uid-a@5', 'Updated 5->uid-a@6', 'Deleted uid-a@6']);
  });

  it('does not bring back an object whose answer arrives after the watch has passed its creation and deletion', async () => {
    const { store, story, replace } = aStore();
    await replace(100, []);
    store.observeWatched(aMap({ version: 105 }));
    store.observeDeleted(aMap({ version: 107 }));
    store.observe(aMap({ version: 105 }));
    await replace(120, []);
    store.observe(aMap({ name: 'b', version: 110 }));
    expect(store.size).toBe(0);
    expect(story).toEqual(['Added uid-a@105', 'Deleted uid-a@105']);
  });

  it('lets an object come back into a selection', () => {
    const { store, story } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeleted(aMap({ version: 6 }));
    store.observeWatched(aMap({ version: 9 }));
    expect(story).toEqual(['Added uid-a@5', 'Deleted uid-a@5', 'Added uid-a@9']);
  });

  it('is remembered for five minutes after the watch has shown it', async () => {
    const { store, clock } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '8');
    expect(store.tombstones).toBe(1);
    await clock.step(4 * 60_000);
    store.advance('9');
    expect(store.tombstones).toBe(1);
    await clock.step(2 * 60_000);
    store.advance('10');
    expect(store.tombstones).toBe(0);
  });

  it('is remembered for an hour at most when the watch never shows it', async () => {
    const { store, clock } = aStore();
    store.observeDeletion(key(), 'uid-a', '8');
    await clock.step(59 * 60_000);
    store.observeDeletion(key('b'), 'uid-b', '8');
    expect(store.tombstones).toBe(2);
    await clock.step(2 * 60_000);
    store.observeDeletion(key('c'), 'uid-c', '8');
    expect(store.tombstones).toBe(2);
  });
});

describe('a complete list', () => {
  it('tells of missed creations, changes and deletions', async () => {
    const { store, story, replace } = aStore();
    await replace(10, [aMap({ name: 'a', version: 1 }), aMap({ name: 'b', version: 2 })]);
    expect(store.synced).toBe(true);
    await replace(20, [aMap({ name: 'b', version: 15 }), aMap({ name: 'c', version: 16 })]);
    expect(story).toEqual(['Added uid-a@1', 'Added uid-b@2', 'Updated 2->uid-b@15', 'Added uid-c@16', 'Deleted uid-a@1']);
  });

  it('keeps own writes that are newer than it, present or absent', async () => {
    const { store, replace } = aStore();
    await replace(10, [aMap({ version: 1 })]);
    store.observe(aMap({ version: 25 }));
    store.observe(aMap({ name: 'new', version: 26 }));
    await replace(20, [aMap({ version: 15 })]);
    expect(heldVersion(store)).toBe('25');
    expect(heldVersion(store, 'new')).toBe('26');
    await replace(30, []);
    expect(store.size).toBe(0);
  });

  it('does not bring back what an own call deleted after it was made', async () => {
    const { store, replace } = aStore();
    await replace(10, [aMap({ version: 5 })]);
    store.observeDeletion(key(), 'uid-a', '12');
    await replace(11, [aMap({ version: 5 })]);
    expect(store.size).toBe(0);
  });

  it('that is given up in the middle removes nothing', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ name: 'kept', version: 5 }));
    store.beginReplacement().add(aMap({ name: 'b', version: 6 }));
    expect(store.list({ sorted: true }).map((object) => object.metadata.name)).toEqual(['b', 'kept']);
    expect(store.synced).toBe(false);
  });

  it('after the history was set back counts alone', async () => {
    const { store, story, replace } = aStore();
    await replace(100, [aMap({ version: 90 }), aMap({ name: 'b', version: 95 })]);
    expect(store.beginReplacement().isRewound('60')).toBe(true);
    const replacement = store.beginReplacement({ rewound: true });
    replacement.add(aMap({ version: 50 }));
    expect(replacement.isRewound('60')).toBe(false);
    await replacement.finish('60', () => undefined);
    expect(store.resourceVersion).toBe('60');
    expect(story.slice(2)).toEqual(['Updated 90->uid-a@50', 'Deleted uid-b@95']);
  });
});

describe('listeners', () => {
  it('hear of what is there first, as initial', async () => {
    const { store, replace } = aStore();
    await replace(10, [aMap({ version: 1 })]);
    const heard: StoreEvent<ConfigMap>[] = [];
    const end = store.subscribe((event) => heard.push(event));
    store.observeWatched(aMap({ name: 'b', version: 11 }));
    end();
    store.observeWatched(aMap({ name: 'c', version: 12 }));
    expect(heard.map((event) => [event.kind, event.kind === 'Added' && event.initial])).toEqual([
      ['Added', true],
      ['Added', false],
    ]);
  });

  it('that fail do not keep the others from hearing', () => {
    const { store, story, logger } = aStore();
    store.subscribe(() => {
      throw new Error('broken');
    });
    store.subscribe((event) => story.push(`second ${short(event)}`));
    store.observe(aMap());
    expect(story).toEqual(['Added uid-a@1', 'second Added uid-a@1']);
    expect(logger.lines).toHaveLength(1);
  });

  it('hear in one order, also of what a listener causes', () => {
    const { store } = aStore();
    const heard: string[] = [];
    store.subscribe((event) => {
      if (event.kind === 'Added') store.observe(aMap({ version: 2 }));
    });
    store.subscribe((event) => heard.push(short(event)));
    store.observe(aMap({ version: 1 }));
    expect(heard).toEqual(['Added uid-a@1', 'Updated 1->uid-a@2']);
  });

  it('are told again of an object only while it is current', () => {
    const { store, story } = aStore();
    store.observe(aMap({ version: 1 }));
    const [before] = store.list();
    store.observe(aMap({ version: 2 }));
    const [now] = store.list();
    if (before !== undefined) store.tellAgain(before);
    if (now !== undefined) store.tellAgain(now);
    expect(story.slice(2)).toEqual(['Updated 2->uid-a@2']);
  });
});

describe('reading', () => {
  const app = (object: ConfigMap): readonly string[] =>
    object.metadata.labels?.['app'] === undefined ? [] : [object.metadata.labels['app']];

  it('finds by index, in a namespace and with a selector', () => {
    const { store } = aStore({ indexes: { app } });
    store.observe(aMap({ name: 'a', version: 1, labels: { app: 'x', tier: 'one' } }));
    store.observe(aMap({ name: 'b', version: 2, labels: { app: 'x' }, namespace: 'other' }));
    store.observe(aMap({ name: 'c', version: 3 }));
    const names = (objects: readonly ConfigMap[]): string[] => objects.map((object) => object.metadata.name);
    expect(names(store.byIndex('app', 'x', { sorted: true }))).toEqual(['a', 'b']);
    expect(names(store.byIndex('app', 'x', { namespace: 'other' }))).toEqual(['b']);
    expect(names(store.byIndex('app', 'x', { selector: (labels) => labels['tier'] === 'one' }))).toEqual(['a']);
    expect(names(store.list({ namespace: 'ns', sorted: true }))).toEqual(['a', 'c']);
    expect(store.byIndex('app', 'y')).toEqual([]);
  });

  it('moves an object to its new index values', () => {
    const { store } = aStore({ indexes: { app } });
    store.observe(aMap({ version: 1, labels: { app: 'x' } }));
    store.observe(aMap({ version: 2, labels: { app: 'y' } }));
    expect(store.byIndex('app', 'x')).toEqual([]);
    expect(store.byIndex('app', 'y')).toHaveLength(1);
    store.observeDeletion(key(), 'uid-a', '3');
    expect(store.byIndex('app', 'y')).toEqual([]);
  });

  it('builds an index over what is held already, once', () => {
    const { store } = aStore();
    store.observe(aMap({ labels: { app: 'x' } }));
    store.addIndex('app', app);
    store.addIndex('app', app);
    expect(store.byIndex('app', 'x')).toHaveLength(1);
    expect(() => store.addIndex('app', () => [])).toThrow(/registered already/);
    expect(() => store.byIndex('none', 'x')).toThrow(/not registered/);
  });

  it('leaves an object that an index function cannot read out of that index', () => {
    const broken = (object: ConfigMap): readonly string[] => {
      if (object.metadata.name === 'a') throw new Error('unexpected');
      return ['all'];
    };
    const { store, logger } = aStore({ indexes: { broken } });
    store.observe(aMap());
    store.observe(aMap({ version: 2 }));
    store.observe(aMap({ name: 'b' }));
    expect(store.byIndex('broken', 'all')).toHaveLength(1);
    expect(logger.lines).toHaveLength(1);
  });

  it('gives frozen objects', () => {
    const { store } = aStore();
    store.observe(aMap({ labels: { app: 'x' } }));
    const held = store.get(key());
    expect([held, held?.metadata, held?.metadata.labels].every((part) => Object.isFrozen(part))).toBe(true);
  });
});

describe('what is held', () => {
  it('never has managedFields', () => {
    const { store } = aStore();
    const object = aMap();
    store.observe({ ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'x' }] } as ConfigMap['metadata'] });
    expect(store.get(key())?.metadata).toEqual(object.metadata);
  });

  it('is trimmed when asked for', () => {
    const { store } = aStore({ trim: (object) => ({ ...object, data: {} }) });
    store.observe({ ...aMap(), data: { big: 'x'.repeat(100) } });
    expect(store.get(key())?.data).toEqual({});
  });

  it('is what the store selects: an own write that takes an object out of the selection removes it, another brings it back', () => {
    const { store, story } = aStore({ selects: (object) => object.metadata.labels?.['in'] === 'yes' });
    store.observe(aMap({ version: 1, labels: { in: 'yes' } }));
    store.observe(aMap({ version: 2 }));
    store.observeWatched(aMap({ version: 1, labels: { in: 'yes' } }));
    expect(store.size).toBe(0);
    store.observe(aMap({ version: 4, labels: { in: 'yes' } }));
    store.observeDeleted(aMap({ version: 2 }));
    expect(heldVersion(store)).toBe('4');
    expect(story).toEqual(['Added uid-a@1', 'Deleted uid-a@1', 'Added uid-a@4']);
  });

  it('stays as it is when nothing is known', () => {
    const { store } = aStore({ clock: { monotonic: () => milliseconds(0) } });
    store.advance(undefined);
    store.advance('');
    expect(store.resourceVersion).toBeUndefined();
    store.observeDeletion(key(), undefined, '');
    expect(store.tombstones).toBe(0);
  });
});
