import { describe, expect, it } from '@jest/globals';
import { exporterLimits } from '@kruise/objects';
import { resourceKinds } from './all-kinds.ts';
import { readExposition, readSample } from './exposition.testing.ts';
import { anObjectOf, type AnyObject } from './objects.testing.ts';
import { renderObject } from './render.ts';

const nothing = { labels: [], annotations: [] };

/** Samples of one family of an object, without the labels that all of them have. */
function samplesOf(resource: string, family: string, object: Readonly<Record<string, unknown>>): readonly string[] {
  const kind = resourceKinds.find((one) => one.resource === resource)!;
  const whole = { metadata: { name: 'c', namespace: 'n' }, ...object } as AnyObject;
  const texts = renderObject(whole, { label: kind.label, families: kind.families, allowed: nothing });
  const at = kind.families.findIndex(({ name }) => name === `kruise_${kind.label}_${family}`);
  expect(at).toBeGreaterThanOrEqual(0);
  return texts[at]!.split('\n')
    .slice(0, -1)
    .map((line) => {
      const { labels, value } = readSample(line);
      return [...labels.slice(2).map(([name, text]) => `${name}=${text}`), String(value)].join(' ');
    });
}

type Row = {
  readonly name: string;
  readonly of: readonly [resource: string, family: string];
  readonly given: Readonly<Record<string, unknown>>;
  readonly then: readonly string[];
};

const maxUnavailable = 'spec_strategy_rollingupdate_max_unavailable';
const maxSurge = 'spec_strategy_rollingupdate_max_surge';
const cloneSet = (updateStrategy: object, replicas?: number) => ({
  spec: { ...(replicas === undefined ? {} : { replicas }), updateStrategy },
});

describe('a family', () => {
  it.each<Row>([
    {
      name: 'counts unavailable Pods of a CloneSet',
      of: ['clonesets', 'status_replicas_unavailable'],
      given: { spec: { replicas: 3 }, status: { availableReplicas: 2 } },
      then: ['1'],
    },
    {
      name: 'says that more Pods are available than desired',
      of: ['clonesets', 'status_replicas_unavailable'],
      given: { spec: { replicas: 1 }, status: { availableReplicas: 3 } },
      then: ['-2'],
    },
    {
      name: 'has no sample for a share that is no finite number',
      of: ['clonesets', maxSurge],
      given: cloneSet({ maxSurge: '999999999999999999%' }, 1e308),
      then: [],
    },
    {
      name: 'has no sample for an integer that is no finite number',
      of: ['clonesets', 'spec_replicas'],
      given: { spec: { replicas: 10n ** 400n } },
      then: [],
    },
    { name: 'has no sample without replicas', of: ['clonesets', 'status_replicas_unavailable'], given: { spec: {} }, then: [] },
    { name: 'has no sample without spec.replicas', of: ['clonesets', 'spec_replicas'], given: { spec: {} }, then: [] },
    {
      name: 'has no sample for replicas of a StatefulSet that are null',
      of: ['statefulsets', 'replicas'],
      given: { spec: { replicas: null } },
      then: [],
    },
    {
      name: 'says that the update of a CloneSet of v1alpha1 is paused',
      of: ['clonesets', 'spec_strategy_paused'],
      given: cloneSet({ paused: true }),
      then: ['1'],
    },
    {
      name: 'says that the update of a CloneSet of v1beta1 is paused',
      of: ['clonesets', 'spec_strategy_paused'],
      given: cloneSet({ rollingUpdate: { paused: true } }),
      then: ['1'],
    },
    { name: 'says that the update of a DaemonSet is not paused', of: ['daemonsets', 'spec_strategy_paused'], given: {}, then: ['0'] },
    {
      name: 'says that no update is paused by a value that is no boolean',
      of: ['statefulsets', 'spec_strategy_paused'],
      given: { spec: { updateStrategy: { rollingUpdate: { paused: 'true' } } } },
      then: ['0'],
    },
    {
      name: 'has the partition of a StatefulSet as text',
      of: ['statefulsets', 'spec_strategy_partition'],
      given: { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } },
      then: ['partition=2 0'],
    },
    { name: 'has 0 for a number that the API leaves out', of: ['clonesets', 'status_replicas_ready'], given: {}, then: ['0'] },
    { name: 'rounds maxUnavailable down', of: ['clonesets', maxUnavailable], given: cloneSet({ maxUnavailable: '25%' }, 5), then: ['1'] },
    { name: 'rounds maxSurge up', of: ['clonesets', maxSurge], given: cloneSet({ maxSurge: '25%' }, 5), then: ['2'] },
    { name: 'has 0 for an absent maxUnavailable of a CloneSet', of: ['clonesets', maxUnavailable], given: cloneSet({}, 5), then: ['0'] },
    {
      name: 'has no sample for a percentage of an unknown number',
      of: ['clonesets', maxUnavailable],
      given: cloneSet({ maxUnavailable: '25%' }),
      then: [],
    },
    {
      name: 'has a number where the number of Pods is unknown',
      of: ['clonesets', maxUnavailable],
      given: cloneSet({ maxUnavailable: 3 }),
      then: ['3'],
    },
    {
      name: 'has no sample for a percentage that cannot be read',
      of: ['clonesets', maxUnavailable],
      given: cloneSet({ maxUnavailable: '25' }, 5),
      then: [],
    },
    {
      name: 'reads maxUnavailable of a v1beta1 CloneSet',
      of: ['clonesets', maxUnavailable],
      given: cloneSet({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } }, 5),
      then: ['2'],
    },
    {
      name: 'reads the type of a v1beta1 CloneSet',
      of: ['clonesets', 'spec_strategy_type'],
      given: cloneSet({ type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }, 5),
      then: ['strategy_type=ReCreate 0', 'strategy_type=InPlaceIfPossible 0', 'strategy_type=InPlaceOnly 1'],
    },
    {
      name: 'has no current type for OnDelete',
      of: ['clonesets', 'spec_strategy_type'],
      given: cloneSet({ type: 'OnDelete' }, 5),
      then: ['strategy_type=ReCreate 0', 'strategy_type=InPlaceIfPossible 0', 'strategy_type=InPlaceOnly 0'],
    },
    { name: 'has no sample without a partition', of: ['clonesets', 'spec_strategy_partition'], given: cloneSet({}, 5), then: [] },
    {
      name: 'has the partition 0',
      of: ['clonesets', 'spec_strategy_partition'],
      given: cloneSet({ partition: 0 }, 5),
      then: ['partition=0 0'],
    },
    {
      name: 'has no sample for maxUnavailable of a StatefulSet with OnDelete',
      of: ['statefulsets', maxUnavailable],
      given: { spec: { replicas: 3, updateStrategy: { type: 'OnDelete' } } },
      then: [],
    },
    {
      name: 'writes ranges of reserved ordinals out',
      of: ['statefulsets', 'spec_reserveordinals'],
      given: { spec: { reserveOrdinals: [1, '3-4'] } },
      then: ['ordinal=1 1', 'ordinal=3 3', 'ordinal=4 4'],
    },
    {
      name: 'has each reserved ordinal once',
      of: ['statefulsets', 'spec_reserveordinals'],
      given: { spec: { reserveOrdinals: [2, '1-3', 2] } },
      then: ['ordinal=1 1', 'ordinal=2 2', 'ordinal=3 3'],
    },
    {
      name: 'has 0 for maxSurge of a DaemonSet with OnDelete',
      of: ['daemonsets', maxSurge],
      given: { spec: { updateStrategy: { type: 'OnDelete' } } },
      then: ['0'],
    },
    {
      name: 'has no sample for an absent maxUnavailable of a SidecarSet',
      of: ['sidecarsets', maxUnavailable],
      given: { spec: {} },
      then: [],
    },
    {
      name: 'has 0 for a parallelism in percent',
      of: ['broadcastjobs', 'spec_parallelism'],
      given: { spec: { parallelism: '50%' } },
      then: ['0'],
    },
    { name: 'has no sample without a parallelism', of: ['broadcastjobs', 'spec_parallelism'], given: { spec: {} }, then: [] },
    { name: 'has 0 without a deadline', of: ['broadcastjobs', 'spec_strategy_activedeadline_seconds'], given: { spec: {} }, then: ['0'] },
    {
      name: 'has three samples for each condition',
      of: ['clonesets', 'status_condition'],
      given: { status: { conditions: [{ type: 'FailedScale', status: 'False' }] } },
      then: ['condition=FailedScale status=true 0', 'condition=FailedScale status=false 1', 'condition=FailedScale status=unknown 0'],
    },
    {
      name: 'has the first of two conditions of a type',
      of: ['clonesets', 'status_condition'],
      given: {
        status: {
          conditions: [
            { type: 'A', status: 'True' },
            { type: 'A', status: 'False' },
          ],
        },
      },
      then: ['condition=A status=true 1', 'condition=A status=false 0', 'condition=A status=unknown 0'],
    },
    { name: 'has no time of creation for an object without one', of: ['clonesets', 'created'], given: {}, then: [] },
    {
      name: 'counts phases of containers',
      of: ['containerrecreaterequests', 'containers_succeeded'],
      given: { status: { containerRecreateStates: [{ phase: 'Succeeded' }, { phase: 'Failed' }, { phase: 'Succeeded' }] } },
      then: ['2'],
    },
    {
      name: 'has 1 for a completed request',
      of: ['containerrecreaterequests', 'completed'],
      given: { status: { phase: 'Completed' } },
      then: ['1'],
    },
    {
      name: 'has 0 for a request in another phase',
      of: ['containerrecreaterequests', 'pending'],
      given: { status: { phase: 'Completed' } },
      then: ['0'],
    },
    {
      name: 'reads numbers beyond 2^53',
      of: ['clonesets', 'status_observed_generation'],
      given: { status: { observedGeneration: 9007199254740993n } },
      then: ['9007199254740992'],
    },
  ])('$name', ({ of: [resource, family], given, then }) => {
    expect(samplesOf(resource, family, given)).toEqual(then);
  });

  it('has no more reserved ordinals than the limit, however wide a range is', () => {
    const samples = samplesOf('statefulsets', 'spec_reserveordinals', { spec: { reserveOrdinals: ['0-2000000000'] } });
    expect(samples).toHaveLength(exporterLimits.reservedOrdinals.value);
  });

  it('has the namespace of the Pods of a SidecarSet in place of its own, under both names', () => {
    const kind = resourceKinds.find(({ resource }) => resource === 'sidecarsets')!;
    const texts = renderObject(anObjectOf['sidecarsets']!, { label: kind.label, families: kind.families, allowed: nothing });
    expect(texts.filter((text) => text.includes('_spec_nam'))).toEqual([
      'kruise_sidecarset_spec_namespcace{namespace="pods",sidecarset="c"} 0\n',
      'kruise_sidecarset_spec_namespace{namespace="pods",sidecarset="c"} 0\n',
    ]);
  });
});

describe('an object with members of any type', () => {
  const odd: readonly unknown[] = [null, -1.5, 1e308, 10n ** 400n, 'x', '5%', '999999999999999999%', [null, 0], { name: 1 }, [{ type: 1 }]];
  /** Every member of the object in turn is replaced. */
  function* variants(object: unknown, replacement: unknown): Generator<unknown> {
    yield replacement;
    if (typeof object !== 'object' || object === null) return;
    for (const [key, value] of Object.entries(object))
      for (const variant of variants(value, replacement))
        yield Array.isArray(object) ? object.with(Number(key), variant) : { ...object, [key]: variant };
  }

  it.each(resourceKinds.map((kind) => [kind.resource, kind] as const))('gives valid samples: %s', (resource, kind) => {
    const { metadata, ...rest } = anObjectOf[resource]!;
    let tried = 0;
    const lines = new Set<string>();
    for (const replacement of odd)
      for (const variant of variants(rest, replacement)) {
        const members = typeof variant === 'object' && variant !== null ? variant : {};
        const object = { ...members, metadata } as AnyObject;
        const texts = renderObject(object, { label: kind.label, families: kind.families, allowed: { labels: ['*'], annotations: ['*'] } });
        for (const line of texts.join('').split('\n').slice(0, -1)) lines.add(line);
        tried++;
      }
    for (const line of lines) readSample(line);
    expect(tried).toBeGreaterThan(odd.length * 3);
  });

  it('gives no series twice', () => {
    for (const { resource, label, families } of resourceKinds) {
      const given = anObjectOf[resource]!;
      const twice = { ...given, status: { ...(given['status'] as object), conditions: [{ type: 'A' }, { type: 'A' }] } };
      const texts = renderObject(twice, { label, families, allowed: nothing });
      const text = families.map(({ name }, at) => `# HELP ${name} x\n# TYPE ${name} gauge\n${texts[at]}`).join('');
      expect(readExposition(text)).toHaveLength(families.length);
    }
  });
});
