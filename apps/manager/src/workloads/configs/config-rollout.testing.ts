/** What every kind does that rolls out changes of named ConfigMaps. @see spec/config-rollout.md */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import type { FakeCall } from '@kruise/kube/testing';
import { apiFailures, deathsAtEveryStep, isWrite } from '@kruise/kube/testing';
import {
  configMaps,
  controllerRevisions,
  isPodReady,
  secrets,
  type KubeObject,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { stepsOf } from '@kruise/testing';
import type { ConfigurableWorkload } from '@kruise/workloads';
import type { ClusterOptions, ControllerCluster } from '../../module/controller-cluster.testing.ts';

/** A workload of three Pods, updated in place one at a time. */
type Cluster = Omit<ControllerCluster<never>, 'found' | 'change'> & {
  readonly found: KubeObject | undefined;
  readonly pods: readonly Pod[];
};

export interface ConfiguredKind {
  readonly kind: string;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly make: (options: ClusterOptions) => Cluster;
}

const app = { namespace: 'default', name: 'app' };
const gates = { ConfigRollout: true };

const write = ({ api }: Cluster, data: Readonly<Record<string, string>>, name = app.name): void =>
  void api.seed(configMaps, { metadata: { namespace: app.namespace, name }, data });
const remove = ({ api }: Cluster): Promise<unknown> => api.delete(configMaps, app);

const hashesIn = ({ pods }: Cluster): readonly (string | undefined)[] =>
  pods.map(({ metadata }) => metadata.annotations?.[annotations.configHash]);
const uidsIn = ({ pods }: Cluster): readonly (string | undefined)[] => pods.map(({ metadata }) => metadata.uid);
const versionsIn = ({ pods }: Cluster): readonly (string | undefined)[] => pods.map(({ metadata }) => metadata.resourceVersion);
const revisionsIn = ({ api }: Cluster): number => api.peekAll(controllerRevisions, app.namespace).length;
const blockedIn = ({ conditions }: Cluster): readonly string[] => conditions.filter((text) => text.startsWith('Blocked '));

const missing = 'Blocked ConfigUnavailable: ConfigMap app of annotation config-rollout does not exist';

/** The hash that all three Pods have. @throws Error unless they are ready and have the same one */
function commonHash(cluster: Cluster): string | undefined {
  const [hash, ...others] = hashesIn(cluster);
  if (others.length !== 2 || others.some((other) => other !== hash) || !cluster.pods.every((pod) => isPodReady(pod)))
    throw new Error(`Pods have ${hashesIn(cluster).join(', ')}`);
  return hash;
}

export function describeConfigRollout({ kind, type, key, make }: ConfiguredKind): void {
  const annotate = ({ api }: Cluster, names: string | undefined): void => {
    const { metadata, ...rest } = api.peek(type, key) as KubeObject;
    const { [annotations.configRollout]: _names, ...others } = metadata.annotations ?? {};
    const added = names === undefined ? others : { ...others, [annotations.configRollout]: names };
    api.seed(type, { ...rest, metadata: { ...metadata, annotations: added } });
  };
  const changeImage = ({ api }: Cluster, annotated: Readonly<Record<string, string>> = {}): void => {
    const { metadata, ...rest } = api.peek(type, key) as ConfigurableWorkload;
    const { template } = rest.spec;
    const spec = { ...rest.spec, template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image: 'app:2' }] } } };
    const changed = {
      ...metadata,
      annotations: { ...metadata.annotations, ...annotated },
      generation: (metadata.generation ?? 0) + 1,
    };
    api.seed(type, { ...rest, metadata: changed, spec } as KubeObject);
  };
  const imagesIn = ({ pods }: Cluster): readonly unknown[] => pods.map(({ spec }) => spec.containers[0]?.image);
  /** Annotated before its controller has seen it. */
  const begin = (names: string | undefined, options: ClusterOptions = {}): Cluster => {
    const cluster = make({ gates, ...options });
    annotate(cluster, names);
    return cluster;
  };
  /** With three Pods that have the hash of `{ a: '1' }`. */
  const configured = async (options: ClusterOptions = {}): Promise<Cluster> => {
    const cluster = begin('configmap/app', options);
    write(cluster, { a: '1' });
    await cluster.ticks(20);
    expect(commonHash(cluster)).toMatch(/^[0-9a-f]{16}$/);
    return cluster;
  };

  describe(`a ${kind} that names a ConfigMap`, () => {
    it('has the hash of its content in the first revision', async () => {
      await using cluster = await configured();
      expect([revisionsIn(cluster), cluster.conditions]).toEqual([1, []]);
      expect(await cluster.quietHour()).toEqual([]);
    });

    it('updates its Pods in place when the content changes, one after the other, and rests', async () => {
      await using cluster = await configured();
      const [before, uids] = [commonHash(cluster), uidsIn(cluster)];
      write(cluster, { a: '2' });
      await cluster.ticks(8);
      expect(hashesIn(cluster)).toEqual([before, before, before]);
      let mostUnready = 0;
      for (let second = 0; second < 40; second++) {
        await cluster.tick();
        mostUnready = Math.max(mostUnready, cluster.pods.filter((pod) => !isPodReady(pod)).length);
      }
      expect(commonHash(cluster)).not.toBe(before);
      expect([uidsIn(cluster), revisionsIn(cluster), mostUnready <= 1]).toEqual([uids, 2, true]);
      expect(await cluster.quietHour()).toEqual([]);
    });

    it('returns to the revision of before when the content does', async () => {
      await using cluster = await configured();
      const before = commonHash(cluster);
      write(cluster, { a: '2' });
      await cluster.ticks(40);
      write(cluster, { a: '1' });
      await cluster.ticks(40);
      expect([commonHash(cluster), revisionsIn(cluster)]).toEqual([before, 2]);
    });

    it('does nothing when labels or versions change, or a content returns within the wait', async () => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      cluster.api.seed(configMaps, { metadata: { ...app, labels: { other: 'yes' } }, data: { a: '1' } });
      await cluster.ticks(30);
      write(cluster, { a: '2' });
      await cluster.ticks(5);
      write(cluster, { a: '1' });
      await cluster.ticks(30);
      expect([versionsIn(cluster), revisionsIn(cluster)]).toEqual([versions, 1]);
    });

    it.each([
      { name: 'returns', flap: (cluster: Cluster) => write(cluster, { a: '1' }) },
      { name: 'is deleted', flap: (cluster: Cluster) => void remove(cluster) },
    ])('rolls a content out that $name every few seconds', async ({ flap }) => {
      await using cluster = await configured();
      const before = commonHash(cluster);
      for (let turn = 0; turn < 2; turn++) {
        write(cluster, { a: '2' });
        await cluster.ticks(4);
        flap(cluster);
        await cluster.ticks(5);
        expect([revisionsIn(cluster), commonHash(cluster)]).toEqual([1, before]);
      }
      write(cluster, { a: '2' });
      await cluster.ticks(5);
      expect(revisionsIn(cluster)).toBe(2);
      await cluster.ticks(40);
      expect(commonHash(cluster)).not.toBe(before);
    });

    it('rolls a change of its template and of the content out at once', async () => {
      await using cluster = await configured();
      const before = commonHash(cluster);
      write(cluster, { a: '2' });
      await cluster.clock.step(10);
      changeImage(cluster);
      await cluster.ticks(40);
      expect([commonHash(cluster) === before, revisionsIn(cluster)]).toEqual([false, 2]);
      expect(imagesIn(cluster)).toEqual(['app:2', 'app:2', 'app:2']);
    });

    it('rolls a change of its template and its first annotation out at once', async () => {
      await using cluster = begin(undefined);
      write(cluster, { a: '1' });
      await cluster.ticks(20);
      changeImage(cluster, { [annotations.configRollout]: 'configmap/app' });
      await cluster.ticks(40);
      expect([commonHash(cluster) === undefined, revisionsIn(cluster)]).toEqual([false, 2]);
      expect(imagesIn(cluster)).toEqual(['app:2', 'app:2', 'app:2']);
    });

    it('rolls both changes out at once after no process ran for a while', async () => {
      await using cluster = await configured();
      const before = commonHash(cluster);
      await cluster.manager.stop();
      write(cluster, { a: '2' });
      changeImage(cluster);
      cluster.begin();
      await cluster.ticks(40);
      expect([commonHash(cluster) === before, revisionsIn(cluster)]).toEqual([false, 2]);
      expect(imagesIn(cluster)).toEqual(['app:2', 'app:2', 'app:2']);
    });

    it('rolls a change of its template out with its former hash when the object cannot be read', async () => {
      let isUnreadable = false;
      const before = (call: FakeCall): void => {
        if (isUnreadable && call.type?.kind === 'ConfigMap') throw apiFailures.badRequest('not now');
      };
      await using cluster = await configured({ before });
      const hash = commonHash(cluster);
      await cluster.manager.stop();
      isUnreadable = true;
      changeImage(cluster);
      cluster.begin();
      await cluster.ticks(8);
      expect(revisionsIn(cluster)).toBe(1);
      await cluster.ticks(60);
      expect([commonHash(cluster), revisionsIn(cluster), imagesIn(cluster)]).toEqual([hash, 2, ['app:2', 'app:2', 'app:2']]);
      expect(blockedIn(cluster)).toEqual(['Blocked ConfigUnavailable: ConfigMap app of annotation config-rollout cannot be read']);
    });

    it('waits for a ConfigMap that does not exist yet, and creates no Pod without its hash', async () => {
      await using cluster = begin('configmap/app');
      await cluster.ticks(15);
      expect([cluster.pods.length, revisionsIn(cluster), blockedIn(cluster)]).toEqual([0, 0, [missing]]);
      expect(await cluster.quietHour()).toEqual([]);
      write(cluster, { a: '1' });
      await cluster.ticks(20);
      expect([commonHash(cluster) === undefined, revisionsIn(cluster), blockedIn(cluster)]).toEqual([false, 1, []]);
    });

    it('leaves its Pods unchanged when the ConfigMap is deleted, reports it, and is as before once it exists again', async () => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      await remove(cluster);
      await cluster.ticks(15);
      expect([blockedIn(cluster), versionsIn(cluster)]).toEqual([[missing], versions]);
      expect(await cluster.quietHour()).toEqual([]);
      write(cluster, { a: '1' });
      await cluster.ticks(15);
      expect([blockedIn(cluster), versionsIn(cluster), revisionsIn(cluster)]).toEqual([[], versions, 1]);
    });

    it('reports a missing object without a gap when another process takes over', async () => {
      await using cluster = await configured();
      await remove(cluster);
      await cluster.ticks(15);
      expect(blockedIn(cluster)).toEqual([missing]);
      const others: string[] = [];
      cluster.api.onWrite(() => {
        const reported = blockedIn(cluster).join();
        if (reported !== missing) others.push(reported);
      });
      await cluster.manager.stop();
      cluster.begin();
      await cluster.ticks(15);
      expect([blockedIn(cluster), others]).toEqual([[missing], []]);
    });

    it('leaves its Pods unchanged while the manager may no longer read the ConfigMap, reports it, and catches up afterwards', async () => {
      let isForbidden = false;
      const before = (call: FakeCall): void => {
        if (isForbidden && call.type?.kind === 'ConfigMap') throw apiFailures.forbidden();
      };
      await using cluster = await configured({ before });
      const [hash, versions] = [commonHash(cluster), versionsIn(cluster)];
      isForbidden = true;
      cluster.api.endWatches();
      await cluster.ticks(8);
      expect(blockedIn(cluster)).toEqual([]);
      write(cluster, { a: '2' });
      await cluster.ticks(12);
      expect([blockedIn(cluster), versionsIn(cluster)]).toEqual([
        [
          'Blocked ConfigUnavailable: ConfigMap app of annotation config-rollout cannot be read: the API server answers 403 Forbidden to the manager',
        ],
        versions,
      ]);
      expect(await cluster.quietHour()).toEqual([]);
      isForbidden = false;
      await cluster.ticks(80);
      expect([commonHash(cluster) === hash, revisionsIn(cluster), blockedIn(cluster)]).toEqual([false, 2, []]);
    });

    it('takes a missing optional object for a content of its own', async () => {
      await using cluster = begin('configmap/app?');
      await cluster.ticks(20);
      const before = commonHash(cluster);
      expect([before === undefined, blockedIn(cluster)]).toEqual([false, []]);
      write(cluster, { a: '1' });
      await cluster.ticks(40);
      expect(commonHash(cluster)).not.toBe(before);
      await remove(cluster);
      await cluster.ticks(40);
      expect([commonHash(cluster), revisionsIn(cluster)]).toEqual([before, 2]);
    });

    it('gets at most one revision in 10 s from a content that changes in every moment', async () => {
      await using cluster = await configured();
      let content = 1;
      const created: string[] = [];
      cluster.api.onWrite(
        ({ call }) => void (call.verb === 'create' && call.type?.kind === 'ControllerRevision' && created.push(call.key.name)),
      );
      for (let second = 0; second < 60; second++) {
        for (let part = 0; part < 10; part++) {
          write(cluster, { a: String((content += 1)) });
          await cluster.clock.step(100);
        }
        await cluster.tick();
      }
      expect(created.length).toBeGreaterThan(2);
      expect(created.length).toBeLessThanOrEqual(12);
      await cluster.ticks(60);
      expect(commonHash(cluster)).toBeDefined();
      expect(await cluster.quietHour()).toEqual([]);
    });

    it('keeps its hash without the annotation, and with the gate off, as long as nothing else changes', async () => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      annotate(cluster, undefined);
      await cluster.ticks(20);
      await cluster.manager.stop();
      cluster.begin({ gates: { ConfigRollout: false } });
      annotate(cluster, 'configmap/app');
      write(cluster, { a: '2' });
      await cluster.ticks(40);
      expect([versionsIn(cluster), revisionsIn(cluster), blockedIn(cluster)]).toEqual([versions, 1, []]);
    });

    it('keeps its hash when it names too much, and says so', async () => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      annotate(cluster, Array.from({ length: 10_000 }, (_, index) => `configmap/c${index}`).join());
      await cluster.ticks(20);
      expect([versionsIn(cluster), blockedIn(cluster)]).toEqual([
        versions,
        ['Blocked ConfigUnavailable: annotation apps.kruise.io/config-rollout: it names 10000 objects, at most 16 are allowed'],
      ]);
    });

    it('does nothing for a ConfigMap that is deleted and created again between two passes with the same content', async () => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      const reported: string[] = [];
      cluster.api.onWrite(() => void reported.push(...blockedIn(cluster)));
      for (let time = 0; time < 20; time++) {
        await remove(cluster);
        write(cluster, { a: '1' });
        await cluster.clock.step(300);
      }
      await cluster.ticks(20);
      expect([versionsIn(cluster), revisionsIn(cluster), reported]).toEqual([versions, 1, []]);
    });

    it('follows the last content of a ConfigMap that is deleted and created again all the time, with at most one revision in 10 s', async () => {
      await using cluster = await configured();
      const uids = uidsIn(cluster);
      for (let second = 1; second <= 60; second++) {
        await remove(cluster);
        if (second % 3 === 0) await cluster.tick();
        write(cluster, { a: `next ${second}` });
        await cluster.tick();
      }
      expect(revisionsIn(cluster)).toBeLessThanOrEqual(1 + 80 / 10);
      await cluster.ticks(60);
      const last = commonHash(cluster);
      expect([uidsIn(cluster), blockedIn(cluster)]).toEqual([uids, []]);
      await using fresh = begin('configmap/app');
      write(fresh, { a: 'next 60' });
      await fresh.ticks(20);
      expect(last).toBe(commonHash(fresh));
    });

    it.each<{ name: string; names: string | undefined; isOther: boolean; blocked: readonly unknown[] }>([
      { name: 'to another object', names: 'configmap/other', isOther: true, blocked: [] },
      { name: 'to both objects', names: 'configmap/app,configmap/other', isOther: true, blocked: [] },
      { name: 'and is removed', names: undefined, isOther: false, blocked: [] },
      {
        name: 'to a faulty one',
        names: 'configmap/app with spaces',
        isOther: false,
        blocked: [expect.stringContaining('"configmap/app with spaces" is not configmap/NAME')],
      },
    ])('ends its rollout when the annotation is changed in the middle of it: $name', async ({ names, isOther, blocked }) => {
      await using cluster = await configured();
      const [before, uids] = [commonHash(cluster), uidsIn(cluster)];
      write(cluster, { a: 'other' }, 'other');
      write(cluster, { a: '2' });
      for (let second = 0; second < 40 && new Set(hashesIn(cluster)).size < 2; second++) await cluster.tick();
      const second = hashesIn(cluster).find((hash) => hash !== before);
      expect(new Set(hashesIn(cluster)).size).toBe(2);
      annotate(cluster, names);
      await cluster.ticks(60);
      expect(commonHash(cluster) === second).toBe(!isOther);
      expect([uidsIn(cluster), revisionsIn(cluster), blockedIn(cluster)]).toEqual([uids, isOther ? 3 : 2, blocked]);
      expect(await cluster.quietHour()).toEqual([]);
    });

    it.each([
      'configmap/größe',
      'configmap/a\u0000b',
      'secret/\u{1F680}'.padEnd(200, '\u{1F680}'),
      'configmap/a\u2028b',
      'ConfigMap/app',
      'configmap/app??',
    ])('keeps its hash with the name %j, which no object can have, and reports it as readable text', async (entry) => {
      await using cluster = await configured();
      const versions = versionsIn(cluster);
      annotate(cluster, `configmap/app, ${entry}`);
      await cluster.ticks(20);
      const [message = '', ...others] = blockedIn(cluster);
      expect([versionsIn(cluster), others]).toEqual([versions, []]);
      expect(message).toMatch(/^Blocked ConfigUnavailable: annotation apps\.kruise\.io\/config-rollout: ".*" is not configmap\/NAME/);
      expect([message.isWellFormed(), /[\p{Cc}\u2028]/u.test(message), message.length < 300]).toEqual([true, false, true]);
    });

    it('stores of a Secret of 1 MiB the hash alone', async () => {
      await using cluster = begin('secret/big');
      const data = { key: Buffer.alloc(1024 * 1024 - 100, 'x').toString('base64') };
      cluster.api.seed(secrets, { metadata: { namespace: app.namespace, name: 'big' }, data });
      await cluster.ticks(20);
      expect(commonHash(cluster)).toMatch(/^[0-9a-f]{16}$/);
      const stored = [...cluster.api.peekAll(controllerRevisions, app.namespace), ...cluster.pods, cluster.found];
      expect(JSON.stringify(stored).length).toBeLessThan(64 * 1024);
    });

    it('has the same Pods after the revision was refused for a while', async () => {
      let isRefused = false;
      const before = (call: FakeCall): void => {
        if (isRefused && call.verb === 'create' && call.type?.kind === 'ControllerRevision')
          throw apiFailures.badRequest('refused by a policy');
      };
      await using cluster = await configured({ before });
      isRefused = true;
      write(cluster, { a: '2' });
      await cluster.ticks(30);
      expect([revisionsIn(cluster), blockedIn(cluster).join()]).toEqual([1, expect.stringContaining('refused by a policy')]);
      isRefused = false;
      await cluster.ticks(120);
      expect([commonHash(cluster) === undefined, revisionsIn(cluster), blockedIn(cluster)]).toEqual([false, 2, []]);
    });

    it('is not watched after its deletion in the middle of a pass', async () => {
      let [isLost, isDeleted] = [false, false];
      const cluster: Cluster = await configured({
        before: async (call) => {
          if (call.type?.kind !== 'Pod' || !isLost) return;
          if (call.verb === 'get' && !isDeleted) {
            isDeleted = true;
            await cluster.api.delete(type, key);
            await cluster.clock.settle();
          }
          if (isWrite(call)) throw apiFailures.unreachable();
        },
      });
      await using _cluster = cluster;
      const watchesOfConfigs = (): number =>
        cluster.api.calls.filter(({ verb, type: watched }) => verb === 'watch' && watched?.kind === 'ConfigMap').length;
      changeImage(cluster);
      isLost = true;
      for (let second = 0; second < 30 && !isDeleted; second++) await cluster.tick();
      await cluster.clock.settle();
      const before = watchesOfConfigs();
      cluster.api.endWatches();
      await cluster.clock.step(10_000);
      expect([isDeleted, watchesOfConfigs() - before]).toEqual([true, 0]);
    });

    it('has the same hash and revisions wherever the process dies', async () => {
      const run = async (death?: { readonly at: number; readonly when: 'before' | 'after' | 'alone' }) => {
        const cluster = await configured(death === undefined ? {} : { nextDeath: (index) => (index === 0 ? death : undefined) });
        write(cluster, { a: '2' });
        await cluster.ticks(60);
        await cluster.stop();
        return { cluster, end: [commonHash(cluster), revisionsIn(cluster), blockedIn(cluster)] };
      };
      const { cluster, end } = await run();
      const died = await deathsAtEveryStep(
        'after',
        async (death) => {
          const killed = await run(death);
          expect({ death, end: killed.end }).toEqual({ death, end });
          return killed.cluster.managers[0]!;
        },
        stepsOf('after', ['after']),
      );
      expect(died).toBe(cluster.managers[0]!.writes);
    }, 120_000);
  });

  it(`a ${kind} without the annotation is written to in the same way with the gate on and off`, async () => {
    const textOf = async (isOn: boolean): Promise<string> => {
      await using cluster = make({ gates: { ConfigRollout: isOn } });
      write(cluster, { a: '1' });
      await cluster.ticks(20);
      write(cluster, { a: '2' });
      await cluster.ticks(20);
      return cluster.timeline.text.replaceAll(/sample-[a-z0-9]{5}\b/g, 'POD');
    };
    expect(await textOf(true)).toBe(await textOf(false));
  });
}
