import { describe, expect, it } from '@jest/globals';
import { secretCopyName } from '@kruise/api';
import { deepFreeze, imageLimits, instant, type Secret } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import {
  isOfSameType,
  lingersFor,
  newCopy,
  planRelease,
  planSecrets,
  referenceTo,
  wantedSecretsOf,
  type SecretAction,
} from './plan-secrets.ts';
import { aJob, at } from '../images/builders.testing.ts';
import { whyUnfit } from '../images/pull-secrets.ts';

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

const named = (name: string, secret: Secret) => ({ key: { namespace: 'default', name }, source: secret, unfit: whyUnfit(secret) });
const wanted = (secret = source()) => [named('s', secret)];
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
    {
      name: 'a copy of another type from an earlier version is left, also when its source is deleted',
      copies: [{ ...aCopy('s-1', 'default/pull'), type: 'Opaque' }],
      secret: null,
      actions: ['delete s-1'],
      uses: [],
    },
    { name: 'without a source there is nothing to copy', copies: [aCopy('s-1', 'a/b')], secret: null, actions: [], uses: [] },
    {
      name: 'it keeps its copy of a deleted source',
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

  it('is a copy without what its source says of itself', () => {
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{}}', note: 'x' };
    const old = aCopy('s-1', 'default/pull');
    const copy = {
      ...old,
      metadata: { ...old.metadata, labels: { team: 'shop' }, annotations: { ...old.metadata.annotations, ...applied } },
    };
    const [action] = planSecrets('default/pull', wanted(), [deepFreeze(copy)]).actions;
    expect(action).toStrictEqual({ kind: 'UpdateCopy', copy: old, because: 'it carries annotations of its source' });
  });

  it('is given for a reason', () => {
    const because = (copies: readonly Secret[]): readonly string[] =>
      planSecrets('default/pull', wanted(), copies).actions.map((one) => one.because);
    expect(because([])).toEqual(['there is no copy of it']);
    expect(because([aCopy('s-1', 'a/b')])).toEqual(['the job uses it']);
    expect(because([aCopy('s-1', 'default/pull', { value: 'old' })])).toEqual(['its source changed']);
    expect(because([aCopy('x-1', 'default/pull', { of: 'default/x' }), aCopy('s-1', 'default/pull')])).toEqual([
      'the job does not want it',
    ]);
  });

  it('is a copy of each secret, in the order of the job', () => {
    const both = ['b', 'a'].map((name) => named(name, source('a', name)));
    const copies = ['a', 'b'].map((name) => aCopy(`${name}-1`, 'default/pull', { of: `default/${name}` }));
    expect(planSecrets('default/pull', both, copies).copies.map(({ metadata }) => metadata.name)).toEqual(['b-1', 'a-1']);
    expect(storyOf(planSecrets('default/pull', both, []).actions)).toEqual(['create of b', 'create of a']);
  });

  it('changes nothing of a copy but its users and its data', () => {
    const { data: _data, ...empty } = source();
    const copy = aCopy('s-1', 'a/b', { value: 'old' });
    const references = { 'imagepulljobs.kruise.io/references': 'a/b,default/pull' };
    const joined = { ...copy, metadata: { ...copy.metadata, annotations: { ...copy.metadata.annotations, ...references } } };
    expect(planSecrets('default/pull', wanted(), [copy]).copies).toEqual([{ ...joined, data: source().data }]);
    expect(planSecrets('default/pull', wanted(empty), [copy]).copies).toEqual([{ ...joined, data: {} }]);
    const { data: _held, ...bare } = aCopy('s-1', 'default/pull');
    expect(planSecrets('default/pull', wanted(empty), [bare])).toEqual({ actions: [], refused: [], copies: [bare] });
  });

  it.each(['default/pull,a/b', 'default/pull', 'z/z,default/pull,a/b'])(
    'is the very copy that says %j: its users are not sorted again',
    (users) => {
      const copy = aCopy('s-1', users);
      const { actions, copies } = planSecrets('default/pull', wanted(), [copy]);
      expect([actions, copies[0] === copy]).toEqual([[], true]);
    },
  );

  it.each([
    ['a/b,z/z', 'a/b,default/pull,z/z'],
    ['a/b', 'a/b,default/pull'],
    ['z/z', 'default/pull,z/z'],
    ['default/pull-2,my-default/pull', 'default/pull,default/pull-2,my-default/pull'],
  ])('is joined at the place of the job: of %j it makes %j', (users, joined) => {
    expect(storyOf(planSecrets('default/pull', wanted(), [aCopy('s-1', users)]).actions)).toEqual([`update s-1: ${joined} a`]);
  });

  it('joins an unused copy', () => {
    const { annotations: _annotations, ...metadata } = aCopy('s-1', '').metadata;
    const annotations = { 'imagepulljobs.kruise.io/source-key': 'default/s' };
    const copies = [{ ...aCopy('s-1', ''), metadata: { ...metadata, annotations } }];
    expect(storyOf(planSecrets('default/pull', wanted(), copies).actions)).toEqual(['update s-1: default/pull a']);
    expect(storyOf(planSecrets('default/pull', wanted(), [{ ...aCopy('s-1', ''), metadata }]).actions)).toEqual(['create of s']);
  });

  it.each<string | undefined>([
    'Opaque',
    undefined,
    'kubernetes.io/service-account-token',
    'kubernetes.io/tls',
    'kubernetes.io/dockerconfigjson ',
  ])('is never a secret of type %p, which does not keep it from others', (type) => {
    const { type: _type, ...bare } = source('a', 'x');
    const odd = { ...bare, ...(type === undefined ? {} : { type }) };
    const both = [named('x', odd), ...wanted()];
    const copies = [{ ...aCopy('x-1', 'a/b,default/pull', { of: 'default/x' }), type: odd.type ?? 'Opaque' }];
    const next = planSecrets('default/pull', deepFreeze(both), deepFreeze(copies));
    expect(storyOf(next.actions)).toEqual(['update x-1: a/b a', 'create of s']);
    expect(next.refused).toEqual([{ key: { namespace: 'default', name: 'x' }, why: { kind: 'OtherType', type: type ?? 'Opaque' } }]);
    expect(next.copies).toEqual([]);
  });

  it.each(['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'])('is one of type %s', (type) => {
    const next = planSecrets('default/pull', wanted({ ...source(), type }), []);
    expect([storyOf(next.actions), next.refused]).toEqual([['create of s'], []]);
  });

  it('is nothing of a secret that is too large for the nodes, and the job leaves the copy that was made before', () => {
    const { value } = imageLimits.pullSecretBytes;
    const large = { ...source(), data: { '.dockerconfigjson': Buffer.alloc(value).toString('base64'), more: 'AA==' } };
    const next = planSecrets('default/pull', wanted(large), [aCopy('s-1', 'a/b,default/pull')]);
    expect(storyOf(next.actions)).toEqual(['update s-1: a/b a']);
    expect(next.refused).toEqual([{ key: { namespace: 'default', name: 's' }, why: { kind: 'TooLarge', bytes: value + 1 } }]);
    expect(next.copies).toEqual([]);
  });

  it('is nothing for a job that names none', () => {
    expect(wantedSecretsOf(aJob())).toEqual([]);
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

describe('the copies of a job that ended', () => {
  const ended = (more: object = {}) => aJob({ status: { desired: 1, completionTime: at(100) }, metadata: more });
  const copies = [aCopy('s-1', 'a/b,default/pull')];
  const left = (job: ReturnType<typeof aJob> | undefined, second: number, held: readonly Secret[] = copies) =>
    lingersFor(job, held, instant(epoch + second * 1000));

  it.each<[second: number, left: number | undefined]>([
    [100, 5000],
    [104.999, 1],
    [105, undefined],
    [1000, undefined],
    [99, 6000],
    [95, undefined],
  ])('are its own at second %d for %p ms more', (second, then) => {
    expect(left(ended(), second)).toBe(then);
  });

  it('are not once it is deleted or gone, nor does it wait without any', () => {
    expect(left(ended({ deletionTimestamp: at(101) }), 101)).toBeUndefined();
    expect(left(undefined, 101)).toBeUndefined();
    expect(left(aJob(), 101)).toBeUndefined();
    expect(
      left(ended(), 101, [aCopy('s-1', 'default/pull-2'), aCopy('s-2', 'default/pull', { more: { deletionTimestamp: at(1) } })]),
    ).toBeUndefined();
  });
});

describe('a copy', () => {
  it('has the type and data of its source, none of its labels and annotations, and says whose it is', () => {
    expect(newCopy(deepFreeze(source()), 'default/pull', config)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: secretCopyName({ namespace: 'default', name: 's' }, 0),
        namespace: config,
        annotations: {
          'imagepulljobs.kruise.io/source-key': 'default/s',
          'imagepulljobs.kruise.io/references': 'default/pull',
          'imagepulljobs.kruise.io/mode': 'batch',
        },
      },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': 'a' },
    });
  });

  it('has nothing that its source has not', () => {
    expect(newCopy({ metadata: { name: 's', namespace: 'default' } }, 'default/pull', config)).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: secretCopyName({ namespace: 'default', name: 's' }, 0),
        namespace: config,
        annotations: {
          'imagepulljobs.kruise.io/source-key': 'default/s',
          'imagepulljobs.kruise.io/references': 'default/pull',
          'imagepulljobs.kruise.io/mode': 'batch',
        },
      },
    });
  });

  it('is of the type of its source, which is Opaque when it says none', () => {
    const typed = (type?: string): Secret => ({ metadata: { name: 's' }, ...(type === undefined ? {} : { type }) });
    expect([isOfSameType(typed(), typed('Opaque')), isOfSameType(typed('Opaque'), typed())]).toEqual([true, true]);
    expect([isOfSameType(typed(), typed('x')), isOfSameType(typed('x'), typed())]).toEqual([false, false]);
  });

  it('passes its mode to nodes', () => {
    expect(referenceTo(aCopy('s-1', ''))).toEqual({ namespace: config, name: 's-1', mode: 'batch' });
  });

  it('of an older version has no mode', () => {
    expect(referenceTo({ metadata: { name: 'old', namespace: config } })).toEqual({ namespace: config, name: 'old' });
  });
});
