import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { annotations, sidecarSetAnnotations } from '@kruise/api';
import { recordedStages } from '@kruise/testing';
import {
  formatInjectedList,
  formatInjectionRecords,
  formatUpdateStates,
  formatWorkingContainers,
  imagelessRecordsOf,
  injectedSetsOf,
  injectionRecordsOf,
  parseInjectionRecords,
  parseUpdateStates,
  sidecarListOf,
  workingContainersOf,
  type InjectionRecord,
} from './pod-record.ts';
import { recordedAt } from '../recorded.testing.ts';
import { anInjectedPod, aSidecarSet } from '../testing.ts';

const valueOf = <T>(parsed: { readonly kind: string; readonly value?: T }): T => {
  expect(parsed.kind).toBe('Parsed');
  return parsed.value as T;
};

describe('the annotations of a Pod', () => {
  it('come out as they were recorded', () => {
    for (const stage of recordedStages) {
      for (const { metadata } of recordedAt(stage).pods) {
        const text = (key: string): string => metadata.annotations?.[key] ?? '';
        for (const key of [annotations.sidecarSetHash, sidecarSetAnnotations.hashWithoutImage])
          expect(formatInjectionRecords(valueOf(parseInjectionRecords(text(key))))).toBe(text(key));
        const state = text(sidecarSetAnnotations.inPlaceUpdateState);
        if (state !== '') expect(formatUpdateStates(valueOf(parseUpdateStates(state)))).toBe(state);
      }
    }
  });

  it('keep the order of members, omit an empty revision and write an empty list', () => {
    const record: InjectionRecord = { updateTimestamp: '2026-01-02T03:04:05Z', hash: 'h', sidecarSetName: 's', sidecarList: [] };
    expect(formatInjectionRecords(new Map([['s', record]]))).toBe(
      '{"s":{"updateTimestamp":"2026-01-02T03:04:05Z","hash":"h","sidecarSetName":"s","sidecarList":[]}}',
    );
  });

  it('are read in the legacy form, and written in the present one', () => {
    const records = valueOf(parseInjectionRecords('{"b":"h1","a":"h2"}'));
    expect(records.get('b')).toEqual({ updateTimestamp: '', hash: 'h1', sidecarSetName: 'b', sidecarList: [] });
    const again = parseInjectionRecords(formatInjectionRecords(records));
    expect(valueOf(again)).toEqual(new Map([...records].toSorted(([a], [b]) => (a < b ? -1 : 1))));
    expect(formatInjectionRecords(new Map([['s', valueOf(parseInjectionRecords('{"s":"h"}')).get('s')!]]))).toBe(
      '{"s":{"updateTimestamp":null,"hash":"h","sidecarSetName":"s","sidecarList":[]}}',
    );
  });

  it.each(['', 'null', '[]', '"x"', '{', '{"a":1,"b":null,"c":[]}', '{"__proto__":{"hash":"x"}}'])(
    'count as absent where unreadable: %s',
    (text) => {
      const metadata = { annotations: { [annotations.sidecarSetHash]: text } };
      expect([...injectionRecordsOf(metadata).keys()].filter((name) => name !== '__proto__')).toEqual([]);
    },
  );

  it('are read without members of wrong types', () => {
    const recordOf = (members: object) => valueOf(parseInjectionRecords(JSON.stringify({ s: members }))).get('s');
    const empty = { updateTimestamp: '', hash: '', sidecarSetName: '', sidecarList: [] };
    expect(recordOf({})).toEqual(empty);
    expect(recordOf({ hash: 1, sidecarList: ['a', 1, null, 'b'], controllerRevision: '' })).toEqual({ ...empty, sidecarList: ['a', 'b'] });
    expect(recordOf({ sidecarList: 'a', controllerRevision: 'r' })).toEqual({ ...empty, controllerRevision: 'r' });
  });

  it('say nothing where there are none', () => {
    const { annotations: _none, ...metadata } = anInjectedPod(aSidecarSet()).metadata;
    expect(injectionRecordsOf({})).toEqual(new Map());
    expect(imagelessRecordsOf({})).toEqual(new Map());
    expect(injectedSetsOf({ ...anInjectedPod(aSidecarSet()), metadata })).toEqual([]);
    expect(workingContainersOf(undefined)).toEqual(new Map());
  });

  it('distinguish unreadable from absent on request', () => {
    for (const absent of [undefined, '']) {
      expect(parseInjectionRecords(absent)).toEqual({ kind: 'Parsed', value: new Map() });
      expect(parseUpdateStates(absent)).toEqual({ kind: 'Parsed', value: new Map() });
    }
    expect(parseInjectionRecords('{').kind).toBe('Malformed');
    expect(parseUpdateStates('[1]').kind).toBe('Malformed');
  });

  it('list SidecarSets sorted and once', () => {
    expect(formatInjectedList(['b', 'a', 'b'])).toBe('a,b');
    const pod = anInjectedPod(aSidecarSet(), { annotations: { [sidecarSetAnnotations.injectedList]: 'b,,a,b' } });
    expect(injectedSetsOf(pod)).toEqual(['b', 'a']);
  });

  it('name the SidecarSets of a Pod of a very old version by its hashes', () => {
    const { metadata, ...rest } = anInjectedPod(aSidecarSet({ name: 'old' }));
    const { [sidecarSetAnnotations.injectedList]: _list, ...held } = metadata.annotations ?? {};
    expect(injectedSetsOf({ ...rest, metadata: { ...metadata, annotations: held } })).toEqual(['old']);
  });

  it('omit an image id that is not known', () => {
    const states = new Map([['s', { revision: 'r', updateTimestamp: 't', lastContainerStatuses: { a: { imageID: '' } } }]]);
    expect(formatUpdateStates(states)).toBe('{"s":{"revision":"r","updateTimestamp":"t","lastContainerStatuses":{"a":{}}}}');
    expect(valueOf(parseUpdateStates(formatUpdateStates(states)))).toEqual(states);
  });

  it('hold the working containers of all hot sidecars in one map', () => {
    const text = formatWorkingContainers(new Map([['mesh', 'mesh-1']]));
    expect(text).toBe('{"mesh":"mesh-1"}');
    expect(workingContainersOf({ [sidecarSetAnnotations.workingHotUpgradeContainer]: text })).toEqual(new Map([['mesh', 'mesh-1']]));
    expect(workingContainersOf({ [sidecarSetAnnotations.workingHotUpgradeContainer]: '{"mesh":1}' })).toEqual(new Map());
  });

  it('list native sidecars and containers, not plain init containers', () => {
    const initContainers = [{ name: 'plain' }, { name: 'native', restartPolicy: 'Always' }];
    expect(sidecarListOf({ containers: [{ name: 'b' }, { name: 'a' }], initContainers })).toEqual(['a', 'b', 'native']);
  });

  it('list nothing for what is no container or has no name', () => {
    expect(sidecarListOf({ containers: [null, { image: 'x' }, { name: 'a' }] as never })).toEqual(['a']);
    expect(sidecarListOf({ initContainers: [null, { restartPolicy: 'Always' }] as never })).toEqual([]);
  });

  it('survive a round trip', () => {
    const record: fc.Arbitrary<InjectionRecord> = fc.record({
      updateTimestamp: fc.constantFrom('', '2026-01-02T03:04:05Z'),
      hash: fc.string(),
      sidecarSetName: fc.string(),
      sidecarList: fc.array(fc.string()),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), record)), (entries) => {
        const records = new Map(entries);
        const parsed = valueOf(parseInjectionRecords(formatInjectionRecords(records)));
        expect(Object.fromEntries(parsed)).toEqual(Object.fromEntries(records));
      }),
      { numRuns: 200 },
    );
  });
});
