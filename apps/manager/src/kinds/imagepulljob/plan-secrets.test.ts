import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type Secret } from '@kruise/objects';
import { copyName, newCopy, planRelease, planSecrets, referenceTo, wantedSecretsOf, type SecretAction } from './plan-secrets.ts';
import { aJob } from '../../images/builders.testing.ts';

const config = 'kruise-daemon-config';
const source = (value = 'a', name = 's'): Secret => ({
  metadata: { name, namespace: 'default', labels: { team: 'shop' }, annotations: { note: 'x' } },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': value },
});

const aCopy = (
  name: string,
  users: string,
  { value = 'a', of = 'default/s', more = {} }: { value?: string; of?: string; more?: object } = {},
): Secret => ({
  metadata: {
    name,
    namespace: config,
    annotations: {
      'imagepulljobs.kruise.io/source-key': of,
      'imagepulljobs.kruise.io/references': users,
      'imagepulljobs.kruise.io/mode': 'batch',
    },
    ...more,
  },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': value },
});

const wanted = (secret: Secret | undefined = source()) => [{ key: { namespace: 'default', name: 's' }, source: secret }];
const storyOf = (actions: readonly SecretAction[]): readonly string[] =>
  actions.map((action) => {
    if (action.kind === 'CreateCopy') return `create of ${action.source.metadata.name}`;
    const { name, annotations = {} } = action.copy.metadata;
    if (action.kind === 'DeleteCopy') return `delete ${name}`;
    return `update ${name}: ${annotations['imagepulljobs.kruise.io/references']} ${action.copy.data?.['.dockerconfigjson']}`;
  });

describe('what a running job needs', () => {
  it.each<{ name: string; copies: readonly Secret[]; secret?: Secret | null; actions: readonly string[]; uses: readonly string[] }>([
    {
      name: 'a copy is made where there is none',
      copies: [aCopy('s-1', 'default/x', { of: 'other/s' })],
      actions: ['create of s'],
      uses: [],
    },
    { name: 'a copy of others is joined', copies: [aCopy('s-1', 'a/b')], actions: ['update s-1: a/b,default/pull a'], uses: ['s-1'] },
    { name: 'users are listed in order', copies: [aCopy('s-1', 'z/z')], actions: ['update s-1: default/pull,z/z a'], uses: ['s-1'] },
    { name: 'its copy stays as it is', copies: [aCopy('s-1', 'default/pull')], actions: [], uses: ['s-1'] },
    {
      name: 'its copy is kept up to date',
      copies: [aCopy('s-1', 'default/pull', { value: 'old' })],
      actions: ['update s-1: default/pull a'],
      uses: ['s-1'],
    },
    {
      name: 'the copy that lists it is preferred',
      copies: [aCopy('s-1', 'a/b'), aCopy('s-2', 'default/pull')],
      actions: [],
      uses: ['s-2'],
    },
    {
      name: 'the first by name else',
      copies: [aCopy('s-2', 'a/b'), aCopy('s-1', 'a/b')],
      actions: ['update s-1: a/b,default/pull a'],
      uses: ['s-1'],
    },
    {
      name: 'a second copy that lists it is left',
      copies: [aCopy('s-1', 'default/pull'), aCopy('s-2', 'default/pull'), aCopy('s-3', 'a/b,default/pull')],
      actions: ['delete s-2', 'update s-3: a/b a'],
      uses: ['s-1'],
    },
    {
      name: 'a copy that is going does not count',
      copies: [aCopy('s-1', 'default/pull', { more: { deletionTimestamp: 'now' } })],
      actions: ['create of s'],
      uses: [],
    },
    {
      name: 'a copy of something it does not want is left',
      copies: [aCopy('x-1', 'default/pull', { of: 'default/x' })],
      actions: ['delete x-1', 'create of s'],
      uses: [],
    },
    {
      name: 'a copy of what the source was before, of another type, is left',
      copies: [{ ...aCopy('s-1', 'default/pull'), type: 'kubernetes.io/dockercfg' }],
      actions: ['delete s-1', 'create of s'],
      uses: [],
    },
    { name: 'without a source there is nothing to copy', copies: [aCopy('s-1', 'a/b')], secret: null, actions: [], uses: [] },
    {
      name: 'what it has of a source that is gone it keeps',
      copies: [aCopy('s-1', 'default/pull')],
      secret: null,
      actions: [],
      uses: ['s-1'],
    },
  ])('$name', ({ copies, secret, actions, uses }) => {
    const next = planSecrets(
      'default/pull',
      deepFreeze(secret === null ? [{ ...wanted()[0]!, source: undefined }] : wanted(secret)),
      deepFreeze(copies),
    );
    expect(storyOf(next.actions)).toEqual(actions);
    expect(next.copies.map(({ metadata }) => metadata.name)).toEqual(uses);
  });

  it('is each secret once', () => {
    expect(wantedSecretsOf(aJob({ spec: { pullSecrets: ['a', 'b', 'a', ''] } }))).toEqual([
      { namespace: 'default', name: 'a' },
      { namespace: 'default', name: 'b' },
    ]);
  });
});

describe('what a job leaves behind', () => {
  it('nothing that only it used, and its name in no other', () => {
    const copies = [aCopy('s-1', 'default/pull'), aCopy('s-2', 'a/b,default/pull'), aCopy('s-3', 'default/pull-2'), aCopy('s-4', '')];
    expect(storyOf(planRelease('default/pull', deepFreeze(copies), 'over'))).toEqual(['delete s-1', 'update s-2: a/b a']);
  });
});

describe('a copy', () => {
  it('has what its source has, and says whose it is', () => {
    expect(newCopy(deepFreeze(source()), 'default/pull', config)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: copyName({ namespace: 'default', name: 's' }, 0),
        namespace: config,
        labels: { team: 'shop' },
        annotations: {
          note: 'x',
          'imagepulljobs.kruise.io/source-key': 'default/s',
          'imagepulljobs.kruise.io/references': 'default/pull',
          'imagepulljobs.kruise.io/mode': 'batch',
        },
      },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': 'a' },
    });
  });

  it('has a name that follows from its source and fits', () => {
    const key = { namespace: 'default', name: 's' };
    expect(copyName(key, 0)).toMatch(/^s-[0-9a-f]{6}$/);
    expect(new Set([copyName(key, 0), copyName(key, 1), copyName({ ...key, namespace: 'other' }, 0)]).size).toBe(3);
    expect(copyName({ ...key, name: 'x'.repeat(253) }, 0)).toHaveLength(253);
  });

  it('of an older version has no mode to tell', () => {
    expect(referenceTo({ metadata: { name: 'old', namespace: config } })).toEqual({ namespace: config, name: 'old' });
  });
});
