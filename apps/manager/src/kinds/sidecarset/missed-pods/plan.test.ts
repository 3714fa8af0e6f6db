import { describe, expect, it } from '@jest/globals';
import type { SidecarSet } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { KnownSidecarSets } from './known-sidecar-sets.ts';
import { fieldWritersOf } from '@kruise/kinds/sidecarset';
import { planMissed, type Seen } from './plan.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

const setOf = (name: string, change: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): SidecarSet => ({
  metadata: { name, uid: name, generation: 1, creationTimestamp: at(0), ...metadata },
  spec: { selector: { matchLabels: { app: 'web' } }, ...change },
});

function seenWith(sets: readonly SidecarSet[], change: Partial<Seen> = {}): Seen {
  const known = new KnownSidecarSets(() => instant(start + 50_000));
  for (const object of sets) known.take({ kind: 'Added', object, initial: true });
  return { namespaceLabels: { team: 'a' }, webhook: {}, sidecarSets: known.injecting(), ...change };
}

const podAt = (seconds: number, metadata: Record<string, unknown> = {}, change: Record<string, unknown> = {}): Pod => {
  const pod = aPod({});
  return {
    ...pod,
    ...change,
    metadata: { ...pod.metadata, ownerReferences: [], labels: { app: 'web' }, creationTimestamp: at(seconds), ...metadata },
  };
};

const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'u', controller: true };
const lacksMesh = [{ reason: 'sidecarset', lacks: 'the sidecars of mesh' }];

describe('a Pod that was created past the webhook', () => {
  it.each<{ name: string; pod: Pod; seen: Seen; missed: readonly object[] }>([
    { name: 'lacks the sidecars that select it', pod: podAt(10), seen: seenWith([setOf('mesh')]), missed: lacksMesh },
    {
      name: 'lacks those of several',
      pod: podAt(10, { annotations: { 'kruise.io/sidecarset-injected-list': 'logs' } }),
      seen: seenWith([setOf('mesh'), setOf('logs'), setOf('audit')]),
      missed: [{ reason: 'sidecarset', lacks: 'the sidecars of audit, mesh' }],
    },
    {
      name: 'lacks the readiness gate of our workloads',
      pod: podAt(10, { ownerReferences: [owner] }, { spec: { containers: [] } }),
      seen: seenWith([]),
      missed: [{ reason: 'kruise-workload', lacks: 'the readiness gate KruisePodReady' }],
    },
    {
      name: 'is found by a canary instead of its base',
      pod: podAt(10),
      seen: seenWith([
        setOf('mesh', {}, { annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' } }),
        setOf('base'),
      ]),
      missed: lacksMesh,
    },
    {
      name: 'lacks sidecars that select it since two seconds, which clocks may be apart',
      pod: podAt(2),
      seen: seenWith([setOf('mesh')]),
      missed: lacksMesh,
    },
    {
      name: 'lacks them before it has a status',
      pod: podAt(10, {}, { status: undefined }),
      seen: seenWith([setOf('mesh')]),
      missed: lacksMesh,
    },
    {
      name: 'lacks both',
      pod: podAt(10, { ownerReferences: [owner] }, { spec: { containers: [] } }),
      seen: seenWith([setOf('mesh')]),
      missed: [{ reason: 'kruise-workload', lacks: 'the readiness gate KruisePodReady' }, ...lacksMesh],
    },
    {
      name: 'would have been asked about by selectors that take it',
      pod: podAt(10),
      seen: seenWith([setOf('mesh')], {
        webhook: { namespaceSelector: { matchLabels: { team: 'a' } }, objectSelector: { matchLabels: { app: 'web' } } },
      }),
      missed: lacksMesh,
    },
  ])('$name', ({ pod, seen, missed }) => {
    expect(planMissed(pod, seen)).toEqual(missed);
  });

  it.each<{ name: string; pod?: Pod; seen?: Seen }>([
    { name: 'has them', pod: podAt(10, { annotations: { 'kruise.io/sidecarset-injected-list': 'a,mesh' } }) },
    { name: 'is older than the SidecarSet', pod: podAt(-1) },
    { name: 'is hardly younger, on another clock', pod: podAt(1) },
    { name: 'is not selected', pod: podAt(10, { labels: { app: 'db' } }) },
    {
      name: 'is in a namespace that is not selected',
      seen: seenWith([setOf('mesh', { namespaceSelector: { matchLabels: { team: 'b' } } })]),
    },
    { name: 'is in a deleted namespace', seen: seenWith([setOf('mesh', { namespaceSelector: {} })], { namespaceLabels: undefined }) },
    { name: 'came while the injection is paused', seen: seenWith([setOf('mesh', { injectionStrategy: { paused: true } })]) },
    { name: 'may be older than what the SidecarSet selects now', seen: seenWith([setOf('mesh', {}, { generation: 2 })]) },
    {
      name: 'is in a namespace that the installer excludes',
      seen: seenWith([setOf('mesh')], {
        webhook: { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
      }),
    },
    { name: 'came while there was no webhook', seen: seenWith([setOf('mesh')], { webhook: undefined }) },
    {
      name: 'has labels that the installer excludes',
      seen: seenWith([setOf('mesh')], { webhook: { objectSelector: { matchLabels: { app: 'db' } } } }),
    },
    {
      name: 'falls under a selector that cannot be read',
      seen: seenWith([setOf('mesh')], { webhook: { objectSelector: { matchExpressions: [{ key: 'app', operator: 'No' }] } } }),
    },
    {
      name: 'has the readiness gate of our workloads',
      pod: podAt(10, { ownerReferences: [owner] }, { spec: { containers: [], readinessGates: [{ conditionType: 'KruisePodReady' }] } }),
      seen: seenWith([]),
    },
    { name: 'is of no workload', pod: podAt(10, {}, { spec: { containers: [] } }), seen: seenWith([]) },
    { name: 'does not say when it was created', pod: podAt(10, { creationTimestamp: undefined }) },
    { name: 'has failed', pod: podAt(10, {}, { status: { phase: 'Failed' } }) },
    { name: 'has ended', pod: podAt(10, {}, { status: { phase: 'Succeeded' } }) },
    { name: 'is being deleted', pod: podAt(10, { deletionTimestamp: at(11) }) },
  ])('is not reported when it $name', ({ pod = podAt(10), seen = seenWith([setOf('mesh')]) }) => {
    expect(planMissed(pod, seen)).toEqual([]);
  });
});

describe('what came later than the Pod', () => {
  const entry = (seconds: number, metadata: object, spec: object = {}) => ({
    manager: 'someone',
    operation: 'Update',
    time: at(seconds),
    fieldsV1: { 'f:metadata': metadata, 'f:spec': spec },
  });
  const labelled = (seconds: number, key: string) => entry(seconds, { 'f:labels': { '.': {}, [`f:${key}`]: {} } });
  const writtenBy = (labels: object, ...managedFields: readonly object[]) => fieldWritersOf({ metadata: { labels, managedFields } });
  const created = entry(10, { 'f:labels': { '.': {}, 'f:app': {} } }, { 'f:restartPolicy': {} });
  const byNamespace = { namespaceSelector: { matchLabels: { team: 'a' } } };
  const canary = { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' };
  const missedWith = (
    sets: readonly SidecarSet[],
    writers: { readonly pod?: ReturnType<typeof writtenBy>; readonly namespace?: ReturnType<typeof writtenBy> },
    change: Partial<Seen> = {},
  ) => {
    const known = {
      pod: writers.pod ?? writtenBy({ app: 'web' }, created),
      namespace: writers.namespace ?? writtenBy({ team: 'a' }, labelled(0, 'team')),
    };
    return planMissed(podAt(10), seenWith(sets, { ...change, writers: known }));
  };

  it.each<{ name: string; sets: readonly SidecarSet[]; writers: Parameters<typeof missedWith>[1]; missed: readonly object[] }>([
    { name: 'nothing did', sets: [setOf('mesh', byNamespace)], writers: {}, missed: lacksMesh },
    {
      name: 'a label within the seconds that times are rounded to',
      sets: [setOf('mesh')],
      writers: { pod: writtenBy({ app: 'web' }, labelled(12, 'app')) },
      missed: lacksMesh,
    },
    {
      name: 'a label that no selector asks for',
      sets: [setOf('mesh')],
      writers: { pod: writtenBy({ app: 'web', tier: 'x' }, created, labelled(500, 'tier')) },
      missed: lacksMesh,
    },
    {
      name: 'a label that another client wrote with the same value before',
      sets: [setOf('mesh')],
      writers: { pod: writtenBy({ app: 'web' }, labelled(500, 'app'), created) },
      missed: lacksMesh,
    },
    {
      name: 'the label of the Pod that selects it',
      sets: [setOf('mesh')],
      writers: { pod: writtenBy({ app: 'web' }, entry(10, {}, { 'f:restartPolicy': {} }), labelled(13, 'app')) },
      missed: [],
    },
    {
      name: 'the label that one of two SidecarSets asks for',
      sets: [setOf('logs', { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }), setOf('mesh', byNamespace)],
      writers: { namespace: writtenBy({ team: 'a' }, labelled(500, 'team')) },
      missed: [{ reason: 'sidecarset', lacks: 'the sidecars of logs' }],
    },
    {
      name: 'the label by which a canary stands in for its base',
      sets: [setOf('base'), setOf('mesh', byNamespace, { annotations: canary })],
      writers: { namespace: writtenBy({ team: 'a' }, labelled(500, 'team')) },
      missed: [],
    },
    {
      name: 'something, where the server keeps no record',
      sets: [setOf('mesh')],
      writers: { pod: writtenBy({ app: 'web' }) },
      missed: [],
    },
  ])('$name', ({ sets, writers, missed }) => {
    expect(missedWith(sets, writers)).toEqual(missed);
  });

  it.each(['namespaceSelector', 'objectSelector'])('counts for the %s of the webhook, too', (selector) => {
    const webhook = { [selector]: { matchLabels: selector === 'objectSelector' ? { app: 'web' } : { team: 'a' } } };
    const late = { pod: writtenBy({ app: 'web' }, labelled(500, 'app')), namespace: writtenBy({ team: 'a' }, labelled(500, 'team')) };
    const everyPod = setOf('mesh', { selector: { matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] } });
    expect(missedWith([everyPod], {}, { webhook })).toEqual(lacksMesh);
    expect(missedWith([everyPod], late, { webhook })).toEqual([]);
    expect(missedWith([everyPod], late)).toEqual(lacksMesh);
  });

  it.each<{ name: string; fields: readonly object[]; isMissed: boolean }>([
    {
      name: 'with which it was created, whatever the creator wrote since',
      fields: [entry(900, { 'f:ownerReferences': {} }, { 'f:restartPolicy': {} })],
      isMissed: true,
    },
    {
      name: 'that it got when it was created',
      fields: [entry(10, {}, { 'f:restartPolicy': {} }), entry(11, { 'f:ownerReferences': {} })],
      isMissed: true,
    },
    {
      name: 'that took it over',
      fields: [entry(10, {}, { 'f:restartPolicy': {} }), entry(500, { 'f:ownerReferences': {} }, { 'f:containers': {} })],
      isMissed: false,
    },
  ])('a workload $name', ({ fields, isMissed }) => {
    const pod = podAt(10, { ownerReferences: [owner] }, { spec: { containers: [] } });
    const writers = { pod: writtenBy({ app: 'web' }, ...fields), namespace: writtenBy({}) };
    expect(planMissed(pod, seenWith([], { writers })).map(({ reason }) => reason)).toEqual(isMissed ? ['kruise-workload'] : []);
  });

  it('does not hold for the name of the namespace, nor for what is absent', () => {
    const writers = writtenBy({ 'kubernetes.io/metadata.name': 'shop' }, labelled(500, 'team'));
    const then = instant(start);
    expect(writers.labelsStoodAt(['kubernetes.io/metadata.name', 'absent'], then)).toBe(true);
    expect(writtenBy({}).labelsStoodAt(['kubernetes.io/metadata.name'], then)).toBe(true);
    expect(writtenBy({}).labelsStoodAt(['absent'], then)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['no object', undefined],
    ['a list that is none', { metadata: { labels: { app: 'web' }, managedFields: {} } }],
    ['entries that are none', { metadata: { labels: { app: 'web' }, managedFields: [null, 'x', {}, { time: 5, fieldsV1: [] }] } }],
    [
      'an entry without a time',
      { metadata: { labels: { app: 'web' }, managedFields: [{ fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {} } } } }] } },
    ],
  ])('is not known of %s', (_name, object) => {
    expect(fieldWritersOf(object).labelsStoodAt(['app'], instant(start))).toBe(false);
    expect(fieldWritersOf(object).ownersStoodAt(instant(start))).toBe(false);
  });
});

describe('what is known of SidecarSets', () => {
  it('is counted from the change of what it selects, not from any other', () => {
    let now = start + 5_000;
    const known = new KnownSidecarSets(() => instant(now));
    const first = setOf('mesh');
    known.take({ kind: 'Added', object: first, initial: false });
    now += 1_000;
    const other = setOf('mesh', { updateStrategy: { paused: true } }, { generation: 2 });
    known.take({ kind: 'Updated', object: other, previous: first });
    expect(known.injecting().map(({ since }) => since)).toEqual([start]);
    known.take({
      kind: 'Updated',
      object: setOf('mesh', { selector: { matchLabels: { app: 'db' } } }, { generation: 3 }),
      previous: other,
    });
    expect(known.injecting().map(({ since }) => since)).toEqual([now]);
    known.take({ kind: 'Deleted', object: other });
    expect(known.injecting()).toEqual([]);
  });

  it.each<{ name: string; change: Record<string, unknown>; metadata?: Record<string, unknown>; isNew: boolean }>([
    { name: 'other namespaces', change: { namespaceSelector: { matchLabels: { team: 'a' } } }, isNew: true },
    { name: 'a pause of the injection that is none', change: { injectionStrategy: { paused: false } }, isNew: false },
    { name: 'another SidecarSet of the name', change: {}, metadata: { uid: 'another' }, isNew: true },
  ])('is counted again after $name: $isNew', ({ change, metadata = {}, isNew }) => {
    const known = new KnownSidecarSets(() => instant(start + 7_000));
    const first = setOf('mesh');
    known.take({ kind: 'Added', object: first, initial: false });
    known.take({ kind: 'Updated', object: setOf('mesh', change, { generation: 2, ...metadata }), previous: first });
    expect(known.injecting().map(({ since }) => since)).toEqual([isNew ? start + 7_000 : start]);
  });

  it('is counted from the end of a pause', () => {
    let now = start + 5_000;
    const known = new KnownSidecarSets(() => instant(now));
    const paused = setOf('mesh', { injectionStrategy: { paused: true } });
    known.take({ kind: 'Added', object: paused, initial: false });
    expect(known.injecting()).toEqual([]);
    now += 1_000;
    known.take({ kind: 'Updated', object: setOf('mesh', {}, { generation: 2 }), previous: paused });
    expect(known.injecting().map(({ since }) => since)).toEqual([now]);
  });

  it.each<{ name: string; metadata: Record<string, unknown>; since: number }>([
    { name: 'was never changed selects since it was created', metadata: {}, since: start },
    { name: 'was changed before it was seen selects since then', metadata: { generation: 2 }, since: start + 7_000 },
    {
      name: 'does not say when it was created selects since it was seen',
      metadata: { creationTimestamp: undefined },
      since: start + 7_000,
    },
  ])('one that $name', ({ metadata, since }) => {
    const known = new KnownSidecarSets(() => instant(start + 7_000));
    known.take({ kind: 'Added', object: setOf('mesh', {}, metadata), initial: true });
    expect(known.injecting().map((one) => one.since)).toEqual([since]);
  });

  it('is in the order of the names', () => {
    expect(seenWith([setOf('b'), setOf('c'), setOf('a')]).sidecarSets.map(({ set }) => set.metadata.name)).toEqual(['a', 'b', 'c']);
  });
});
