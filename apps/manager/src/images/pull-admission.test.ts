import { describe, expect, it } from '@jest/globals';
import type { AdmissionHandler, AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, type Gates } from '@kruise/api';
import { FakeClock } from '@kruise/kube/testing';
import type { KubeObject } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { imageListPullJobAdmission } from '../kinds/imagelistpulljob/admission.ts';
import { imagePullJobAdmission } from '../kinds/imagepulljob/admission.ts';
import { nodeImageAdmission } from '../kinds/nodeimage/admission.ts';
import { aNodeImage, aTag } from '@kruise/kinds/images/builders.testing';
import { handlerFixture } from '../module/fixtures/handler-fixture.testing.ts';

const on: Gates = { ...defaultGates, ImagePullJobGate: true };

function handlersOf(gates: Gates): readonly AdmissionHandler[] {
  const clock = new FakeClock(epoch);
  const { dependencies } = handlerFixture({ gates });
  return [...imagePullJobAdmission(dependencies), ...imageListPullJobAdmission(dependencies), ...nodeImageAdmission(dependencies, clock)];
}

const plurals: Readonly<Record<string, string>> = {
  ImagePullJob: 'imagepulljobs',
  ImageListPullJob: 'imagelistpulljobs',
  NodeImage: 'nodeimages',
};

interface Asked {
  readonly object: object;
  readonly oldObject?: object;
  readonly gates?: Gates;
  readonly version?: string;
}

async function ask(
  verb: 'mutate' | 'validate',
  kind: string,
  { object, oldObject, gates = on, version = 'v1beta1' }: Asked,
): Promise<Decision> {
  const handler = handlersOf(gates).find(({ path }) => path === `/${verb}-apps-kruise-io-${kind.toLowerCase()}`);
  if (handler === undefined) throw new Error(`no handler to ${verb} a ${kind}`);
  const request: AdmissionRequest = {
    uid: 'r',
    kind: { group: 'apps.kruise.io', version, kind },
    resource: { group: 'apps.kruise.io', version, resource: plurals[kind] ?? '' },
    namespace: 'default',
    name: 'x',
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    userInfo: { username: 'jane' },
    object: object as KubeObject,
    ...(oldObject === undefined ? {} : { oldObject: oldObject as KubeObject }),
  };
  return handler.decide(request, new AbortController().signal);
}

const complete = { completionPolicy: { type: 'Always' }, pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 } };
const jobOf = (spec: object): object => ({ metadata: { name: 'x' }, spec: { image: 'nginx', ...complete, ...spec } });
const listOf = (spec: object): object => ({ metadata: { name: 'x' }, spec: { images: ['nginx'], ...complete, ...spec } });

const messageOf = (decision: Decision): string => ('message' in decision ? decision.message : decision.kind);
const codeOf = (decision: Decision): number | undefined => (decision.kind === 'Failed' ? decision.code : undefined);

describe('defaults', () => {
  it.each(['v1alpha1', 'v1beta1'])('an ImagePullJob of %s gets its policies and, when it is new, its finalizer', async (version) => {
    const object = { metadata: { name: 'x' }, spec: { image: 'nginx', completionPolicy: {} } };
    expect(await ask('mutate', 'ImagePullJob', { object, version })).toMatchObject({
      kind: 'Changed',
      object: { metadata: { finalizers: ['apps.kruise.io/deletion-protection'] }, spec: { ...complete, imagePullPolicy: 'IfNotPresent' } },
    });
    expect(await ask('mutate', 'ImagePullJob', { object: jobOf({ imagePullPolicy: 'Always' }), oldObject: object, version })).toEqual({
      kind: 'Allowed',
    });
  });

  it('work with the gates off, too', async () => {
    expect((await ask('mutate', 'ImageListPullJob', { object: { metadata: {}, spec: { images: ['a'] } }, gates: defaultGates })).kind).toBe(
      'Changed',
    );
  });

  it('a tag of a NodeImage says when it was requested', async () => {
    const object = { metadata: { name: 'n' }, spec: { images: { nginx: { tags: [{ tag: '1' }] } } } };
    expect(await ask('mutate', 'NodeImage', { object })).toMatchObject({
      object: { spec: { images: { nginx: { tags: [{ tag: '1', createdAt: '2026-01-01T00:00:00Z' }] } } } },
    });
  });
});

describe('gates', () => {
  it.each([
    ['ImagePullJob', { KruiseDaemon: false }, 'KruiseDaemon'],
    ['ImagePullJob', { ImagePullJobGate: false }, 'ImagePullJobGate'],
    ['ImageListPullJob', { ImagePullJobGate: false }, 'ImagePullJobGate'],
    ['NodeImage', { KruiseDaemon: false }, 'KruiseDaemon'],
  ])('%s is refused with %j', async (kind, off, name) => {
    const decision = await ask('validate', kind, { object: { metadata: {}, spec: {} }, gates: { ...on, ...off } });
    expect([codeOf(decision), messageOf(decision)]).toEqual([403, `feature-gate ${name} is not enabled`]);
  });

  it('NodeImages need no jobs', async () => {
    expect((await ask('validate', 'NodeImage', { object: aNodeImage(), gates: defaultGates })).kind).toBe('Allowed');
  });

  it('an object that is going is let go', async () => {
    const object = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} };
    expect((await ask('validate', 'ImagePullJob', { object, oldObject: object, gates: defaultGates })).kind).toBe('Allowed');
  });

  it.each([
    ['an absent', undefined],
    ['a null', null],
  ])('an object with %s time of deletion is not going', async (_name, deletionTimestamp) => {
    const object = { metadata: { deletionTimestamp }, spec: {} };
    expect(codeOf(await ask('validate', 'ImagePullJob', { object, oldObject: object, gates: defaultGates }))).toBe(403);
  });
});

const manyNames = Array.from({ length: 256 }, (_, i) => `image${i}`);

describe('what both jobs must fulfil', () => {
  it.each<{ name: string; spec: object; why: RegExp }>([
    {
      name: 'names and labels',
      spec: { selector: { names: ['a'], matchLabels: { a: 'b' } } },
      why: /names cannot be used together with matchLabels/,
    },
    {
      name: 'a bad selector',
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      why: /spec\.selector\.matchExpressions\[0\]\.values: Required value/,
    },
    { name: 'a name twice', spec: { selector: { names: ['a', 'a'] } }, why: /has a name twice/ },
    {
      name: 'two selectors',
      spec: { selector: { names: ['a'] }, podSelector: { matchLabels: { a: 'b' } } },
      why: /selector and spec\.podSelector cannot/,
    },
    { name: 'two selectors, one of them empty', spec: { selector: {}, podSelector: {} }, why: /cannot be used together/ },
    { name: 'a bad Pod selector', spec: { podSelector: { matchLabels: { 'a b': 'c' } } }, why: /spec\.podSelector/ },
    { name: 'a percentage', spec: { parallelism: '50%' }, why: /can not be a percentage, but is "50%"/ },
    { name: 'a word', spec: { parallelism: 'many' }, why: /must be an integer of 0 or more, not "many"/ },
    { name: 'a negative number', spec: { parallelism: -1 }, why: /not -1/ },
    { name: 'a negative number in a text', spec: { parallelism: '-1' }, why: /not "-1"/ },
    {
      name: 'a deadline without an end',
      spec: { completionPolicy: { type: 'Never', activeDeadlineSeconds: 700 } },
      why: /for the type Always only/,
    },
    {
      name: 'a time to live without an end',
      spec: { completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 0 } },
      why: /for the type Always only/,
    },
    { name: 'an unknown type', spec: { completionPolicy: { type: 'Maybe' } }, why: /unknown type of completionPolicy: Maybe/ },
    {
      name: 'a list of secrets that is too long',
      spec: { pullSecrets: Array.from({ length: 65 }, (_, at) => `s${at}`) },
      why: /spec\.pullSecrets has 65 entries, 64 are allowed/,
    },
    {
      name: 'a sandbox that is too large',
      spec: { sandboxConfig: { annotations: { a: 'ä'.repeat(131_072) } } },
      why: /spec\.sandboxConfig has 262145 bytes, 262144 are allowed/,
    },
  ])('$name is refused', async ({ spec, why }) => {
    for (const decision of [
      await ask('validate', 'ImagePullJob', { object: jobOf(spec) }),
      await ask('validate', 'ImageListPullJob', { object: listOf(spec) }),
    ]) {
      expect(codeOf(decision)).toBe(400);
      expect(messageOf(decision)).toMatch(why);
    }
  });

  it.each([
    {},
    { selector: { names: [] } },
    { selector: {} },
    { podSelector: {} },
    { parallelism: 0 },
    { parallelism: '12' },
    { completionPolicy: { type: 'Never' } },
    { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 0 } },
  ])('%j is allowed', async (spec) => {
    expect((await ask('validate', 'ImagePullJob', { object: jobOf(spec) })).kind).toBe('Allowed');
    expect((await ask('validate', 'ImageListPullJob', { object: listOf(spec) })).kind).toBe('Allowed');
  });

  it('a sandbox with as many annotations as a Pod may have is allowed', async () => {
    const spec = { sandboxConfig: { annotations: { a: 'x'.repeat(262_143) } } };
    expect((await ask('validate', 'ImagePullJob', { object: jobOf(spec) })).kind).toBe('Allowed');
    expect((await ask('validate', 'ImageListPullJob', { object: listOf(spec) })).kind).toBe('Allowed');
  });
});

it.each(['ImagePullJob', 'ImageListPullJob'])(
  'an %s stored beyond a bound can still be written, unless that makes it worse',
  async (kind) => {
    const objectOf = kind === 'ImagePullJob' ? jobOf : listOf;
    const sandbox = (length: number): object =>
      objectOf({ pullSecrets: Array.from({ length: 99 }, (_, at) => `s${at}`), sandboxConfig: { labels: { a: 'x'.repeat(length) } } });
    expect((await ask('validate', kind, { object: sandbox(300_000), oldObject: sandbox(300_000) })).kind).toBe('Allowed');
    expect(messageOf(await ask('validate', kind, { object: sandbox(300_001), oldObject: sandbox(300_000) }))).toMatch(
      /spec\.sandboxConfig has 300002/,
    );
  },
);

it.each(['ImagePullJob', 'ImageListPullJob'])(
  'an %s stored with a selector beyond a bound can still be written with that one',
  async (kind) => {
    const objectOf = kind === 'ImagePullJob' ? jobOf : listOf;
    const labels = (count: number): object => ({
      matchLabels: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v'])),
    });
    for (const member of ['selector', 'podSelector']) {
      const wide = (count: number, parallelism: number): object => objectOf({ [member]: labels(count), parallelism });
      const write = (object: object, oldObject?: object) =>
        ask('validate', kind, { object, ...(oldObject === undefined ? {} : { oldObject }) });
      expect((await write(wide(1001, 2), wide(1001, 1))).kind).toBe('Allowed');
      for (const refused of [await write(wide(1001, 2)), await write(wide(1002, 2), wide(1001, 1))])
        expect(messageOf(refused)).toMatch(new RegExp(`^spec\\.${member}: Too many: 100[12]: must have at most 1000`));
    }
  },
);

it('an ImageListPullJob and a NodeImage stored with more images can still be written, unless that adds one', async () => {
  const more = [...manyNames, 'one', 'two'];
  const list = (images: readonly string[]): object => listOf({ images });
  const node = (names: readonly string[]): object =>
    aNodeImage({ images: Object.fromEntries(names.map((name) => [name, { tags: [aTag()] }])) });
  for (const [kind, objectOf] of [
    ['ImageListPullJob', list],
    ['NodeImage', node],
  ] as const) {
    expect((await ask('validate', kind, { object: objectOf(more.slice(1)), oldObject: objectOf(more) })).kind).toBe('Allowed');
    expect(codeOf(await ask('validate', kind, { object: objectOf(more), oldObject: objectOf(more.slice(1)) }))).toBe(400);
  }
});

it('an ImageListPullJob is refused when its images have more of a sandbox together than is allowed, unless it adds nothing', async () => {
  const list = (images: number, bytes: number): object =>
    listOf({
      images: Array.from({ length: images }, (_, at) => `nginx:${at}`),
      sandboxConfig: { annotations: { a: 'x'.repeat(bytes - 1) } },
    });
  const why = /^spec\.images has 129 entries, each with the 65536 bytes of spec\.sandboxConfig: 8388608 bytes are allowed together: /;
  expect((await ask('validate', 'ImageListPullJob', { object: list(128, 65_536) })).kind).toBe('Allowed');
  expect(messageOf(await ask('validate', 'ImageListPullJob', { object: list(129, 65_536) }))).toMatch(why);
  expect((await ask('validate', 'ImageListPullJob', { object: list(129, 65_536), oldObject: list(130, 65_536) })).kind).toBe('Allowed');
});

describe('an ImagePullJob', () => {
  const deadline = 'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)';
  it.each<{ name: string; spec: object; why: string }>([
    { name: 'no image', spec: { image: '' }, why: 'image can not be empty' },
    { name: 'an image that is none', spec: { image: 'A:b:c' }, why: 'invalid image A:b:c: it is not an image reference' },
    {
      name: 'a deadline before the first try may end',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 599 } },
      why: deadline,
    },
    {
      name: 'a deadline before the end of a default try',
      spec: { pullPolicy: {}, completionPolicy: { type: 'Always', activeDeadlineSeconds: 599 } },
      why: deadline,
    },
  ])('with $name is refused', async ({ spec, why }) => {
    const decision = await ask('validate', 'ImagePullJob', { object: jobOf(spec) });
    expect([codeOf(decision), messageOf(decision)]).toEqual([400, why]);
  });

  it('keeps its pull secrets', async () => {
    const decide = (before: object, after: object) => ask('validate', 'ImagePullJob', { object: jobOf(after), oldObject: jobOf(before) });
    const changed = await decide({ pullSecrets: ['a'] }, { pullSecrets: ['b'] });
    expect([codeOf(changed), messageOf(changed)]).toEqual([403, 'spec.pullSecrets is immutable']);
    expect((await decide({ pullSecrets: [] }, {})).kind).toBe('Allowed');
    expect((await decide({}, { parallelism: 5, image: 'redis' })).kind).toBe('Allowed');
  });

  it('is warned of a pull policy that nodes do not know', async () => {
    expect(await ask('validate', 'ImagePullJob', { object: jobOf({ imagePullPolicy: 'Never' }) })).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.stringMatching(/acts as Always/)],
    });
  });
});

describe('an ImageListPullJob', () => {
  it.each<{ name: string; images: unknown; why: RegExp }>([
    { name: 'no images', images: [], why: /images can not be empty/ },
    { name: 'an image twice', images: ['a', 'b', 'a'], why: /images has "a" twice/ },
    { name: 'too many', images: manyNames, why: /images has 256 entries, 255 are allowed/ },
    { name: 'one that is no image', images: ['a', 'B:c:d'], why: /invalid image B:c:d/ },
  ])('with $name is refused', async ({ images, why }) => {
    const decision = await ask('validate', 'ImageListPullJob', { object: listOf({ images }) });
    expect(codeOf(decision)).toBe(400);
    expect(messageOf(decision)).toMatch(why);
  });

  it('may have a deadline that its jobs may not', async () => {
    expect(
      (await ask('validate', 'ImageListPullJob', { object: listOf({ completionPolicy: { type: 'Always', activeDeadlineSeconds: 5 } }) }))
        .kind,
    ).toBe('Allowed');
  });
});

describe('a NodeImage', () => {
  const withTags = (...tags: readonly unknown[]): object => aNodeImage({ images: { nginx: { tags } } as never });
  const { createdAt: _createdAt, ...timeless } = aTag();
  const { pullPolicy: _pullPolicy, ...policyless } = aTag();
  it.each<{ name: string; object: object; why: string }>([
    { name: 'an image without name', object: aNodeImage({ images: { '': { tags: [] } } }), why: 'an image has an empty name' },
    { name: 'an empty tag', object: withTags(aTag({ tag: '' })), why: 'image nginx has an empty tag' },
    { name: 'a tag twice', object: withTags(aTag(), aTag()), why: 'duplicated tag nginx/1' },
    { name: 'no time', object: withTags(timeless), why: 'createdAt for nginx/1 must set' },
    { name: 'a negative version', object: withTags(aTag({ version: -1 })), why: 'version for nginx/1 must be 0 or more' },
    { name: 'no pull policy', object: withTags(policyless), why: 'pullPolicy for nginx/1 must set' },
    { name: 'no time to live', object: withTags(aTag({ pullPolicy: {} })), why: 'pullPolicy.ttlSecondsAfterFinished for nginx/1 must set' },
    {
      name: 'too many images',
      object: aNodeImage({ images: Object.fromEntries([...manyNames, 'one'].map((name) => [name, { tags: [aTag()] }])) }),
      why: 'spec.images has 257 entries, 256 are allowed: remove images that the node does not need',
    },
  ])('with $name is refused', async ({ object, why }) => {
    const decision = await ask('validate', 'NodeImage', { object });
    expect([codeOf(decision), messageOf(decision)]).toEqual([400, why]);
  });

  it('with 256 images is allowed', async () => {
    const object = aNodeImage({ images: Object.fromEntries(manyNames.map((name) => [name, { tags: [aTag()] }])) });
    expect((await ask('validate', 'NodeImage', { object })).kind).toBe('Allowed');
  });
});
