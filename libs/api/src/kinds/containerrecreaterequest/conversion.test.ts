import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { convertedObject, deepFreeze } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';

const statuses = 'crr.apps.kruise.io/sync-container-statuses';
const acquired = 'crr.apps.kruise.io/unready-acquired';
const carried = 'apps.kruise.io/v1beta1-members';
const time = '2026-01-02T03:04:05Z';
const spec = { podName: 'p', containers: [{ name: 'c' }] };
const grace = {
  type: 'PreRecreateGrace',
  status: 'True',
  lastTransitionTime: time,
  reason: 'PreRecreateGrace',
  message: 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain',
};
const { lastTransitionTime: _time, ...timeless } = grace;
const other = { type: 'Other', status: 'False', lastTransitionTime: time, reason: 'Because', message: 'm', observedGeneration: 2 };

const up = (object: JsonObject): JsonObject => convertedObject(converter.toHub(deepFreeze(object)));
const down = (object: JsonObject): JsonObject => convertedObject(converter.fromHub(deepFreeze(object)));

describe('ContainerRecreateRequest to v1beta1', () => {
  it('fills the status from the annotations and takes them away', () => {
    const snapshot =
      '[{"name":"c","ready":true,"restartCount":1,"containerID":"containerd://1"},{"name":"d","ready":false,"restartCount":0}]';
    expect(
      up({
        metadata: { name: 'r', annotations: { [statuses]: snapshot, [acquired]: time, a: 'b' } },
        spec,
        status: { phase: 'Recreating' },
      }),
    ).toEqual({
      metadata: { name: 'r', annotations: { a: 'b' } },
      spec,
      status: {
        phase: 'Recreating',
        containerStatusSnapshot: [
          { name: 'c', ready: true, restartCount: 1, containerID: 'containerd://1' },
          { name: 'd', ready: false, restartCount: 0 },
        ],
        conditions: [grace],
      },
    });
  });

  it.each([
    { name: 'text that is no JSON', value: '{' },
    { name: 'JSON that is no list', value: '{"name":"c"}' },
    { name: 'an item without a name', value: '[{"ready":true}]' },
    { name: 'an item whose count is text', value: '[{"name":"c","restartCount":"1"}]' },
    { name: 'an item whose readiness is text', value: '[{"name":"c","ready":"yes"}]' },
    { name: 'an item whose containerID is a number', value: '[{"name":"c","containerID":1}]' },
    { name: 'nothing', value: '' },
  ])('takes no snapshot from an annotation that is $name, and leaves it where it is', ({ value }) => {
    const object = { metadata: { name: 'r', annotations: { [statuses]: value } }, spec, status: { phase: 'Pending' } };
    expect(up(object)).toEqual(object);
    expect(down(up(object))).toEqual(object);
  });

  it('takes a container of which only the name is known for one that is not ready and was never restarted', () => {
    const object = { metadata: { name: 'r', annotations: { [statuses]: '[{"name":"c"}]' } }, spec, status: { phase: 'Pending' } };
    expect(up(object)['status']).toEqual({
      phase: 'Pending',
      containerStatusSnapshot: [{ name: 'c', ready: false, restartCount: 0 }],
    });
  });

  it.each(['', 'soon', '2026-01-02', '2026-13-02T03:04:05Z', '+002026-01-02T03:04:05Z', '2026-01-02T03:04:05Z\0'])(
    'takes no time from %j, and leaves it where it is',
    (value) => {
      const object = { metadata: { name: 'r', annotations: { [acquired]: value } }, spec, status: { phase: 'Pending' } };
      expect(up(object)).toEqual(object);
    },
  );

  it('writes the time in UTC with whole seconds', () => {
    const object = {
      metadata: { name: 'r', annotations: { [acquired]: '2026-01-02T05:04:05.7+02:00' } },
      spec,
      status: { phase: 'Pending' },
    };
    expect(up(object)['status']).toEqual({ phase: 'Pending', conditions: [grace] });
  });
});

describe('ContainerRecreateRequest that has members of v1beta1 already, to v1beta1', () => {
  it('keeps those of another type that no annotation speaks of', () => {
    const odd = { metadata: { name: 'r' }, spec, status: { phase: 'Pending', containerStatusSnapshot: 'x', conditions: 'y' } };
    expect(up(odd)).toEqual(odd);
  });

  it('adds the grace to its conditions', () => {
    const object = { metadata: { name: 'r', annotations: { [acquired]: time } }, spec, status: { phase: 'Pending', conditions: [other] } };
    expect(up(object)['status']).toEqual({ phase: 'Pending', conditions: [other, grace] });
  });
});

describe('ContainerRecreateRequest without a status, to v1beta1', () => {
  it('makes none, as it would lack the phase', () => {
    expect(up({ metadata: { name: 'r', annotations: { [acquired]: time, a: 'b' } }, spec })).toEqual({
      metadata: { name: 'r', annotations: { a: 'b' } },
      spec,
    });
  });
});

describe('ContainerRecreateRequest to v1alpha1', () => {
  it('writes the annotations in the order and form that old readers expect', () => {
    const status = {
      phase: 'Recreating',
      containerStatusSnapshot: [
        { containerID: 'x://1', restartCount: 1, ready: true, name: 'c' },
        { name: 'd', ready: false, restartCount: 0, containerID: '' },
      ],
      conditions: [grace],
    };
    expect(down({ metadata: { name: 'r' }, spec, status })).toEqual({
      metadata: {
        name: 'r',
        annotations: {
          [statuses]: '[{"name":"c","ready":true,"restartCount":1,"containerID":"x://1"},{"name":"d","ready":false,"restartCount":0}]',
          [acquired]: time,
        },
      },
      spec,
      status: { phase: 'Recreating' },
    });
  });

  it('omits from the snapshot what is no object and an id that is no text', () => {
    const status = { phase: 'Pending', containerStatusSnapshot: [null, { name: 'c', ready: true, restartCount: 1, containerID: 7 }] };
    expect(down({ metadata: { name: 'r' }, spec, status })['metadata']).toEqual({
      name: 'r',
      annotations: { [statuses]: '[{"name":"c","ready":true,"restartCount":1}]' },
    });
  });

  it.each([
    { name: 'a grace condition that is not True', condition: { ...grace, status: 'False' } },
    { name: 'another condition that is True', condition: { ...other, status: 'True' } },
    { name: 'a grace condition whose time is no text', condition: { ...grace, lastTransitionTime: [time] } },
  ])('writes no annotation for $name', ({ condition }) => {
    const status = { phase: 'Recreating', conditions: [condition] };
    const { annotations } = down({ metadata: { name: 'r' }, spec, status })['metadata'] as { annotations: JsonObject };
    expect(annotations[acquired]).toBeUndefined();
  });

  it('leaves the annotations alone when the status says nothing', () => {
    const beta = { metadata: { name: 'r', annotations: { [acquired]: 'x' } }, spec, status: { phase: 'Pending' } };
    expect(down(beta)).toEqual(beta);
    expect(down({ metadata: { name: 'r' }, spec, status: { phase: 'Pending', conditions: [] } })).toEqual({
      metadata: { name: 'r' },
      spec,
      status: { phase: 'Pending' },
    });
  });

  it.each([
    { name: 'the grace before another', conditions: [grace, other] },
    { name: 'a grace with a message of its own', conditions: [{ ...grace, message: 'm' }] },
    { name: 'a grace with one member more', conditions: [{ ...grace, observedGeneration: 2 }] },
    { name: 'a grace of which it is not known since when, with one member more', conditions: [{ ...timeless, observedGeneration: 2 }] },
  ])('keeps what the annotation does not contain completely: $name', ({ conditions }) => {
    const alpha = down({ metadata: { name: 'r' }, spec, status: { phase: 'Recreating', conditions } });
    expect(alpha).toHaveProperty(['metadata', 'annotations', carried], JSON.stringify({ status: { conditions } }));
  });

  it('and back gives conditions in their order, with their own words', () => {
    const status = { phase: 'Recreating', conditions: [{ ...grace, message: 'm', observedGeneration: 2 }, other] };
    expect(up(down({ metadata: { name: 'r' }, spec, status }))['status']).toEqual(status);
  });

  it('drops carried conditions that are none', () => {
    const carrying = {
      metadata: { name: 'r', annotations: { [carried]: '{"status":{"conditions":[{"type":"Other"}]}}' } },
      spec,
      status: { phase: 'Pending' },
    };
    expect(up(carrying)).toEqual({ metadata: { name: 'r' }, spec, status: { phase: 'Pending' } });
  });

  it('carries other conditions through, and what a v1alpha1 client does to the annotation counts', () => {
    const beta = { metadata: { name: 'r' }, spec, status: { phase: 'Recreating', conditions: [other, grace] } };
    const alpha = down(beta);
    expect(up(alpha)).toEqual(beta);
    const { annotations } = alpha['metadata'] as { annotations: Record<string, string> };
    const cleared = { ...alpha, metadata: { name: 'r', annotations: { [carried]: annotations[carried] } } };
    expect(up(cleared)['status']).toEqual({ phase: 'Recreating', conditions: [other] });
    const later = { ...alpha, metadata: { name: 'r', annotations: { ...annotations, [acquired]: '2027-01-01T00:00:00Z' } } };
    expect(up(later)['status']).toEqual({
      phase: 'Recreating',
      conditions: [other, { ...grace, lastTransitionTime: '2027-01-01T00:00:00Z' }],
    });
  });
});
