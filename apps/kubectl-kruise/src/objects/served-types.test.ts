import { describe, expect, it } from '@jest/globals';
import { servedTypes } from '../testing.ts';
import { findType, groupVersionsOf, parseResourceArguments, typeOfObject, typesOfDiscovery, typesOfResourceList } from './served-types.ts';

const named = (word: string): string | undefined => {
  const type = findType(servedTypes, word);
  return type === undefined ? undefined : `${type.plural}.${type.version}.${type.group}`;
};

describe('a word means a kind', () => {
  it.each<[word: string, means: string | undefined]>([
    ['clone', 'clonesets.v1beta1.apps.kruise.io'],
    ['CloneSet', 'clonesets.v1beta1.apps.kruise.io'],
    ['clonesets.apps.kruise.io', 'clonesets.v1beta1.apps.kruise.io'],
    ['clonesets.v1alpha1.apps.kruise.io', 'clonesets.v1alpha1.apps.kruise.io'],
    ['cloneset.apps', 'clonesets.v1beta1.apps.kruise.io'],
    ['sts', 'statefulsets.v1.apps'],
    ['statefulset', 'statefulsets.v1.apps'],
    ['asts', 'statefulsets.v1beta1.apps.kruise.io'],
    ['statefulset.apps.kruise.io', 'statefulsets.v1beta1.apps.kruise.io'],
    ['ds', 'daemonsets.v1.apps'],
    ['ads', 'daemonsets.v1beta1.apps.kruise.io'],
    ['daemon', 'daemonsets.v1beta1.apps.kruise.io'],
    ['bcj', 'broadcastjobs.v1beta1.apps.kruise.io'],
    ['acj', 'advancedcronjobs.v1beta1.apps.kruise.io'],
    ['crr', 'containerrecreaterequests.v1beta1.apps.kruise.io'],
    ['ud', 'uniteddeployments.v1beta1.apps.kruise.io'],
    ['rollout', 'rollouts.v1beta1.rollouts.kruise.io'],
    ['po', 'pods.v1.'],
    ['services', 'services.v1.'],
    ['cj', 'cronjobs.v1.batch'],
    ['deployments.v1.apps', 'deployments.v1.apps'],
    ['nothing', undefined],
    ['clonesets.other.io', undefined],
    ['podu', undefined],
    ['constructor', undefined],
    ['', undefined],
  ])('%s', (word, means) => expect(named(word)).toBe(means));
});

it('an object is of the version that it says, when that is served', () => {
  expect(typeOfObject(servedTypes, { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' })?.version).toBe('v1alpha1');
  expect(typeOfObject(servedTypes, { apiVersion: 'v1', kind: 'Pod' })?.plural).toBe('pods');
  expect(typeOfObject(servedTypes, { apiVersion: 'apps.kruise.io/v2', kind: 'CloneSet' })).toBeUndefined();
});

describe('resource arguments', () => {
  it.each<[args: string, means: object]>([
    [
      'clone/a asts/b',
      {
        kind: 'Named',
        items: [
          { word: 'clone', name: 'a' },
          { word: 'asts', name: 'b' },
        ],
      },
    ],
    [
      'clone a b',
      {
        kind: 'Named',
        items: [
          { word: 'clone', name: 'a' },
          { word: 'clone', name: 'b' },
        ],
      },
    ],
    [
      'clone,asts a',
      {
        kind: 'Named',
        items: [
          { word: 'clone', name: 'a' },
          { word: 'asts', name: 'a' },
        ],
      },
    ],
    ['clone,asts', { kind: 'Whole', words: ['clone', 'asts'] }],
    ['clone/', { kind: 'Wrong', message: 'arguments in resource/name form must have a single resource and name, but found "clone/"' }],
    [
      'clone/a/b',
      { kind: 'Wrong', message: 'arguments in resource/name form must have a single resource and name, but found "clone/a/b"' },
    ],
  ])('%s', (args, means) => expect(parseResourceArguments(args.split(' '))).toEqual(means));
});

describe('discovery', () => {
  it('reads the kinds of all groups at once', () => {
    const resource = {
      resource: 'clonesets',
      responseKind: { kind: 'CloneSet' },
      scope: 'Namespaced',
      singularResource: 'cloneset',
      shortNames: ['clone'],
      verbs: ['list'],
      subresources: [{ subresource: 'status' }],
    };
    const answer = {
      items: [{ metadata: { name: 'apps.kruise.io' }, versions: [{ version: 'v1beta1', resources: [resource] }, { version: 'v1alpha1' }] }],
    };
    expect(typesOfDiscovery(answer)).toEqual([
      {
        group: 'apps.kruise.io',
        version: 'v1beta1',
        kind: 'CloneSet',
        plural: 'clonesets',
        namespaced: true,
        singular: 'cloneset',
        shortNames: ['clone'],
        verbs: ['list'],
        subresources: ['status'],
      },
    ]);
    for (const bad of [undefined, null, 7, {}, { items: null }, { items: [7, { versions: {} }] }])
      expect(typesOfDiscovery(bad)).toEqual([]);
  });

  it('reads the lists of older servers, the preferred version first', () => {
    expect(
      groupVersionsOf({ groups: [{ name: 'a', preferredVersion: { version: 'v2' }, versions: [{ version: 'v1' }, { version: 'v2' }] }] }),
    ).toEqual([
      { group: 'a', version: 'v2' },
      { group: 'a', version: 'v1' },
    ]);
    const list = {
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod', shortNames: ['po'], verbs: ['get'] },
        { name: 'pods/exec' },
      ],
    };
    expect(typesOfResourceList(list, { group: '', version: 'v1' })).toEqual([
      {
        group: '',
        version: 'v1',
        kind: 'Pod',
        plural: 'pods',
        namespaced: true,
        singular: 'pod',
        shortNames: ['po'],
        verbs: ['get'],
        subresources: ['exec'],
      },
    ]);
  });
});
