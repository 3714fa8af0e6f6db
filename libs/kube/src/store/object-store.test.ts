import { describe, expect, it } from '@jest/globals';
import { configMaps, milliseconds, type ConfigMap } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import type { StoreEvent } from '../store.ts';
import { ObjectSharing } from './object-sharing.ts';
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
  const timeline: string[] = [];
  store.subscribe((event) => timeline.push(short(event)));
  const replace = async (version: number, items: readonly ConfigMap[]): Promise<void> => {
    const replacement = store.beginReplacement();
    for (const item of items) replacement.add(item);
    await replacement.finish(String(version), () => undefined);
  };
  return { store, timeline, replace, clock, logger };
}

const heldVersion = (store: ObjectStore<ConfigMap>, name = 'a'): string | undefined => store.get(key(name))?.metadata.resourceVersion;

describe('order', () => {
  it('applies newer states and drops equal and older ones', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ version: 9 }));
    store.observeWatched(aMap({ version: 10 }));
    store.observe(aMap({ version: 10 }));
    store.observeWatched(aMap({ version: 9 }));
    store.observe(aMap({ version: 8 }));
    expect(heldVersion(store)).toBe('10');
    expect(timeline).toEqual(['Added uid-a@9', 'Updated 9->uid-a@10']);
  });

  it('compares as numbers, beyond the precision of a float', () => {
    const { store } = aStore();
    store.observe(aMap({ version: '9007199254740993' }));
    store.observe(aMap({ version: '9007199254740992' }));
    expect(heldVersion(store)).toBe('9007199254740993');
  });

  it('applies the later arrival where versions are no numbers', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ version: 'abc' }));
    store.observe(aMap({ version: 'abb' }));
    expect(heldVersion(store)).toBe('abb');
    expect(timeline).toEqual(['Added uid-a@abc', 'Updated abc->uid-a@abb']);
  });

  it('reports another uid under the same name as Deleted, then Added', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
    expect(timeline).toEqual(['Added one@5', 'Deleted one@5', 'Added two@8']);
    expect(store.size).toBe(1);
  });

  it('drops late events of the object that had the name before', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
    store.observeWatched(aMap({ uid: 'one', version: 6 }));
    store.observeDeleted(aMap({ uid: 'one', version: 7 }));
    expect(store.get(key())?.metadata.uid).toBe('two');
    store.observeDeletion(key(), 'two', '9');
    store.observeWatched(aMap({ uid: 'one', version: 6 }));
    expect(store.get(key())).toBeUndefined();
    expect(timeline.at(-1)).toBe('Deleted two@8');
  });

  it('removes an older object when one that had its name after it is deleted', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observeDeleted(aMap({ uid: 'two', version: 9 }));
    expect(store.size).toBe(0);
    expect(timeline).toEqual(['Added one@5', 'Deleted one@5']);
  });

  it('identifies an object without uid by its name', () => {
    const { store, timeline } = aStore();
    const { uid: _none, ...metadata } = aMap({ version: 3 }).metadata;
    store.observe({ metadata });
    store.observe({ metadata: { ...metadata, resourceVersion: '4' } });
    store.observeDeleted({ metadata: { ...metadata, resourceVersion: '5' } });
    expect(timeline).toEqual(['Added @3', 'Updated 3->@4', 'Deleted @4']);
    expect(store.tombstones).toBe(0);
  });

  it('applies a newer state of a held object, however far the watch is', () => {
    const { store } = aStore();
    store.observe(aMap({ version: 5 }));
    store.advance('10');
    store.observe(aMap({ version: 8 }));
    expect(heldVersion(store)).toBe('8');
  });

  it('does not apply what the watch has passed already, and applies what is newer', () => {
    const { store } = aStore();
    store.advance('10');
    for (const version of [9, 10, 11]) store.observe(aMap({ name: `at-${version}`, version }));
    for (const version of [9, 10]) store.observeWatched(aMap({ name: `watched-${version}`, version }));
    expect(store.list().map((object) => object.metadata.name)).toEqual(['at-11']);
  });

  it('advances with the events of the watch, and not with own writes', () => {
    const { store } = aStore();
    store.observe(aMap({ version: 5 }));
    expect(store.resourceVersion).toBeUndefined();
    store.observeWatched(aMap({ version: 7 }));
    expect(store.resourceVersion).toBe('7');
    store.observeDeleted(aMap({ version: 9 }));
    expect(store.resourceVersion).toBe('9');
  });

  it('does not advance for an absent or older resourceVersion', () => {
    const { store } = aStore();
    store.advance('10');
    for (const version of [undefined, '', '9']) store.advance(version);
    expect(store.resourceVersion).toBe('10');
  });
});

describe('deletion', () => {
  it('by an own call blocks the late events of the object', () => {
    const { store, timeline } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '8');
    store.observeWatched(aMap({ version: 7 }));
    expect(store.get(key())).toBeUndefined();
    store.observeDeleted(aMap({ version: 8 }));
    expect(timeline).toEqual(['Added uid-a@5', 'Deleted uid-a@5']);
  });

  it('of unknown version blocks every event of that uid', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '');
    store.observeWatched(aMap({ version: 700 }));
    expect(store.size).toBe(0);
  });

  it('without uid removes the held object unless it is newer', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), undefined, '4');
    expect(store.size).toBe(1);
    store.observeDeletion(key(), undefined, '6');
    expect(store.size).toBe(0);
    store.observeWatched(aMap({ version: 5 }));
    expect(store.size).toBe(0);
  });

  it('of one uid keeps another object with the same name', () => {
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

  it('that only begins keeps the object as terminating, until it is removed', () => {
    const { store, timeline } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observe(aMap({ version: 6, terminating: true }));
    expect(store.get(key())?.metadata.deletionTimestamp).toBeDefined();
    store.observeDeleted(aMap({ version: 7, terminating: true }));
    expect(timeline).toEqual(['Added uid-a@5', 'Updated 5->uid-a@6', 'Deleted uid-a@6']);
  });

  it('does not bring back an object whose answer arrives after the watch has passed its creation and deletion', async () => {
    const { store, timeline, replace } = aStore();
    await replace(100, []);
    store.observeWatched(aMap({ version: 105 }));
    store.observeDeleted(aMap({ version: 107 }));
    store.observe(aMap({ version: 105 }));
    await replace(120, []);
    store.observe(aMap({ name: 'b', version: 110 }));
    expect(store.size).toBe(0);
    expect(timeline).toEqual(['Added uid-a@105', 'Deleted uid-a@105']);
  });

  it('lets an object return to a selection', () => {
    const { store, timeline } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeleted(aMap({ version: 6 }));
    store.observeWatched(aMap({ version: 9 }));
    expect(timeline).toEqual(['Added uid-a@5', 'Deleted uid-a@5', 'Added uid-a@9']);
  });

  describe('of an object that was not found', () => {
    const absent = () => {
      const all = aStore();
      all.store.observeWatched(aMap({ version: 5 }));
      all.store.observeAbsence(key(), 'uid-a');
      expect([all.store.size, all.store.tombstones]).toEqual([0, 1]);
      return all;
    };

    it('is undone by a newer state, and not by an earlier one', () => {
      const { store, timeline } = absent();
      store.observe(aMap({ version: 5 }));
      expect(store.size).toBe(0);
      store.observeWatched(aMap({ version: 6 }));
      expect(timeline).toEqual(['Added uid-a@5', 'Deleted uid-a@5', 'Added uid-a@6']);
    });

    it('is undone by a list that was requested afterwards, at the earlier state', async () => {
      const { store, replace } = absent();
      await replace(8, [aMap({ version: 5 })]);
      expect([heldVersion(store), store.tombstones]).toEqual(['5', 0]);
    });

    it('is not undone by a list that was requested before', async () => {
      const { store } = aStore();
      store.observeWatched(aMap({ version: 5 }));
      const replacement = store.beginReplacement();
      store.observeAbsence(key(), 'uid-a');
      replacement.add(aMap({ version: 5 }));
      await replacement.finish('8', () => undefined);
      expect(store.size).toBe(0);
    });

    it('keeps another object with its name', () => {
      const { store } = aStore();
      store.observeWatched(aMap({ uid: 'two', version: 9 }));
      store.observeAbsence(key(), 'one');
      store.observeAbsence(key('b'), 'one');
      expect([store.get(key())?.metadata.uid, store.tombstones]).toEqual(['two', 0]);
    });
  });

  it('of unknown version is undone by a list that was requested afterwards', async () => {
    const { store, replace } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeletion(key(), 'uid-a', '');
    await replace(8, [aMap({ version: 5 })]);
    expect(heldVersion(store)).toBe('5');
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

  it('is remembered for at most an hour when the watch never shows it', async () => {
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

describe('what is remembered of a deleted object', () => {
  type Store = ObjectStore<ConfigMap>;
  const replacedBy = (store: Store): void => {
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
    store.observeDeletion(key(), 'two', '9');
  };
  const deletedBeforeDeletion = (store: Store): void => {
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observeDeletion(key(), 'two', '8');
  };
  const deletedBeforeLateState = (store: Store): void => {
    store.observeDeletion(key(), 'two', '12');
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'two', version: 8 }));
  };
  const deletedByName = (store: Store): void => {
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observeDeletion(key(), undefined, '8');
  };
  const leftTheSelection = (store: Store): void => {
    store.observe(aMap({ uid: 'one', version: 5 }));
    store.observe(aMap({ uid: 'one', version: 8, labels: { in: 'no' } }));
  };

  it.each<{ name: string; steps: (store: Store) => void; tombstones: number }>([
    { name: 'that another one has replaced', steps: replacedBy, tombstones: 2 },
    { name: 'whose name another one had when that was deleted', steps: deletedBeforeDeletion, tombstones: 2 },
    { name: 'whose name another one had that was deleted since', steps: deletedBeforeLateState, tombstones: 2 },
    { name: 'that was deleted only by its name', steps: deletedByName, tombstones: 1 },
    { name: 'that an own write removed from the selection', steps: leftTheSelection, tombstones: 1 },
  ])('blocks late states of one $name, until the watch has passed them', async ({ steps, tombstones }) => {
    const { store, clock } = aStore({ selects: (object) => object.metadata.labels?.['in'] !== 'no' });
    steps(store);
    expect([store.size, store.tombstones]).toEqual([0, tombstones]);
    await clock.step(6 * 60_000);
    store.advance('4');
    expect(store.tombstones).toBe(tombstones);
    for (const version of [6, 7]) store.observe(aMap({ uid: 'one', version }));
    expect([store.size, store.tombstones]).toEqual([0, tombstones]);
    await clock.step(60_000);
    store.advance('20');
    expect(store.tombstones).toBe(0);
  });

  it.each([{ steps: replacedBy }, { steps: deletedBeforeDeletion }, { steps: deletedByName }, { steps: leftTheSelection }])(
    'is dropped for a newer state ($steps.name)',
    ({ steps }) => {
      const { store } = aStore({ selects: (object) => object.metadata.labels?.['in'] !== 'no' });
      steps(store);
      store.observe(aMap({ uid: 'one', version: 900 }));
      expect(heldVersion(store)).toBe('900');
    },
  );

  it('reports the older object that had the name', () => {
    const { store, timeline } = aStore();
    deletedBeforeLateState(store);
    expect(timeline).toEqual(['Added one@5', 'Deleted one@5']);
  });

  it('is nothing for objects without uid', () => {
    const { uid: _none, ...metadata } = aMap({ version: 3 }).metadata;
    const at = (version: string, labels?: Record<string, string>): ConfigMap => ({
      metadata: { ...metadata, resourceVersion: version, ...(labels === undefined ? {} : { labels }) },
    });
    const { store, timeline } = aStore({ selects: (object) => object.metadata.labels?.['in'] !== 'no' });
    store.observe(at('3'));
    // Which write removed it is unknown; the watch will show it.
    store.observe(at('4', { in: 'no' }));
    expect(store.size).toBe(1);
    store.observeDeletion(key(), undefined, '5');
    store.observe(at('6'));
    store.observe(aMap({ uid: 'one', version: 7 }));
    store.observeDeletion(key(), 'one', '8');
    store.observe(at('9'));
    store.observeDeletion(key(), 'two', '10');
    expect(timeline).toEqual([
      'Added @3',
      'Deleted @3',
      'Added @6',
      'Deleted @6',
      'Added one@7',
      'Deleted one@7',
      'Added @9',
      'Deleted @9',
    ]);
    expect(store.tombstones).toBe(2);
  });

  it('is what the watch shows of one that was never held, for five minutes even where versions are no numbers', async () => {
    const { store, clock } = aStore();
    store.observeDeleted(aMap({ version: 'abc' }));
    expect(store.tombstones).toBe(1);
    await clock.step(6 * 60_000);
    store.advance('abd');
    expect(store.tombstones).toBe(0);
  });

  it('is not needed for a repeated event: the watch has passed it', async () => {
    const { store, clock } = aStore();
    store.observeWatched(aMap({ version: 5 }));
    store.observeDeleted(aMap({ version: 7 }));
    await clock.step(6 * 60_000);
    store.advance('8');
    expect(store.tombstones).toBe(0);
    store.observeWatched(aMap({ version: 5 }));
    expect(store.size).toBe(0);
  });
});

describe('a complete list', () => {
  it('reports missed creations, changes and deletions', async () => {
    const { store, timeline, replace } = aStore();
    await replace(10, [aMap({ name: 'a', version: 1 }), aMap({ name: 'b', version: 2 })]);
    expect(store.synced).toBe(true);
    await replace(20, [aMap({ name: 'b', version: 15 }), aMap({ name: 'c', version: 16 })]);
    expect(timeline).toEqual(['Added uid-a@1', 'Added uid-b@2', 'Updated 2->uid-b@15', 'Added uid-c@16', 'Deleted uid-a@1']);
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

  it('does not bring back an object that an own call deleted after the list was made', async () => {
    const { store, replace } = aStore();
    await replace(10, [aMap({ version: 5 })]);
    store.observeDeletion(key(), 'uid-a', '12');
    await replace(11, [aMap({ version: 5 })]);
    expect(store.size).toBe(0);
  });

  it('that is abandoned in the middle removes nothing', () => {
    const { store } = aStore();
    store.observeWatched(aMap({ name: 'kept', version: 5 }));
    store.beginReplacement().add(aMap({ name: 'b', version: 6 }));
    expect(store.list({ sorted: true }).map((object) => object.metadata.name)).toEqual(['b', 'kept']);
    expect(store.synced).toBe(false);
  });

  it('after a restore from an older backup replaces everything', async () => {
    const { store, timeline, replace } = aStore();
    await replace(100, [aMap({ version: 90 }), aMap({ name: 'b', version: 95 })]);
    expect(store.beginReplacement().isRewound('60')).toBe(true);
    const replacement = store.beginReplacement({ rewound: true });
    replacement.add(aMap({ version: 50 }));
    expect(replacement.isRewound('60')).toBe(false);
    await replacement.finish('60', () => undefined);
    expect(store.resourceVersion).toBe('60');
    expect(timeline.slice(2)).toEqual(['Updated 90->uid-a@50', 'Deleted uid-b@95']);
  });

  it('after a restore from an older backup reports only states that differ, and forgets deletions', async () => {
    const { store, timeline, replace } = aStore();
    await replace(
      100,
      ['same', 'other', 'again'].map((name) => aMap({ name, version: 90 })),
    );
    store.observeDeletion(key('gone'), 'uid-gone', '95');
    const before = store.get(key('same'));
    const replacement = store.beginReplacement({ rewound: true });
    expect(store.tombstones).toBe(0);
    replacement.add(aMap({ name: 'same', version: 90 }));
    replacement.add(aMap({ name: 'other', uid: 'another', version: 90 }));
    replacement.add(aMap({ name: 'again', version: 91 }));
    const { uid: _none, ...metadata } = aMap({ name: 'new', version: 40 }).metadata;
    replacement.add({ metadata });
    await replacement.finish('95', () => undefined);
    expect(store.get(key('same'))).toBe(before);
    expect(timeline.slice(3)).toEqual(['Deleted uid-other@90', 'Added another@90', 'Updated 90->uid-again@91', 'Added @40']);
    store.observeWatched(aMap({ name: 'gone', version: 96 }));
    expect(heldVersion(store, 'gone')).toBe('96');
  });

  it('removes what was deleted while it arrived', async () => {
    const { store } = aStore();
    const replacement = store.beginReplacement();
    replacement.add(aMap({ version: 5 }));
    replacement.remove(aMap({ version: 6 }));
    expect([store.size, store.tombstones]).toEqual([0, 1]);
    await replacement.finish('7', () => undefined);
    expect(store.size).toBe(0);
  });

  it.each<{ name: string; late: ConfigMap }>([
    { name: 'one already removed', late: aMap({ name: 'a', version: 8 }) },
    { name: 'one about to be removed', late: aMap({ name: 'b', version: 8 }) },
    { name: 'one that had the name of another', late: aMap({ name: 'b', uid: 'another', version: 8 }) },
    { name: 'one that had the name of another that is listed', late: aMap({ name: 'listed', uid: 'another', version: 8 }) },
    { name: 'one never seen', late: aMap({ name: 'c', version: 8 }) },
  ])('keeps out what it lacks while removals pause, although an earlier own write is answered then: $name', async ({ late }) => {
    const { store } = aStore();
    for (const name of ['a', 'b', 'listed']) store.observe(aMap({ name, version: 5 }));
    const replacement = store.beginReplacement();
    replacement.add(aMap({ name: 'listed', version: 9 }));
    let answered = false;
    await replacement.finish('10', () => {
      if (!answered) store.observe(late);
      answered = true;
      return undefined;
    });
    expect(answered).toBe(true);
    expect(store.list().map(({ metadata }) => `${metadata.uid ?? ''}@${metadata.resourceVersion ?? ''}`)).toEqual(['uid-listed@9']);
  });

  it('keeps what an own write has renewed while it was compared', async () => {
    const { store } = aStore();
    for (const name of ['a', 'b']) store.observe(aMap({ name, version: 5 }));
    await store.beginReplacement().finish('10', () => {
      if (heldVersion(store, 'b') === '5') store.observe(aMap({ name: 'b', version: 11 }));
      return undefined;
    });
    expect(store.list().map((object) => object.metadata.name)).toEqual(['b']);
  });
});

describe('listeners', () => {
  it('receive existing objects first, as initial', async () => {
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

  it('receive only later changes on request', () => {
    const { store } = aStore();
    store.observe(aMap({ version: 1 }));
    const heard: string[] = [];
    store.subscribe((event) => heard.push(short(event)), { replay: false });
    store.observe(aMap({ version: 2 }));
    expect(heard).toEqual(['Updated 1->uid-a@2']);
  });

  it('that fail do not keep the others from receiving events', () => {
    const { store, timeline, logger } = aStore();
    store.subscribe(() => {
      throw new Error('broken');
    });
    store.subscribe((event) => timeline.push(`second ${short(event)}`));
    store.observe(aMap());
    expect(timeline).toEqual(['Added uid-a@1', 'second Added uid-a@1']);
    expect(logger.lines).toEqual([
      { level: 'error', fields: { kind: 'ConfigMap', error: new Error('broken') }, message: 'A store listener failed' },
    ]);
  });

  it('receive one order, also of changes that a listener causes', () => {
    const { store } = aStore();
    const heard: string[] = [];
    store.subscribe((event) => {
      if (event.kind === 'Added') store.observe(aMap({ version: 2 }));
    });
    store.subscribe((event) => heard.push(short(event)));
    store.observe(aMap({ version: 1 }));
    expect(heard).toEqual(['Added uid-a@1', 'Updated 1->uid-a@2']);
  });

  it('receive an object again only while it is current', () => {
    const { store, timeline } = aStore();
    store.observe(aMap({ version: 1 }));
    const [before] = store.list();
    store.observe(aMap({ version: 2 }));
    const [now] = store.list();
    if (before !== undefined) store.tellAgain(before);
    if (now !== undefined) store.tellAgain(now);
    expect(timeline.slice(2)).toEqual(['Updated 2->uid-a@2']);
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
    expect(names(store.byIndex({ name: 'app' }, 'x', { sorted: true }))).toEqual(['a', 'b']);
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

  it('builds an index over held objects, once', () => {
    const { store } = aStore();
    store.observe(aMap({ labels: { app: 'x' } }));
    store.addIndex('app', app);
    store.addIndex('app', app);
    expect(store.byIndex('app', 'x')).toHaveLength(1);
    expect(() => store.addIndex('app', () => [])).toThrow(/registered already/);
    expect(() => store.byIndex('none', 'x')).toThrow(/not registered/);
  });

  it('omits an object that an index function cannot read from that index', () => {
    const broken = (object: ConfigMap): readonly string[] => {
      if (object.metadata.name === 'a') throw new Error('unexpected');
      return ['all'];
    };
    const { store, logger } = aStore({ indexes: { broken } });
    store.observe(aMap());
    store.observe(aMap({ version: 2 }));
    store.observe(aMap({ name: 'b' }));
    expect(store.byIndex('broken', 'all')).toHaveLength(1);
    expect(logger.lines).toEqual([
      {
        level: 'error',
        fields: { kind: 'ConfigMap', index: 'broken', object: key(), error: new Error('unexpected') },
        message: 'An index function failed',
      },
    ]);
  });

  it('returns frozen objects', () => {
    const { store } = aStore();
    store.observe(aMap({ labels: { app: 'x' } }));
    const held = store.get(key());
    expect([held, held?.metadata, held?.metadata.labels].every((part) => Object.isFrozen(part))).toBe(true);
  });
});

describe('a held object', () => {
  it('never has managedFields', () => {
    const { store } = aStore();
    const object = aMap();
    store.observe({ ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'x' }] } as ConfigMap['metadata'] });
    expect(store.get(key())?.metadata).toEqual(object.metadata);
  });

  it('is trimmed on request', () => {
    const { store } = aStore({ trim: (object) => ({ ...object, data: {} }) });
    store.observe({ ...aMap(), data: { big: 'x'.repeat(100) } });
    expect(store.get(key())?.data).toEqual({});
  });

  it('is one that the store selects: an own write that makes an object leave the selection removes it, another brings it back', () => {
    const { store, timeline } = aStore({ selects: (object) => object.metadata.labels?.['in'] === 'yes' });
    store.observe(aMap({ version: 1, labels: { in: 'yes' } }));
    store.observe(aMap({ version: 2 }));
    store.observeWatched(aMap({ version: 1, labels: { in: 'yes' } }));
    expect(store.size).toBe(0);
    store.observe(aMap({ version: 4, labels: { in: 'yes' } }));
    store.observeDeleted(aMap({ version: 2 }));
    expect(heldVersion(store)).toBe('4');
    expect(timeline).toEqual(['Added uid-a@1', 'Deleted uid-a@1', 'Added uid-a@4']);
  });

  it('stays unchanged when nothing is known', () => {
    const { store } = aStore({ clock: { monotonic: () => milliseconds(0) } });
    store.advance(undefined);
    store.advance('');
    expect(store.resourceVersion).toBeUndefined();
    store.observeDeletion(key(), undefined, '');
    expect(store.tombstones).toBe(0);
  });
});

describe('the table of shared parts', () => {
  /** Too long to be remembered, so that only a comparison finds it again. */
  const data = (): { readonly part: string } => ({ part: 'x'.repeat(3000) });
  const withData = (given: Given, owner?: string): ConfigMap => {
    const { metadata } = aMap(given);
    return { metadata: owner === undefined ? metadata : ({ ...metadata, ownerReferences: [{ uid: owner }] } as never), data: data() };
  };

  it('counts the held objects', async () => {
    const changes: number[] = [];
    class Counting extends ObjectSharing {
      override hold(change: number): void {
        changes.push(change);
      }
    }
    const { store, replace } = aStore({ sharing: new Counting() });
    store.observe(aMap({ version: 1 }));
    store.observe(aMap({ version: 2 }));
    expect(changes).toEqual([1]);
    store.observe(aMap({ uid: 'another', version: 3 }));
    expect(changes).toEqual([1, -1, 1]);
    await replace(5, []);
    expect(changes).toEqual([1, -1, 1, -1]);
  });

  it('uses the earlier version, and the object that was added last while that is held', () => {
    const { store } = aStore();
    const part = (name = 'a'): object | undefined => store.get(key(name))?.data;
    store.observe(withData({ version: 1 }, 'o'));
    const first = part();
    store.observe(withData({ name: 'other', version: 1 }));
    store.observe(withData({ version: 2 }, 'o'));
    expect(part()).toBe(first);
    store.observe(withData({ name: 'b', version: 1 }, 'o'));
    expect(part('b')).toBe(first);
    store.observeDeletion(key('other'), 'uid-other', '');
    store.observe(withData({ name: 'c', version: 1 }, 'o'));
    expect(part('c')).toBe(first);
    store.observeDeletion(key('c'), 'uid-c', '');
    store.observe(withData({ name: 'd', version: 1 }, 'o'));
    expect(part('d')).not.toBe(first);
    expect(part('d')).toEqual(first);
  });
});
