import { describe, expect, it } from '@jest/globals';
import { workloadLimits, type JsonObject } from '@kruise/objects';
import { imageListPullJobFault } from '../kinds/imagelistpulljob/validation.ts';
import { imagePullJobFault, keepsPullSecrets } from '../kinds/imagepulljob/validation.ts';
import { parseParallelism, pullPolicyWarnings } from './image-pull.ts';

const shared = { parallelism: 1, completionPolicy: { type: 'Always' } };
const jobOf = (over: object): JsonObject => ({ spec: { ...shared, image: 'nginx:1', ...over } });
const listOf = (over: object): JsonObject => ({ spec: { ...shared, images: ['nginx:1'], ...over } });
const jobFault = (over: object, stored?: object): unknown => imagePullJobFault(jobOf(over), stored && jobOf(stored));
const listFault = (over: object, stored?: object): unknown => imageListPullJobFault(listOf(over), stored && listOf(stored));

const badKey =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labels = { matchLabels: { a: 'b' } };
const never = { type: 'Never' };

describe.each([
  { kind: 'ImagePullJob', fault: jobFault },
  { kind: 'ImageListPullJob', fault: listFault },
])('an $kind', ({ fault }) => {
  it.each<{ name: string; spec: object }>([
    { name: 'the least there can be', spec: {} },
    { name: 'nodes by their labels', spec: { selector: labels } },
    { name: 'nodes by expressions', spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } } },
    { name: 'nodes by their names', spec: { selector: { names: ['a', 'b'] } } },
    { name: 'names beside labels of null', spec: { selector: { names: ['a'], matchLabels: null, matchExpressions: null } } },
    { name: 'names of null', spec: { selector: { ...labels, names: null } } },
    { name: 'nodes by their Pods', spec: { podSelector: labels } },
    { name: 'a selector of null beside one of Pods', spec: { selector: null, podSelector: labels } },
    { name: 'no parallelism', spec: { parallelism: undefined } },
    { name: 'a parallelism of 0', spec: { parallelism: 0 } },
    { name: 'a parallelism in quotes', spec: { parallelism: '+12' } },
    { name: 'no completion but by hand', spec: { completionPolicy: never } },
    {
      name: 'limits of null when it never completes',
      spec: { completionPolicy: { ...never, activeDeadlineSeconds: null, ttlSecondsAfterFinished: null } },
    },
    { name: 'a time to live when it completes', spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 0 } } },
  ])('may have $name', ({ spec }) => {
    expect(fault(spec)).toBeUndefined();
  });

  it.each<{ name: string; spec: object; because: string }>([
    {
      name: 'names with labels',
      spec: { selector: { ...labels, names: ['a'] } },
      because: 'spec.selector: names cannot be used together with matchLabels or matchExpressions',
    },
    {
      name: 'names with expressions',
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }], names: ['n'] } },
      because: 'spec.selector: names cannot be used together with matchLabels or matchExpressions',
    },
    {
      name: 'a label that is none',
      spec: { selector: { matchLabels: { 'a b': 'c' } } },
      because: `spec.selector.matchLabels: Invalid value: "a b": ${badKey}`,
    },
    { name: 'a name twice', spec: { selector: { names: ['a', 'b', 'a'] } }, because: 'spec.selector.names has a name twice' },
    { name: 'names that are no list', spec: { selector: { names: 'a' } }, because: 'spec.selector.names must be a list' },
    { name: 'a selector that is a text', spec: { selector: 'a' }, because: 'spec.selector must be an object' },
    {
      name: 'both selectors',
      spec: { selector: labels, podSelector: labels },
      because: 'spec.selector and spec.podSelector cannot be used together',
    },
    {
      name: 'a label of Pods that is none',
      spec: { podSelector: { matchLabels: { 'a b': 'c' } } },
      because: `spec.podSelector.matchLabels: Invalid value: "a b": ${badKey}`,
    },
    { name: 'a parallelism in percent', spec: { parallelism: '5%' }, because: 'parallelism can not be a percentage, but is "5%"' },
    { name: 'a parallelism in words', spec: { parallelism: 'x5' }, because: 'parallelism must be an integer of 0 or more, not "x5"' },
    { name: 'a parallelism with a unit', spec: { parallelism: '5x' }, because: 'parallelism must be an integer of 0 or more, not "5x"' },
    { name: 'a negative parallelism', spec: { parallelism: -1 }, because: 'parallelism must be an integer of 0 or more, not -1' },
    {
      name: 'a negative parallelism in quotes',
      spec: { parallelism: '-1' },
      because: 'parallelism must be an integer of 0 or more, not "-1"',
    },
    { name: 'a fraction as parallelism', spec: { parallelism: 1.5 }, because: 'parallelism must be an integer of 0 or more, not 1.5' },
    {
      name: 'a parallelism that no number holds',
      spec: { parallelism: 2n ** 70n },
      because: 'parallelism must be an integer of 0 or more, not 1180591620717411303424',
    },
    {
      name: 'a deadline when it never completes',
      spec: { completionPolicy: { ...never, activeDeadlineSeconds: 1 } },
      because: 'completionPolicy.activeDeadlineSeconds and ttlSecondsAfterFinished are for the type Always only',
    },
    {
      name: 'a time to live when it never completes',
      spec: { completionPolicy: { ...never, ttlSecondsAfterFinished: 0 } },
      because: 'completionPolicy.activeDeadlineSeconds and ttlSecondsAfterFinished are for the type Always only',
    },
    { name: 'an unknown completion', spec: { completionPolicy: { type: 'Once' } }, because: 'unknown type of completionPolicy: Once' },
  ])('cannot have $name', ({ spec, because }) => {
    expect(fault(spec)).toBe(because);
  });

  it.each(['selector', 'podSelector'])('may have a %s beyond the maximum only if it is stored already', (member) => {
    const most = workloadLimits.selectorRequirements.value;
    const selecting = (count: number): object => ({
      [member]: { matchLabels: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v'])) },
    });
    const tooMany = new RegExp(`^spec\\.${member}: Too many: ${most + 1}: must have at most ${most} requirements`);
    expect(fault(selecting(most))).toBeUndefined();
    expect(fault(selecting(most + 1))).toMatch(tooMany);
    expect(fault(selecting(most + 1), selecting(most + 1))).toBeUndefined();
    expect(fault(selecting(most + 1), selecting(most + 2))).toMatch(tooMany);
  });

  it('may have empty names beside labels, as typed clients write them', () => {
    expect(fault({ selector: { matchLabels: { a: 'b' }, matchExpressions: [], names: [] } })).toBeUndefined();
    expect(fault({ selector: { matchLabels: {}, names: ['n'] } })).toBeUndefined();
  });

  it('has its first fault reported: nodes, images, parallelism, completion', () => {
    const all = {
      selector: 'a',
      podSelector: { matchLabels: { 'a b': 'c' } },
      image: '',
      images: [],
      parallelism: -1,
      completionPolicy: { type: 'Always', activeDeadlineSeconds: 1 },
    };
    expect(fault(all)).toBe('spec.selector must be an object');
    expect(fault({ ...all, selector: undefined, podSelector: undefined })).toMatch(/can not be empty$/);
    const once = { parallelism: -1, completionPolicy: { type: 'Once' } };
    expect(fault(once)).toBe('parallelism must be an integer of 0 or more, not -1');
  });
});

describe('an ImagePullJob', () => {
  const tooShort = 'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)';

  it.each<{ name: string; spec: object; because: string | undefined }>([
    { name: 'no image', spec: { image: '' }, because: 'image can not be empty' },
    { name: 'an image that is a number', spec: { image: 5 }, because: 'image can not be empty' },
    { name: 'an image that is none', spec: { image: 'A B' }, because: 'invalid image A B: it is not an image reference' },
    {
      name: 'a deadline before the default time of one try is over',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 599 } },
      because: tooShort,
    },
    {
      name: 'a deadline of the default time of one try',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } },
      because: undefined,
    },
    {
      name: 'a deadline before one try is over',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 29 }, pullPolicy: { timeoutSeconds: 30 } },
      because: tooShort,
    },
    {
      name: 'a deadline of one try',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 30 }, pullPolicy: { timeoutSeconds: 30 } },
      because: undefined,
    },
    {
      name: 'a deadline in words, which the schema refuses',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: '1' } },
      because: undefined,
    },
  ])('with $name', ({ spec, because }) => {
    expect(jobFault(spec)).toBe(because);
  });

  it.each([undefined, null, [], 'x'])('needs a spec that is an object, not %j', (spec) => {
    expect(imagePullJobFault({ spec })).toBe('spec must be an object');
    expect(imageListPullJobFault({ spec })).toBe('spec must be an object');
  });

  it('keeps its pull secrets; none are the same as an empty list', () => {
    const having = (pullSecrets?: unknown): { spec: object } => ({ spec: { pullSecrets } });
    expect(keepsPullSecrets(having(['a']), having(['a']))).toBe(true);
    expect(keepsPullSecrets(having(['a']), having(['a', 'b']))).toBe(false);
    expect(keepsPullSecrets(having([]), having())).toBe(true);
    expect(keepsPullSecrets(having(null), having([]))).toBe(true);
    expect(keepsPullSecrets(having(['a']), having())).toBe(false);
  });
});

describe('an ImageListPullJob', () => {
  const images = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `nginx:${String(i)}`);

  it.each<{ name: string; spec: object; because: string | undefined }>([
    { name: 'no images', spec: { images: [] }, because: 'images can not be empty' },
    { name: 'images that are a text', spec: { images: 'nginx' }, because: 'images can not be empty' },
    { name: 'an image twice', spec: { images: ['a', 'b', 'a'] }, because: 'images has "a" twice' },
    { name: '255 images', spec: { images: images(255) }, because: undefined },
    { name: '256 images', spec: { images: images(256) }, because: 'images has 256 entries, 255 are allowed: split it into several lists' },
    { name: 'an image that is none', spec: { images: ['a', 'A B'] }, because: 'invalid image A B: it is not an image reference' },
    {
      name: 'a deadline before one try is over',
      spec: { completionPolicy: { type: 'Always', activeDeadlineSeconds: 1 } },
      because: undefined,
    },
  ])('with $name', ({ spec, because }) => {
    expect(listFault(spec)).toBe(because);
  });

  it('may keep or shorten a list beyond the maximum that is stored', () => {
    expect(listFault({ images: images(300) }, { images: images(300) })).toBeUndefined();
    expect(listFault({ images: images(299) }, { images: images(300) })).toBeUndefined();
    expect(listFault({ images: images(301) }, { images: images(300) })).toBe(
      'images has 301 entries, 255 are allowed: split it into several lists',
    );
  });
});

it.each<[unknown, number | undefined]>([
  [undefined, 1],
  [null, 1],
  [0, 0],
  [7, 7],
  ['12', 12],
  ['+3', 3],
  ['-0', -0],
  ['', undefined],
  ['1e3', undefined],
  [-1, undefined],
  [1.5, undefined],
  [2 ** 53, undefined],
  [true, undefined],
  [[5], undefined],
])('a parallelism of %j is %j', (value, count) => {
  expect(parseParallelism(value)).toBe(count);
});

it('an unknown pull policy causes a warning', () => {
  const warnings = (imagePullPolicy: unknown): readonly string[] => pullPolicyWarnings({ spec: { imagePullPolicy } });
  for (const known of [undefined, null, 5, '', 'Always', 'IfNotPresent']) expect(warnings(known)).toEqual([]);
  expect(warnings('Never')).toEqual(['spec.imagePullPolicy: "Never" is neither Always nor IfNotPresent and acts as Always']);
});
