import { describe, expect, it } from '@jest/globals';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { mapLabels } from './map-labels.ts';

const of = (labels: Readonly<Record<string, string>>, allowed: readonly string[] = ['*']) =>
  mapLabels('label', Object.entries(labels), allowed);

describe('labels of an object as labels of a metric', () => {
  it('are those that are allowed, sorted by key', () => {
    expect(of({ team: 'b', app: 'a', other: 'c' }, ['team', 'app'])).toEqual([
      ['label_app', 'a'],
      ['label_team', 'b'],
    ]);
    expect(of({ team: 'b' }, [])).toEqual([]);
  });

  it('have letters, digits and underscores, in snake case', () => {
    expect(of({ 'app.kubernetes.io/name': 'x', 'example.com/partOf': 'y', 'X-Y': 'z' }).map(([name]) => name)).toEqual([
      'label_x_y',
      'label_app_kubernetes_io_name',
      'label_example_com_part_of',
    ]);
  });

  it('have suffixes where keys come to the same name, in the order of the keys', () => {
    expect(of({ a_b: '2', 'a.b': '1' })).toEqual([
      ['label_a_b_conflict1', '1'],
      ['label_a_b_conflict2', '2'],
    ]);
  });

  it('keep a name that looks like such a suffix', () => {
    expect(of({ 'a.b': '1', a_b: '2', a_b_conflict1: '3' })).toEqual([
      ['label_a_b_conflict2', '1'],
      ['label_a_b_conflict3', '2'],
      ['label_a_b_conflict1', '3'],
    ]);
  });

  it('never have a name twice', () => {
    const key = fc.stringMatching(/^[ab][._-]?[bB]?(_conflict[1-3])?$/);
    const names = fc.uniqueArray(key, { maxLength: 8 });
    fc.assert(
      fc.property(names, (keys) => {
        const labels = mapLabels(
          'annotation',
          keys.map((one) => [one, one]),
          ['*'],
        );
        expect(new Set(labels.map(([name]) => name)).size).toBe(keys.length);
        for (const [name] of labels) expect(name).toMatch(/^annotation_[a-z0-9_]+$/);
      }),
      { numRuns: casesOf(300, 5000) },
    );
  });
});
