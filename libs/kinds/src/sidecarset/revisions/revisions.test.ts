/** The history of a SidecarSet: the vector and the example of spec/sidecarset.md 5.1. */
import { describe, expect, it } from '@jest/globals';
import { labels, sidecarSetLabels, type SidecarSet } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { planAdoption, planRevision, planTruncation, type History } from './revisions.ts';
import { aSidecar, aSidecarSet, changed } from '../testing.ts';

const namespace = 'kruise-system';

/** As the API server leaves it. */
const stored = ({ latest, actions }: History): ControllerRevision => {
  expect(actions).toHaveLength(1);
  return { ...latest, metadata: { ...latest.metadata, uid: `uid-${latest.metadata.name}` } };
};

const version = (sidecarSet: SidecarSet, number: number, spec: Partial<SidecarSet['spec']> = {}): SidecarSet =>
  changed(sidecarSet, { containers: [aSidecar('side', `side:${number}`)], ...spec });

/** The history after these versions, each truncated to the limit. */
function historyOf(versions: readonly SidecarSet[], carried: ReadonlySet<string> = new Set()): readonly ControllerRevision[] {
  let listed: readonly ControllerRevision[] = [];
  for (const sidecarSet of versions) {
    const revision = stored(planRevision({ sidecarSet, listed, namespace }));
    listed = [...listed.filter(({ metadata }) => metadata.name !== revision.metadata.name), revision];
    const deleted = planTruncation({ sidecarSet, listed, namespace }, carried);
    listed = listed.filter((held) => !deleted.includes(held));
  }
  return listed;
}

const numbers = (listed: readonly ControllerRevision[]): readonly number[] => listed.map(({ revision }) => revision);
const fifteen = Array.from({ length: 15 }, (_, i) => version(aSidecarSet(), i + 1));

describe('a revision', () => {
  it('has the name and the data of the vector', () => {
    const container = {
      name: 'sidecar1',
      image: 'centos:6.7',
      command: ['sleep', '999d'],
      resources: {},
      volumeMounts: [{ name: 'log-volume', mountPath: '/var/log' }],
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
      podInjectPolicy: 'BeforeAppContainer',
      upgradeStrategy: { upgradeType: 'ColdUpgrade' },
      shareVolumePolicy: { type: 'disabled' },
    };
    const sidecarSet = aSidecarSet({
      name: 'test-sidecarset',
      containers: [container],
      spec: { volumes: [{ name: 'log-volume', emptyDir: {} }] },
    });
    const { latest, actions } = planRevision({ sidecarSet, listed: [], namespace });
    expect(latest.metadata.name).toBe('test-sidecarset-cf4bf7796');
    expect(actions.map(({ kind }) => kind)).toEqual(['CreateRevision']);
    const [created] = actions;
    expect(created?.kind === 'CreateRevision' ? created.attempt.bytes : '').toBe(
      '{"spec":{"$patch":"replace","containers":[{"command":["sleep","999d"],"image":"centos:6.7","imagePullPolicy":"IfNotPresent","name":"sidecar1","podInjectPolicy":"BeforeAppContainer","resources":{},"shareVolumePolicy":{"type":"disabled"},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"volumeMounts":[{"mountPath":"/var/log","name":"log-volume"}]}],"imagePullSecrets":null,"initContainers":null,"patchPodMetadata":null,"volumes":[{"emptyDir":{},"name":"log-volume"}]}}',
    );
  });

  it('carries labels and annotations of the SidecarSet, its own labels, and its owner', () => {
    const sound = aSidecarSet({ spec: { customVersion: 'v1' } });
    const sidecarSet = { ...sound, metadata: { ...sound.metadata, labels: { team: 'a', [sidecarSetLabels.name]: 'other' } } };
    const { latest } = planRevision({ sidecarSet, listed: [], namespace });
    expect(latest.metadata.labels).toEqual({
      team: 'a',
      [sidecarSetLabels.name]: 'set',
      [sidecarSetLabels.customVersion]: 'v1',
      [labels.revisionDataHash]: latest.metadata.name.slice('set-'.length),
    });
    expect(latest.metadata.annotations).toEqual(sidecarSet.metadata.annotations);
    expect(latest.metadata.ownerReferences).toEqual([
      { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', name: 'set', uid: 'uid-set', controller: true, blockOwnerDeletion: true },
    ]);
  });

  it('is found again, whatever else changed', () => {
    const listed = historyOf([aSidecarSet()]);
    const sidecarSet = changed(aSidecarSet(), { updateStrategy: { partition: 3 }, selector: { matchLabels: { other: 'x' } } });
    expect(planRevision({ sidecarSet, listed, namespace }).actions).toEqual([]);
  });

  it('gets another name after a collision was counted', () => {
    const plain = planRevision({ sidecarSet: aSidecarSet(), listed: [], namespace }).latest.metadata.name;
    const status = { matchedPods: 0, updatedPods: 0, readyPods: 0, collisionCount: 1 };
    expect(planRevision({ sidecarSet: aSidecarSet({ status }), listed: [], namespace }).latest.metadata.name).not.toBe(plain);
  });

  it('gets the label of a custom version that is given or changed later', () => {
    const listed = historyOf([aSidecarSet()]);
    const sidecarSet = aSidecarSet({ spec: { customVersion: 'v2' } });
    expect(planRevision({ sidecarSet, listed, namespace }).actions).toMatchObject([{ kind: 'NameRevision', customVersion: 'v2' }]);
    const named = listed.map((each) => ({
      ...each,
      metadata: { ...each.metadata, labels: { ...each.metadata.labels, [sidecarSetLabels.customVersion]: 'v2' } },
    }));
    expect(planRevision({ sidecarSet, listed: named, namespace }).actions).toEqual([]);
    expect(planRevision({ sidecarSet: aSidecarSet(), listed: named, namespace }).actions).toEqual([]);
  });
});

describe('the history', () => {
  it('keeps the last ten of fifteen, and counts on when an old version comes back', () => {
    expect(numbers(historyOf(fifteen))).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    const again = version(aSidecarSet(), 12);
    expect(numbers(historyOf([...fifteen, again]))).toEqual([6, 7, 8, 9, 10, 11, 13, 14, 15, 16]);
  });

  it('lacks an owner if it has no controller', () => {
    const [owned] = historyOf([aSidecarSet()]) as [ControllerRevision];
    const { ownerReferences: _none, ...metadata } = owned.metadata;
    const orphan = { ...owned, metadata };
    const leaving = { ...owned, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(planAdoption([owned, orphan, leaving])).toEqual([orphan]);
  });

  it('keeps one at least', () => {
    const spec = { revisionHistoryLimit: 0 };
    expect(numbers(historyOf([version(aSidecarSet(), 1, spec), version(aSidecarSet(), 2, spec)]))).toEqual([2]);
  });

  it('keeps what Pods carry and what new Pods are injected from', () => {
    const listed = historyOf(fifteen.slice(0, 5));
    const name = (number: number): string => listed[number - 1]?.metadata.name ?? '';
    const cut = (sidecarSet: SidecarSet, carried: readonly string[] = [], held = listed): readonly number[] =>
      numbers(planTruncation({ sidecarSet, listed: held, namespace }, new Set(carried)));
    const limit = { revisionHistoryLimit: 2 };
    expect(cut(aSidecarSet({ spec: limit }))).toEqual([1, 2, 3]);
    expect(cut(aSidecarSet({ spec: limit }), [name(2)])).toEqual([1, 3, 4]);
    expect(cut(aSidecarSet({ spec: { ...limit, injectionStrategy: { revision: { revisionName: name(1) } } } }))).toEqual([2, 3, 4]);
    const named = listed.map((each, i) =>
      i > 2
        ? each
        : { ...each, metadata: { ...each.metadata, labels: { ...each.metadata.labels, [sidecarSetLabels.customVersion]: 'v' } } },
    );
    expect(cut(aSidecarSet({ spec: { ...limit, injectionStrategy: { revision: { customVersion: 'v' } } } }), [], named)).toEqual([1, 2, 4]);
  });
});
