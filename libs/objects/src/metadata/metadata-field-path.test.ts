import { describe, expect, it } from '@jest/globals';
import { parseMetadataFieldPath } from './metadata-field-path.ts';

describe('a path to a label or annotation', () => {
  it.each([
    ["metadata.labels['app']", { from: 'labels', key: 'app' }],
    ["metadata.annotations['a.b/c']", { from: 'annotations', key: 'a.b/c' }],
    ["metadata.labels['']", { from: 'labels', key: '' }],
    ["metadata.labels['a']['b']", { from: 'labels', key: "a']['b" }],
    ['metadata.name', undefined],
    ['metadata.labels', undefined],
    ["metadata.finalizers['x']", undefined],
    ["metadata.labels['x", undefined],
    ['metadata.labels["x"]', undefined],
    ['', undefined],
  ])('%s', (path, then) => {
    expect(parseMetadataFieldPath(path)).toEqual(then);
  });
});
