import { describe, expect, it } from '@jest/globals';
import { aPod } from '../../testdata/build.ts';
import { formatUpdateState, graceSpecOf, hasNextBatch, mayHaveNextBatch, parseUpdateState, updateStateOf } from './update-state.ts';

describe('the text of a state', () => {
  const fresh = { revision: 'r', updateTimestamp: 't', lastContainerStatuses: null };

  it.each<{ name: string; text: string; then: object }>([
    {
      name: 'without anything is that of an unknown update',
      text: '{}',
      then: { revision: '', updateTimestamp: '', lastContainerStatuses: null },
    },
    {
      name: 'with members of wrong types is read without them',
      text: '{"revision":1,"updateTimestamp":2,"lastContainerStatuses":[],"updateEnvFromMetadata":1,"updateResources":"true","updateImages":false,"nextContainerImages":[],"nextContainerRefMetadata":7,"nextContainerResources":null,"preCheckBeforeNext":[],"containerBatchesRecord":{}}',
      then: { revision: '', updateTimestamp: '', lastContainerStatuses: null },
    },
    {
      name: 'with empty members is read without them',
      text: '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{},"nextContainerImages":{},"containerBatchesRecord":[]}',
      then: { ...fresh, lastContainerStatuses: {} },
    },
    {
      name: 'has an empty image id when none is written',
      text: '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{},"b":null,"c":{"imageID":"x"}}}',
      then: { ...fresh, lastContainerStatuses: { a: { imageID: '' }, c: { imageID: 'x' } } },
    },
    {
      name: 'contains only strings as names, and only objects as batches',
      text: '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":null,"preCheckBeforeNext":{"containersRequiredReady":["a",7]},"containerBatchesRecord":[{"timestamp":"t1","containers":["b",null]},null,{"containers":"x"}]}',
      then: {
        ...fresh,
        preCheckBeforeNext: { containersRequiredReady: ['a'] },
        containerBatchesRecord: [
          { timestamp: 't1', containers: ['b'] },
          { timestamp: '', containers: [] },
        ],
      },
    },
  ])('$name', ({ text, then }) => {
    expect(parseUpdateState(text)).toStrictEqual({ kind: 'Parsed', value: then });
  });

  it('omits an empty image id, an absent record and unset members', () => {
    expect(
      formatUpdateState({ ...fresh, lastContainerStatuses: { a: { imageID: '' } }, updateImages: false, containerBatchesRecord: [] }),
    ).toBe('{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{}}}');
    expect(formatUpdateState({ ...fresh, lastContainerStatuses: {} })).toBe(
      '{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{}}',
    );
  });

  it.each<[string, object, boolean]>([
    ['nothing', {}, false],
    ['images', { nextContainerImages: { a: 'a:2' } }, true],
    ['metadata', { nextContainerRefMetadata: { a: { labels: { x: '1' } } } }, true],
    ['resources', { nextContainerResources: { a: { limits: { cpu: '1' } } } }, true],
    ['empty maps', { nextContainerImages: {}, nextContainerRefMetadata: {}, nextContainerResources: {} }, false],
  ])('with %s for later has a next batch: %#', (_name, more, expected) => {
    const state = { ...fresh, ...more };
    expect(hasNextBatch(state)).toBe(expected);
    for (const key of ['apps.kruise.io/inplace-update-state', 'inplace-update-state']) {
      expect(mayHaveNextBatch(aPod({ annotations: { [key]: formatUpdateState(state) } }))).toBe(expected);
    }
  });

  it('is read under the legacy key only when the new one is absent', () => {
    const written = (revision: string) => formatUpdateState({ ...fresh, revision });
    const both = { 'apps.kruise.io/inplace-update-state': written('new'), 'inplace-update-state': written('old') };
    const grace = { 'apps.kruise.io/inplace-update-grace': '{"revision":"new"}', 'inplace-update-grace': '{"revision":"old"}' };
    expect(updateStateOf(aPod({ annotations: both }))).toEqual({ kind: 'Parsed', value: { ...fresh, revision: 'new' } });
    expect(updateStateOf(aPod({ annotations: { 'inplace-update-state': written('old') } }))).toEqual({
      kind: 'Parsed',
      value: { ...fresh, revision: 'old' },
    });
    expect(graceSpecOf(aPod({ annotations: grace }))).toEqual({ kind: 'Parsed', value: { revision: 'new' } });
    expect(graceSpecOf(aPod({ annotations: { 'inplace-update-grace': '{"revision":"old"}' } }))).toEqual({
      kind: 'Parsed',
      value: { revision: 'old' },
    });
    const bare = { metadata: { name: 'p' }, spec: { containers: [] } };
    expect([updateStateOf(bare), graceSpecOf(bare), mayHaveNextBatch(bare)]).toEqual([{ kind: 'Absent' }, { kind: 'Absent' }, false]);
  });
});
