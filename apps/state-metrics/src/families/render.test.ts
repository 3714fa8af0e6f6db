import { describe, expect, it } from '@jest/globals';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { readSample } from './exposition.testing.ts';
import type { Family } from './family.ts';
import { escapeLabelValue, formatValue, headerOf, renderObject } from './render.ts';

const family = (labels: readonly (readonly [string, string])[], value = 1): Family => ({
  name: 'm',
  help: 'Help.',
  samples: () => [{ value, labels }],
});
const allowed = { labels: [], annotations: [] };

describe('the text format', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-1, '-1'],
    [999_999, '999999'],
    [1_000_000, '1e+06'],
    [1724239224, '1.724239224e+09'],
    [-2_500_000, '-2.5e+06'],
    [0.5, '0.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [2 ** 53, '9.007199254740992e+15'],
    [1e100, '1e+100'],
  ])('writes %p as %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('escapes backslashes, quotes and line ends in values of labels, and nothing else', () => {
    expect(escapeLabelValue('a\\b"c\nd\te\u00e9\r')).toBe('a\\\\b\\"c\\nd\te\u00e9\r');
  });

  it('writes namespace and name first', () => {
    const object = { metadata: { namespace: 'n', name: 'c' } };
    expect(renderObject(object, { label: 'cloneset', families: [family([['x', 'y']])], allowed })).toEqual([
      'm{namespace="n",cloneset="c",x="y"} 1\n',
    ]);
  });

  it('writes an empty namespace for an object without one', () => {
    expect(renderObject({ metadata: { name: 'c' } }, { label: 'sidecarset', families: [family([])], allowed })).toEqual([
      'm{namespace="",sidecarset="c"} 1\n',
    ]);
  });

  it('has HELP and TYPE of each family', () => {
    expect(headerOf({ name: 'm', help: 'a\\b' })).toBe('# HELP m a\\\\b\n# TYPE m gauge\n');
  });

  it('is read back as it was, whatever texts and numbers are in it', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', ',', '}', 'a') }));
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(text, text, text, number, (namespace, name, value, of) => {
        const object = { metadata: { namespace, name } };
        const [line = ''] = renderObject(object, { label: 'k', families: [family([['x', value]], of)], allowed });
        const labels = [
          ['namespace', namespace],
          ['k', name],
          ['x', value],
        ];
        expect(readSample(line.slice(0, -1))).toEqual({ name: 'm', labels, value: of === 0 ? 0 : of });
      }),
      { numRuns: casesOf(300, 5000) },
    );
  });
});
