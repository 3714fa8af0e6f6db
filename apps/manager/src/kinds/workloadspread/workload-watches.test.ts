import { describe, expect, it } from '@jest/globals';
import { cloneSets, workloadSpreads } from '@kruise/api';
import { Informers, type Request } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { jobs, type ResourceType } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { builtInStatefulSets, deployments, replicaSets } from '@kruise/workloads';
import { aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';
import { watchTargets } from './workload-watches.ts';

const namespace = 'default';

/** The watches and enqueued keys of an API server in memory. */
class Watched {
  readonly api = new FakeApi();
  readonly taken: { readonly name: string; readonly initial: boolean }[] = [];
  readonly failed: string[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;
  isFaulty = false;
  isSynced = false;
  /** Before anything was read. */
  wasSyncedTooEarly = false;

  async start(served: (type: ResourceType) => boolean = () => true): Promise<void> {
    const informers = new Informers({ client: this.api, clock: new FakeClock(), logger: silentLogger() });
    const caches = new Caches(informers, '');
    const watch = watchTargets(caches.of(workloadSpreads), caches, {
      toRequests: ({ object: { metadata } }): readonly Request[] => {
        if (this.isFaulty) throw new Error('a fault');
        return metadata.name === 'of-nobody' ? [] : [{ namespace, name: metadata.name }];
      },
      isServed: served,
    });
    const synced = watch.waitForSync(this.#stop.signal).then(() => (this.isSynced = true));
    await new Promise(setImmediate);
    this.wasSyncedTooEarly = this.isSynced;
    this.#running = informers.run(this.#stop.signal);
    await synced;
    this.#end = watch.start(
      (requests, initial) =>
        this.taken.push(...requests.map((request) => ({ name: 'key' in request ? request.key.name : request.name, initial }))),
      (_error, object) => this.failed.push(object?.metadata.name ?? ''),
    );
  }

  seed({ group, version, kind }: ResourceType, name: string): void {
    const targetRef = { apiVersion: `${group}/${version}`, kind, name: 'web' };
    const { uid: _uid, ...metadata } = aSpread([]).metadata;
    this.api.seed(workloadSpreads, { ...aSpread([aSubset('a')], { targetRef }), metadata: { ...metadata, name } });
  }

  workload(type: ResourceType, name: string): void {
    this.api.seed(type, { metadata: { namespace, name } });
  }

  get kinds(): readonly string[] {
    const kinds = this.api.calls.filter(({ verb }) => verb === 'watch').map(({ type }) => type?.kind ?? '');
    return [...new Set(kinds)].filter((kind) => kind !== 'WorkloadSpread').toSorted();
  }

  end(): void {
    this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

describe('kinds of workloads', () => {
  it('are watched that are spread when the manager starts, each once, and the kind between a Deployment and its Pods', async () => {
    await using watched = new Watched();
    watched.seed(deployments, 'one');
    watched.seed(cloneSets, 'two');
    watched.seed(cloneSets, 'three');
    await watched.start();
    await eventually(() => watched.kinds.length === 3);
    expect(watched.kinds).toEqual(['CloneSet', 'Deployment', 'ReplicaSet']);
    watched.workload(cloneSets, 'web');
    await eventually(() => watched.taken.length > 0);
    watched.workload(replicaSets, 'web-1');
    await eventually(() => watched.taken.some(({ name }) => name === 'web-1'));
    expect(watched.taken.map(({ name }) => name)).toEqual(['web', 'web-1']);
  });

  it('are watched from the first WorkloadSpread that is for one, and not before', async () => {
    await using watched = new Watched();
    await watched.start();
    watched.seed({ ...cloneSets, kind: 'GameSet', group: 'game.example.com' }, 'game');
    watched.seed(jobs, 'job');
    await eventually(() => watched.kinds.length === 1);
    watched.seed(builtInStatefulSets, 'set');
    await eventually(() => watched.kinds.length === 2);
    expect(watched.kinds).toEqual(['Job', 'StatefulSet']);
    watched.workload(builtInStatefulSets, 'of-nobody');
    watched.workload(builtInStatefulSets, 'db');
    await eventually(() => watched.taken.length > 0);
    expect(watched.taken).toEqual([{ name: 'db', initial: false }]);
  });

  it('are distinguished from objects that admission did not check', async () => {
    await using watched = new Watched();
    const { uid: _uid, ...metadata } = aSpread([]).metadata;
    watched.api.seed(workloadSpreads, { metadata: { ...metadata, name: 'broken' }, spec: { targetRef: null, subsets: [] } } as never);
    watched.seed({ ...cloneSets, kind: 'GameSet', group: 'game.example.com' }, 'game');
    watched.seed(jobs, 'job');
    await watched.start();
    await eventually(() => watched.kinds.length === 1);
    expect(watched.kinds).toEqual(['Job']);
  });

  it('that are not served are not watched', async () => {
    await using watched = new Watched();
    watched.seed(cloneSets, 'one');
    watched.seed(jobs, 'two');
    await watched.start(({ kind }) => kind !== 'CloneSet');
    await eventually(() => watched.kinds.length === 1);
    expect(watched.kinds).toEqual(['Job']);
  });

  it('enqueue as the objects that were there with those that are there at the start', async () => {
    await using watched = new Watched();
    watched.seed(jobs, 'one');
    watched.workload(jobs, 'web');
    await watched.start();
    await eventually(() => watched.taken.length > 0);
    expect([watched.taken, watched.wasSyncedTooEarly]).toEqual([[{ name: 'web', initial: true }], false]);
  });

  it('of which one cannot be judged enqueue nothing, and a report names it', async () => {
    await using watched = new Watched();
    watched.seed(jobs, 'one');
    watched.isFaulty = true;
    await watched.start();
    watched.workload(jobs, 'web');
    await eventually(() => watched.failed.length > 0);
    expect([watched.failed, watched.taken]).toEqual([['web'], []]);
  });

  it('enqueue nothing once the watch is over, and no other is watched', async () => {
    await using watched = new Watched();
    watched.seed(jobs, 'one');
    await watched.start();
    watched.workload(jobs, 'before');
    await eventually(() => watched.taken.length > 0);
    watched.end();
    watched.workload(jobs, 'after');
    watched.seed(cloneSets, 'two');
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect([watched.taken.map(({ name }) => name), watched.kinds]).toEqual([['before'], ['Job']]);
  });
});
