import { describe, expect, it } from '@jest/globals';
import type { PersistentPodState } from '@kruise/api';
import { deepFreeze } from '@kruise/objects';
import type { FoundWorkload } from '@kruise/workloads';
import { asksForOtherState, asksForState, planGenerate, type GenerateSnapshot } from '@kruise/kinds/persistentpodstate';
import { asking, aState, host, names, namespace, zone } from './cluster.testing.ts';

const workloadOf = (annotations: Readonly<Record<string, string>> = asking, over: Partial<FoundWorkload> = {}): FoundWorkload => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'db',
  namespace,
  uid: 'now',
  replicas: 1,
  selector: undefined,
  reserveOrdinals: [],
  startOrdinal: 0,
  metadata: { name: 'db', namespace, uid: 'now', annotations },
  isBeingDeleted: false,
  ...over,
});
const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid, controller: true });
const preferred = [{ weight: 100, preference: { keys: [host] } }];
const generated = (spec: Parameters<typeof aState>[0] = {}, uid = 'now'): PersistentPodState =>
  aState({ preferredPersistentTopology: preferred, ...spec }, { name: 'db', ownerReferences: [owner(uid)] });
const byHand = aState({}, { name: 'db' });

const planned = (seen: Partial<GenerateSnapshot>) =>
  planGenerate(deepFreeze({ workload: workloadOf(), held: undefined, targeting: [], ...seen }));
const kindsOf = (seen: Partial<GenerateSnapshot>): readonly string[] => planned(seen).actions.map(({ kind }) => kind);

describe('what becomes of a generated PersistentPodState', () => {
  const deleted = (state: PersistentPodState): PersistentPodState => ({
    ...state,
    metadata: { ...state.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  const going = deleted(generated({ requiredPersistentTopology: { keys: ['old'] } }));
  const none = workloadOf({});

  it.each<{ name: string; seen: Partial<GenerateSnapshot>; then: readonly string[] }>([
    { name: 'is made for a workload that asks for it', seen: {}, then: ['Create'] },
    { name: 'stays as it is while nothing else is asked for', seen: { held: generated() }, then: [] },
    { name: 'follows the annotations', seen: { held: generated({ requiredPersistentTopology: { keys: ['old'] } }) }, then: ['ChangeSpec'] },
    { name: 'is deleted when it is no longer requested', seen: { workload: none, held: generated() }, then: ['Delete'] },
    {
      name: 'is deleted for any value but true',
      seen: { workload: workloadOf({ ...asking, [names.autoGenerate]: 'True' }), held: generated() },
      then: ['Delete'],
    },
    { name: 'stays without any topology', seen: { workload: workloadOf({ [names.autoGenerate]: 'true' }), held: generated() }, then: [] },
    {
      name: 'is not made without any topology',
      seen: { workload: workloadOf({ [names.autoGenerate]: 'true', [names.preferredTopology]: ' , ' }) },
      then: [],
    },
    { name: 'is left to the garbage collector when its workload is deleted', seen: { workload: undefined, held: generated() }, then: [] },
    {
      name: 'is left to it when its workload is being deleted',
      seen: { workload: workloadOf({}, { isBeingDeleted: true }), held: generated() },
      then: [],
    },
    { name: 'stays unchanged while it is being deleted', seen: { held: going }, then: [] },
    { name: 'stays unchanged while it is being deleted, also when it is not requested', seen: { workload: none, held: going }, then: [] },
    { name: 'is absent when it is not requested', seen: { workload: none }, then: [] },
    { name: 'is created beside a terminating one of another name', seen: { targeting: [deleted(aState())] }, then: ['Create'] },
    {
      name: 'is never turned from another workload to this one',
      seen: { held: generated({ targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' } }) },
      then: [],
    },
    {
      name: 'is never made over one that belongs to something else of its name',
      seen: { held: aState({}, { name: 'db', ownerReferences: [{ ...owner('other'), kind: 'Deployment' }] }) },
      then: [],
    },
    { name: 'is never made over one by hand', seen: { held: byHand }, then: [] },
    { name: 'by hand is never deleted', seen: { workload: none, held: byHand }, then: [] },
    { name: 'of a former workload is not deleted', seen: { workload: none, held: generated({}, 'before') }, then: [] },
    { name: 'is not made beside one of another name for the workload', seen: { targeting: [aState()] }, then: [] },
  ])('$name', ({ seen, then }) => {
    expect(kindsOf(seen)).toEqual(then);
  });

  it('waits for the end of that of a former workload', () => {
    expect(planned({ held: generated({}, 'before') })).toEqual({ actions: [], requeueAfter: 5000 });
    const foreign = aState({}, { name: 'db', ownerReferences: [{ ...owner('other'), kind: 'Deployment' }] });
    expect(planned({ held: foreign })).toEqual({ actions: [] });
  });

  it('has what the annotations list, without blanks and empty items', () => {
    const annotations = {
      ...asking,
      [names.requiredTopology]: ` ${zone} ,, a`,
      [names.preferredTopology]: '',
      [names.podAnnotations]: 'ip,',
    };
    const [action] = planned({ workload: workloadOf(annotations) }).actions;
    expect(action?.state.spec).toEqual({
      targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
      requiredPersistentTopology: { keys: [zone, 'a'] },
      persistentPodAnnotations: [{ key: 'ip' }],
    });
    expect(action?.state.spec).not.toHaveProperty('persistentPodStateRetentionPolicy');
  });

  it('keeps the retention policy that a user has put on it, and the version in which the workload is named', () => {
    const targetRef = { apiVersion: 'apps/v1beta1', kind: 'StatefulSet', name: 'db' };
    const held = generated({ targetRef, persistentPodStateRetentionPolicy: 'WhenDeleted' });
    expect(kindsOf({ held })).toEqual([]);
    const [action] = planned({ held, workload: workloadOf({ ...asking, [names.preferredTopology]: zone }) }).actions;
    expect(action).toMatchObject({ kind: 'ChangeSpec', spec: { targetRef, persistentPodStateRetentionPolicy: 'WhenDeleted' } });
  });
});

describe('annotations of a workload', () => {
  const of = (annotations: Readonly<Record<string, string>>) => ({ metadata: { name: 'db', annotations } });

  it('ask when they say true and name topology', () => {
    const cases = [
      asking,
      { ...asking, [names.autoGenerate]: 'yes' },
      { [names.autoGenerate]: 'true' },
      { [names.autoGenerate]: 'true', [names.preferredTopology]: 'a' },
    ];
    expect(cases.map((annotations) => asksForState(of(annotations)))).toEqual([true, false, false, true]);
  });

  it.each([names.autoGenerate, names.requiredTopology, names.preferredTopology, names.podAnnotations])(
    'ask again with another %s',
    (key) => {
      expect(asksForOtherState(of(asking), of({ ...asking, [key]: 'other' }))).toBe(true);
      expect(asksForOtherState(of(asking), of({ ...asking, other: 'x' }))).toBe(false);
    },
  );
});
