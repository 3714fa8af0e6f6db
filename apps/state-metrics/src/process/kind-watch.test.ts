import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError, ObjectSharing } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger, type SilentLogger } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { resourceKinds } from '../families/all-kinds.ts';
import { isKept } from '../sharding/shard-of.ts';
import { exposition } from './exposition.ts';
import { KindWatch } from './kind-watch.ts';

const kindOf = (resource: string) => resourceKinds.find((one) => one.resource === resource)!;
const alone = { shard: 0, totalShards: 1 };
const group = '/apis/apps.kruise.io';

const notFound = (): ApiError => new ApiError('not served', { kind: 'NotFound' }, { code: 404 });
const forbidden = (): ApiError => new ApiError('no right', { kind: 'Forbidden' }, { code: 403 });

class Fixture {
  readonly clock = new FakeClock();
  readonly api = new FakeApi({ clock: this.clock });
  readonly calls: string[] = [];
  readonly lines: SilentLogger['lines'] = [];
  readonly stop = new AbortController();
  readonly watch: KindWatch;
  readonly type: ResourceType;
  #running: Promise<void>[] = [];

  constructor(resource = 'clonesets', namespaces: readonly string[] = []) {
    const kind = kindOf(resource);
    this.type = kind.types[0]!;
    const logger = silentLogger({}, this.lines);
    this.watch = new KindWatch(
      { kind, allowed: { labels: [], annotations: [] } },
      {
        client: this.api,
        clock: this.clock,
        logger,
        sharing: new ObjectSharing(),
        namespaces,
        useCache: false,
        recorderOf: (goType) => ({
          listed: (result) => void this.calls.push(`list ${goType} ${result}`),
          watched: (result) => void this.calls.push(`watch ${goType} ${result}`),
        }),
      },
    );
  }

  serve(...versions: readonly string[]): void {
    for (const version of ['v1alpha1', 'v1beta1'])
      if (versions.includes(version)) this.api.rawAnswers.set(`${group}/${version}`, { resources: [{ name: this.type.plural }] });
      else this.api.rawAnswers.delete(`${group}/${version}`);
  }

  async run(sharding = alone, signal = this.stop.signal): Promise<void> {
    this.#running.push(this.watch.run(sharding, signal));
    await this.settle();
  }

  settle(): Promise<void> {
    return this.clock.settle();
  }

  put(name: string, replicas: number, namespace = 'n'): KubeObject {
    const object = { metadata: { name, ...(this.type.namespaced ? { namespace } : {}) }, spec: { replicas } };
    return this.api.seed(this.type, object);
  }

  /** `namespace/name=replicas` of each object. */
  seen(): readonly string[] {
    const at = this.watch.families.findIndex(({ name }) => name.endsWith('_spec_replicas'));
    return [...this.watch.objects()].map(
      ({ metadata, texts }) => `${metadata.namespace}/${metadata.name}=${texts[at]!.trim().split(' ').at(-1)}`,
    );
  }

  text(): string {
    return [...exposition([{ families: this.watch.families, objects: () => this.watch.objects() }])].join('');
  }

  async end(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.#running);
  }
}

const open: Fixture[] = [];
function fixture(...args: ConstructorParameters<typeof Fixture>): Fixture {
  const made = new Fixture(...args);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});

describe('the watch of a kind', () => {
  it('has the objects as they are, and no longer when they are deleted; headers stay', async () => {
    const given = fixture();
    given.serve('v1alpha1', 'v1beta1');
    given.put('a', 1);
    await given.run();
    expect(given.seen()).toEqual(['n/a=1']);
    given.put('a', 2);
    given.put('b', 3);
    await given.settle();
    expect(given.seen()).toEqual(['n/a=2', 'n/b=3']);
    await given.api.delete(given.type, { namespace: 'n', name: 'a' });
    await given.api.delete(given.type, { namespace: 'n', name: 'b' });
    await given.settle();
    expect(given.seen()).toEqual([]);
    expect(given.text().match(/^# TYPE kruise_cloneset_\w+ gauge$/gm)).toHaveLength(given.watch.families.length);
    expect(given.text()).not.toMatch(/^kruise/m);
  });

  it('keeps no more of an object than its texts', async () => {
    const given = fixture();
    given.serve('v1alpha1');
    given.put('a', 1);
    await given.run();
    const [object] = [...given.watch.objects()];
    expect(Object.keys(object!)).toEqual(['metadata', 'texts']);
    expect(Object.keys(object!.metadata).sort()).toEqual(['name', 'namespace', 'resourceVersion', 'uid']);
  });

  it('reads the version that is served, and counts lists and watches under its Go type', async () => {
    const given = fixture();
    given.serve('v1beta1');
    given.put('a', 1);
    await given.run();
    given.put('a', 2);
    await given.settle();
    expect(given.seen()).toEqual(['n/a=2']);
    expect(given.calls).toEqual(['list *v1beta1.CloneSet success', 'watch *v1beta1.CloneSet success']);
  });

  it('looks for a kind that is not installed every minute, and says so once', async () => {
    const given = fixture();
    given.put('a', 1);
    await given.run();
    await given.clock.step(180_000);
    expect(given.seen()).toEqual([]);
    expect(given.lines.map(({ message }) => message)).toEqual(['Kind is not installed; checking again every minute']);
    given.serve('v1alpha1');
    await given.clock.step(60_000);
    expect(given.seen()).toEqual(['n/a=1']);
  });

  it('forgets the objects of a kind that is uninstalled, and finds those of one that is installed again', async () => {
    const given = fixture();
    given.serve('v1alpha1');
    given.put('a', 1);
    await given.run();
    given.serve();
    given.api.faults.before = ({ verb }) => {
      if (verb === 'list' || verb === 'watch') throw notFound();
    };
    given.api.endWatches();
    await given.clock.step(10_000);
    expect(given.seen()).toEqual([]);
    delete given.api.faults.before;
    given.serve('v1alpha1');
    await given.clock.step(60_000);
    expect(given.seen()).toEqual(['n/a=1']);
  });

  it('keeps what it knows while the API server refuses lists and watches, and counts errors', async () => {
    const given = fixture();
    given.serve('v1alpha1');
    given.put('a', 1);
    await given.run();
    given.api.faults.before = ({ verb }) => {
      if (verb === 'list' || verb === 'watch') throw forbidden();
    };
    given.api.endWatches();
    await given.clock.step(120_000);
    expect(given.seen()).toEqual(['n/a=1']);
    expect(given.calls).toContain('watch *v1alpha1.CloneSet error');
    expect(given.calls).toContain('list *v1alpha1.CloneSet error');
  });

  it('lists each namespace of --namespaces, and a kind without namespaces once', async () => {
    const given = fixture('clonesets', ['n', 'm']);
    given.serve('v1alpha1');
    for (const namespace of ['n', 'm', 'other']) given.put('a', 1, namespace);
    await given.run();
    expect(given.seen()).toEqual(['n/a=1', 'm/a=1']);
    const cluster = fixture('sidecarsets', ['n', 'm']);
    cluster.serve('v1alpha1');
    cluster.put('s', 1);
    await cluster.run();
    expect([...cluster.watch.objects()].map(({ metadata }) => metadata.name)).toEqual(['s']);
  });

  it('has the objects of its shard, those of a new shard once they are listed', async () => {
    const given = fixture();
    given.serve('v1alpha1');
    const names = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const uids = new Map(names.map((name) => [name, given.put(name, 1).metadata.uid ?? '']));
    const first = new AbortController();
    await given.run({ shard: 1, totalShards: 2 }, first.signal);
    const kept = (shard: number, totalShards: number) =>
      names
        .filter((name) => isKept(uids.get(name)!, { shard, totalShards }))
        .map((name) => `n/${name}=1`)
        .sort();
    expect(given.seen().toSorted()).toEqual(kept(1, 2));
    first.abort();
    given.api.faults.before = ({ verb }) => (verb === 'list' ? held.promise : undefined);
    const held = Promise.withResolvers<void>();
    await given.run({ shard: 0, totalShards: 3 });
    expect(given.seen().toSorted()).toEqual(kept(1, 2));
    held.resolve();
    await given.settle();
    expect(given.seen().toSorted()).toEqual(kept(0, 3));
    for (const name of names) given.put(name, 2);
    await given.settle();
    expect(given.seen().toSorted()).toEqual(kept(0, 3).map((text) => text.replace('=1', '=2')));
  });
});
