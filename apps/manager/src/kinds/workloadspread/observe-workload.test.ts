/** Workloads as admission reads them while a Pod waits. @see spec/workloadspread.md 4.2, 4.3 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { cloneSets, statefulSets, type WorkloadSpread } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import { jobs, newControllerRef, type KubeObject, type OwnerReference, type ResourceType } from '@kruise/objects';
import { builtInStatefulSets, deployments, replicaSets, type WhiteListReading } from '@kruise/workloads';
import { LiveWorkloads } from './observe-workload.ts';
import { aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';

const { signal } = new AbortController();
const namespace = 'default';
const group = 'game.example.com';
const games: ResourceType = { group, version: 'v1', kind: 'GameSet', plural: 'gamesets', namespaced: true };
const unlisted: WhiteListReading = { kind: 'Read', kinds: [] };
const listing = (replicasPath: string): WhiteListReading => ({
  kind: 'Read',
  kinds: [{ group, version: 'v1', kind: 'GameSet', replicasPath }],
});
const spreadOf = (type: ResourceType, over: Partial<WorkloadSpread['spec']> = {}): WorkloadSpread =>
  aSpread([aSubset('a', '50%')], { targetRef: { apiVersion: `${type.group}/${type.version}`, kind: type.kind, name: 'web' }, ...over });

describe('a workload that is read while a Pod waits', () => {
  let api: FakeApi;
  let clock: FakeClock;
  let workloads: LiveWorkloads;
  beforeEach(() => {
    api = new FakeApi();
    clock = new FakeClock();
    api.rawAnswers.set(`/apis/${group}/v1`, { resources: [{ name: 'gamesets', kind: 'GameSet', namespaced: true, verbs: ['get'] }] });
    workloads = new LiveWorkloads(api, clock);
  });
  const seed = (type: ResourceType, spec: object, metadata: object = {}): KubeObject =>
    api.seed(type, { metadata: { name: 'web', namespace, ...metadata }, spec } as KubeObject);
  const reads = (): number => api.calls.filter(({ verb }) => verb === 'get').length;

  describe('how many Pods it is to have', () => {
    it.each<[string, ResourceType, object, number]>([
      ['the replicas of a Deployment', deployments, { replicas: 3 }, 3],
      ['the replicas of a ReplicaSet', replicaSets, { replicas: 3 }, 3],
      ['the replicas of a CloneSet', cloneSets, { replicas: 3 }, 3],
      ['the replicas of a CloneSet in its older version', { ...cloneSets, version: 'v1alpha1' }, { replicas: 3 }, 3],
      ['the replicas of a StatefulSet', builtInStatefulSets, { replicas: 3 }, 3],
      ['the replicas of an Advanced StatefulSet', statefulSets, { replicas: 3 }, 3],
      ['the parallelism of a Job, not its completions', jobs, { parallelism: 3, completions: 9, replicas: 7 }, 3],
      ['one where that is not said', deployments, {}, 1],
      ['one of a Job where that is not said', jobs, { completions: 9 }, 1],
      ['none where that is less than none', deployments, { replicas: -3 }, 0],
      ['none where that is no whole number', deployments, { replicas: 1.5 }, 0],
      ['none where that is a text', deployments, { replicas: '3' }, 0],
    ])('is %s', async (_name, type, spec, then) => {
      seed(type, spec);
      expect(await workloads.totalOf(spreadOf(type), unlisted, signal)).toBe(then);
    });

    it.each<{ name: string; paths?: readonly string[]; reading?: WhiteListReading; then: number }>([
      { name: 'what the white list says', reading: listing('spec.size'), then: 10 },
      { name: 'what the WorkloadSpread says before that', paths: ['spec.roles.0', 'spec.roles.1'], reading: listing('spec.size'), then: 5 },
      { name: 'what the white list says where the WorkloadSpread says nothing', paths: [], reading: listing('spec.size'), then: 10 },
      { name: 'none by default', then: 0 },
      { name: 'none where the white list cannot be read', reading: { kind: 'Faulty', why: 'it is no JSON' }, then: 0 },
      { name: 'none where a path leads nowhere', paths: ['spec.roles.0', 'spec.none'], then: 0 },
      { name: 'none where the path of the white list leads nowhere', reading: listing('spec.none'), then: 0 },
    ])('is of a kind that is not known $name', async ({ paths, reading = unlisted, then }) => {
      seed(games, { size: 10, replicas: 7, roles: [2, 3] });
      const spread = spreadOf(games, paths === undefined ? {} : { targetFilter: { replicasPathList: [...paths] } });
      expect(await workloads.totalOf(spread, reading, signal)).toBe(then);
    });

    it('is what the WorkloadSpread says also of a kind that is known', async () => {
      seed(deployments, { replicas: 3, roles: [2] });
      const spread = spreadOf(deployments, { targetFilter: { replicasPathList: ['spec.roles.0'] } });
      expect(await workloads.totalOf(spread, unlisted, signal)).toBe(2);
    });

    it('is none where there is no workload, no such kind, or no answer', async () => {
      expect(await workloads.totalOf(spreadOf(deployments), unlisted, signal)).toBe(0);
      expect(await workloads.totalOf(spreadOf({ ...games, kind: 'Other' }), unlisted, signal)).toBe(0);
      expect(await workloads.totalOf({ ...spreadOf(deployments), spec: { targetRef: null } } as never, unlisted, signal)).toBe(0);
      seed(deployments, { replicas: 3 });
      api.faults = {
        before: () => {
          throw new ApiError('no', { kind: 'Unreachable', cause: undefined });
        },
      };
      expect(await workloads.totalOf(spreadOf(deployments), unlisted, signal)).toBe(0);
    });

    it('is not requested by a request that is over', async () => {
      await expect(workloads.totalOf(spreadOf(deployments), unlisted, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    });
  });

  describe('who controls it', () => {
    const above = { metadata: { name: 'site', uid: 'd' } };
    const owned = (uid?: string): OwnerReference => {
      const set = seed(replicaSets, {}, { ownerReferences: [newControllerRef(above, deployments)] });
      return { ...newControllerRef(set, replicaSets), ...(uid === undefined ? {} : { uid }) };
    };

    it('is read once and believed for a minute', async () => {
      const owner = owned();
      const seen = { kind: 'Seen', controller: newControllerRef(above, deployments) };
      for (const ms of [0, 30_000, 29_999]) {
        await clock.step(ms);
        expect(await workloads.controllerOf(owner, namespace, signal)).toEqual(seen);
      }
      expect(reads()).toBe(1);
      await clock.step(1);
      expect(await workloads.controllerOf(owner, namespace, signal)).toEqual(seen);
      expect(reads()).toBe(2);
    });

    it('may be absent, which is accepted as well', async () => {
      const owner = newControllerRef(seed(games, {}), games);
      for (let time = 0; time < 2; time += 1)
        expect(await workloads.controllerOf(owner, namespace, signal)).toEqual({ kind: 'Seen', controller: undefined });
      expect(reads()).toBe(1);
    });

    it('is not accepted as absent for one that does not exist', async () => {
      const missing: OwnerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'x', controller: true };
      expect(await workloads.controllerOf(missing, namespace, signal)).toEqual({ kind: 'Gone' });
      owned();
      expect(await workloads.controllerOf(missing, namespace, signal)).toMatchObject({ kind: 'Seen' });
    });

    it('is forgotten of the oldest when there are too many', async () => {
      const owners = Array.from({ length: 1001 }, (_none, index) => owned(`uid-${index}`));
      for (const owner of owners) await workloads.controllerOf(owner, namespace, signal);
      const before = reads();
      for (const owner of owners.slice(1)) await workloads.controllerOf(owner, namespace, signal);
      expect(reads()).toBe(before);
      await workloads.controllerOf(owners[0] as OwnerReference, namespace, signal);
      expect(reads()).toBe(before + 1);
    });

    it('fails with what keeps it from being read', async () => {
      const owner = owned();
      api.faults = {
        before: () => {
          throw new ApiError('no', { kind: 'Forbidden' });
        },
      };
      await expect(workloads.controllerOf(owner, namespace, signal)).rejects.toThrow('no');
    });
  });
});
