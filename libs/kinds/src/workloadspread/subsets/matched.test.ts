import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aPod } from '@kruise/testing';
import { countedAs, formatMatched, matchedOf } from './matched.ts';
import { aSpreadPod } from '../testing.ts';

const said = (text: string | undefined) =>
  matchedOf(aPod(text === undefined ? {} : { annotations: { 'apps.kruise.io/matched-workloadspread': text } }));

describe('the annotation of a Pod', () => {
  it('is written as others write and read it, to the byte', () => {
    expect(formatMatched({ name: 'web', subset: 'a' })).toBe('{"name":"web","subset":"a"}');
    expect(formatMatched({ name: 'web', subset: 'a', uid: 'u' })).toBe('{"name":"web","subset":"a","uid":"u"}');
  });

  it('says what was written, whatever the names', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(text, text, fc.option(text, { nil: undefined }), (name, subset, uid) => {
        expect(said(formatMatched({ name, subset, uid }))).toEqual({ name, subset, ...(uid === undefined ? {} : { uid }) });
      }),
    );
  });

  it.each<[string, string | undefined]>([
    ['is not there', undefined],
    ['is empty', ''],
    ['is not JSON', '{"name":'],
    ['is not an object', '"web"'],
    ['is null', 'null'],
    ['names no WorkloadSpread', '{"subset":"a"}'],
    ['names an empty one', '{"name":"","subset":"a"}'],
    ['names one by a number', '{"name":1,"subset":"a"}'],
    ['names no subset', '{"name":"web"}'],
    ['names an empty subset', '{"name":"web","subset":""}'],
    ['names a subset by a list', '{"name":"web","subset":["a"]}'],
  ])('that %s says nothing', (_name, text) => {
    expect(said(text)).toBeUndefined();
  });

  it.each(['""', '1', 'null', '{}'])('has no id in %s', (uid) => {
    expect(said(`{"name":"web","subset":"a","uid":${uid}}`)).toEqual({ name: 'web', subset: 'a' });
  });

  it('says under what the Pod was counted: its name where it says nothing else', () => {
    expect([
      countedAs(aSpreadPod({ name: 'x', subset: 'a', uidInSubset: 'u' })),
      countedAs(aSpreadPod({ name: 'x', subset: 'a' })),
      countedAs(aSpreadPod({ name: 'x' })),
    ]).toEqual(['u', 'x', 'x']);
  });
});
