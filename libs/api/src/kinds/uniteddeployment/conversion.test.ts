import { describe, expect, it } from '@jest/globals';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const hubStatuses = (status: object): unknown =>
  (convertedObject(converter.toHub({ metadata: { name: 'u' }, status }))['status'] as { subsetStatuses?: unknown }).subsetStatuses;

describe('the numbers by subset of v1alpha1', () => {
  it.each<{ name: string; status: object; list: readonly unknown[] }>([
    {
      name: 'are in the entries of their subsets, and in new ones',
      status: {
        subsetStatuses: [{ name: 'b', readyReplicas: 1 }],
        subsetReplicas: { a: 2, b: 3 },
        updateStatus: { currentPartitions: { a: 1 } },
      },
      list: [
        { name: 'b', readyReplicas: 1, replicas: 3 },
        { name: 'a', replicas: 2, partition: 1 },
      ],
    },
    { name: 'are 0 where they are null', status: { subsetReplicas: { a: null } }, list: [{ name: 'a', replicas: 0 }] },
    {
      name: 'are written over by null, too',
      status: { subsetStatuses: [{ name: 'a', replicas: 5 }], subsetReplicas: { a: null } },
      list: [{ name: 'a', replicas: 0 }],
    },
    {
      name: 'of a subset without a name belong to the entry without a name',
      status: { subsetStatuses: [{ readyReplicas: 1 }], subsetReplicas: { '': 4 } },
      list: [{ readyReplicas: 1, replicas: 4 }],
    },
    {
      name: 'of a subset without a name belong to an entry that is null',
      status: { subsetStatuses: [null], subsetReplicas: { '': 4 } },
      list: [{ name: '', replicas: 4 }],
    },
    {
      name: 'of two entries with one name belong to the first',
      status: { subsetStatuses: [{ name: 'a' }, { name: 'a', replicas: 1 }], subsetReplicas: { a: 4 } },
      list: [
        { name: 'a', replicas: 4 },
        { name: 'a', replicas: 1 },
      ],
    },
    {
      name: 'come in the order of their names, those of all replicas first',
      status: { subsetReplicas: { c: 1, b: 2 }, updateStatus: { currentPartitions: { a: 3, c: 4 } } },
      list: [
        { name: 'b', replicas: 2 },
        { name: 'c', replicas: 1, partition: 4 },
        { name: 'a', partition: 3 },
      ],
    },
  ])('$name', ({ status, list }) => {
    expect(hubStatuses(status)).toEqual(list);
  });
});

describe('the numbers by subset of v1beta1', () => {
  it('are maps in v1alpha1, of two entries with one name by the first, and of an entry without a name not at all', () => {
    const subsetStatuses = [{ name: 'a', replicas: 1 }, { name: 'a', replicas: 2, partition: 3 }, { name: '', replicas: 4 }, { name: 'b' }];
    const alpha = convertedObject(converter.fromHub({ metadata: { name: 'u' }, status: { subsetStatuses, updatedRevision: 'r' } }));
    expect(alpha['status']).toEqual({
      subsetStatuses,
      subsetReplicas: { a: 1, b: 0 },
      updateStatus: { updatedRevision: 'r', currentPartitions: { a: 0, b: 0 } },
    });
  });

  it.each([
    [{ replicas: 1 }, undefined],
    [{ updatedRevision: '', subsetStatuses: [] }, undefined],
    [{ updatedRevision: 'r' }, { updatedRevision: 'r' }],
    [{ subsetStatuses: [{ replicas: 1 }] }, {}],
  ])('leave an updateStatus where there is something to say: %j', (status, updateStatus) => {
    const alpha = convertedObject(converter.fromHub({ metadata: { name: 'u' }, status }));
    expect((alpha['status'] as { updateStatus?: unknown }).updateStatus).toEqual(updateStatus);
  });
});

describe('the template of a CloneSet', () => {
  const unitedOf = (spec: object) => ({
    metadata: { name: 'u' },
    spec: { replicas: 1, template: { cloneSetTemplate: { metadata: { labels: { a: 'b' } }, spec } } },
  });
  const flat = {
    template: {},
    updateStrategy: { type: 'InPlaceIfPossible', partition: '20%', paused: true, inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } },
    scaleStrategy: { disablePVCReuse: true },
  };
  const nested = {
    template: {},
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        podUpdatePolicy: 'InPlaceIfPossible',
        partition: '20%',
        paused: true,
        inPlaceUpdateStrategy: { gracePeriodSeconds: 5 },
      },
    },
    scaleStrategy: { enablePVCReuse: false },
  };

  it('in the form of v1alpha1 is converted to that of v1beta1, which it keeps in v1alpha1', () => {
    const hub = convertedObject(converter.toHub(deepFreeze(unitedOf(flat))));
    expect(hub).toEqual(unitedOf(nested));
    expect(convertedObject(converter.fromHub(hub))).toEqual(unitedOf(nested));
  });

  it.each([nested, { template: {} }, { updateStrategy: { type: 'OnDelete' } }, {}])('in the form of v1beta1 is unchanged: %j', (spec) => {
    expect(convertedObject(converter.toHub(deepFreeze(unitedOf(spec))))).toEqual(unitedOf(spec));
  });

  it('is looked for in no other template, and need not be there', () => {
    for (const template of [{ deploymentTemplate: { spec: flat } }, { cloneSetTemplate: null }, {}, null]) {
      const object = { metadata: { name: 'u' }, spec: { template } };
      expect(convertedObject(converter.toHub(deepFreeze(object)))).toEqual(object);
    }
  });
});

describe('what both versions have', () => {
  it('is the same in both, absent lists and maps stay absent, and there are no annotations', () => {
    const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, topology: { subsets: [{ name: 'a', replicas: '50%' }] } };
    for (const status of [undefined, {}, { replicas: 1, observedGeneration: 4, labelSelector: 'a=b', conditions: [] }]) {
      const object = deepFreeze({ metadata: { name: 'u' }, spec, ...(status === undefined ? {} : { status }) });
      expect(convertedObject(converter.toHub(object))).toEqual(object);
      expect(convertedObject(converter.fromHub(object))).toEqual(object);
    }
  });
});
