import { describe, expect, it } from '@jest/globals';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import {
  familiarImageReference,
  formatImageReference,
  imageTaskOf,
  isSameImage,
  isSameRepository,
  normalizeImage,
  parseImageReference,
} from './image-reference.ts';

const sha = `sha256:${'ab'.repeat(32)}`;

describe('parseImageReference', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx', 'nginx'],
    ['nginx:1.25', 'docker.io/library/nginx:1.25', 'nginx:1.25'],
    ['library/nginx', 'docker.io/library/nginx', 'nginx'],
    ['docker.io/nginx', 'docker.io/library/nginx', 'nginx'],
    ['index.docker.io/library/nginx:x', 'docker.io/library/nginx:x', 'nginx:x'],
    ['user/app', 'docker.io/user/app', 'user/app'],
    ['docker.io/library/a/b', 'docker.io/library/a/b', 'library/a/b'],
    [`nginx@${sha}`, `docker.io/library/nginx@${sha}`, `nginx@${sha}`],
    [`nginx:1@${sha}`, `docker.io/library/nginx:1@${sha}`, `nginx:1@${sha}`],
    ['localhost/app', 'localhost/app', 'localhost/app'],
    ['localhost:5000/app:v1', 'localhost:5000/app:v1', 'localhost:5000/app:v1'],
    ['registry.example.com/team/app:v1', 'registry.example.com/team/app:v1', 'registry.example.com/team/app:v1'],
    ['host:80/app', 'host:80/app', 'host:80/app'],
    ['UPPER/app', 'UPPER/app', 'UPPER/app'],
    ['[::1]:5000/app', '[::1]:5000/app', '[::1]:5000/app'],
    ['a__b/c--d.e', 'docker.io/a__b/c--d.e', 'a__b/c--d.e'],
    ['nginx:_x', 'docker.io/library/nginx:_x', 'nginx:_x'],
    [`nginx:${'a'.repeat(128)}`, `docker.io/library/nginx:${'a'.repeat(128)}`, `nginx:${'a'.repeat(128)}`],
    ['a-b.c-d/app', 'a-b.c-d/app', 'a-b.c-d/app'],
    ['[::1]/app', '[::1]/app', '[::1]/app'],
    ['quay.io/library/app', 'quay.io/library/app', 'quay.io/library/app'],
    ['library/library/app', 'docker.io/library/library/app', 'library/library/app'],
    ['index.docker.io/user/app', 'docker.io/user/app', 'user/app'],
    [`r.io/${'b'.repeat(250)}`, `r.io/${'b'.repeat(250)}`, `r.io/${'b'.repeat(250)}`],
    [`a@sha384:${'ab'.repeat(48)}`, `docker.io/library/a@sha384:${'ab'.repeat(48)}`, `a@sha384:${'ab'.repeat(48)}`],
    [`a@sha512:${'ab'.repeat(64)}`, `docker.io/library/a@sha512:${'ab'.repeat(64)}`, `a@sha512:${'ab'.repeat(64)}`],
    [`a@other+x.y:${'AB'.repeat(16)}`, `docker.io/library/a@other+x.y:${'AB'.repeat(16)}`, `a@other+x.y:${'AB'.repeat(16)}`],
    ['ab'.repeat(31), `docker.io/library/${'ab'.repeat(31)}`, 'ab'.repeat(31)],
    ['AB.io/a', 'AB.io/a', 'AB.io/a'],
    ['my-app', 'docker.io/library/my-app', 'my-app'],
    ['a.b', 'docker.io/library/a.b', 'a.b'],
    [`${'ab'.repeat(32)}c`, `docker.io/library/${'ab'.repeat(32)}c`, `${'ab'.repeat(32)}c`],
    [`a@other+xy.z1:${'ab'.repeat(16)}`, `docker.io/library/a@other+xy.z1:${'ab'.repeat(16)}`, `a@other+xy.z1:${'ab'.repeat(16)}`],
  ])('%s', (text, full, familiar) => {
    const reference = parseImageReference(text);
    if (reference === undefined) throw new Error('no reference');
    expect([formatImageReference(reference), familiarImageReference(reference)]).toEqual([full, familiar]);
    expect(parseImageReference(full)).toEqual(reference);
    expect(parseImageReference(familiar)).toEqual(reference);
  });

  it.each([
    '',
    ':tag',
    '@sha256:abc',
    'Nginx',
    'user/App',
    'nginx:',
    'nginx:-x',
    `nginx:${'a'.repeat(129)}`,
    'nginx@sha256:abc',
    `nginx@sha256:${'AB'.repeat(32)}`,
    `nginx@${sha}@${sha}`,
    `nginx@${sha}a`,
    `nginx@sha384:${'ab'.repeat(32)}`,
    `nginx@other:${'ab'.repeat(15)}`,
    `nginx@other:${'xy'.repeat(16)}`,
    `nginx@other:${'ab'.repeat(16)}x`,
    `nginx@1other:${'ab'.repeat(16)}`,
    'nginx@',
    'nginx:a b',
    'nginx:ä',
    'host:/app',
    'host:80x/app',
    'host:x80/app',
    'host:80:80/app',
    'host-.io/app',
    '-host.io/app',
    'host..io/app',
    '.io/app',
    '[::1/app',
    '[::x]/app',
    '[::1]:x/app',
    'x[::1]/app',
    '[::1]x/app',
    '[x[::1]/app',
    'a_/b',
    'a/_b',
    'a/b_',
    'a/b.',
    'a/b-',
    'a/b..c',
    'a/b._c',
    `r.io/${'b'.repeat(251)}`,
    'a//b',
    '/a',
    'a/',
    'a___b',
    '-a/b.c',
    'host:port/app',
    'ab'.repeat(32),
    `a/${'b'.repeat(250)}`,
    'a b',
  ])('refuses %j', (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });
});

it('an image reference has no member for an unwritten part', () => {
  expect(parseImageReference('nginx')).toStrictEqual({ registry: 'docker.io', repository: 'library/nginx' });
});

describe('sameness', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest', true],
    ['nginx:1', 'index.docker.io/nginx:1', true],
    ['nginx:1', 'nginx:2', false],
    [`nginx@${sha}`, `docker.io/library/nginx@${sha}`, true],
    ['Bad Image', 'Bad Image', true],
    ['Bad Image', 'nginx', false],
  ])('%s and %s: %j', (a, b, same) => {
    expect(isSameImage(a, b)).toBe(same);
  });

  it('of the repository ignores tags and digests', () => {
    expect([isSameRepository('nginx:1', `nginx@${sha}`), isSameRepository('nginx', 'x/nginx'), isSameRepository('Bad', 'Bad')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isSameRepository('r.io/a', 's.io/a'), isSameRepository('Bad', 'nginx'), isSameRepository('nginx', 'Bad')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('adds the tag only when there is neither tag nor digest', () => {
    expect([normalizeImage('a'), normalizeImage('a:1'), normalizeImage(`a@${sha}`), normalizeImage('A:1')]).toEqual([
      'docker.io/library/a:latest',
      'docker.io/library/a:1',
      `docker.io/library/a@${sha}`,
      'A:1',
    ]);
  });

  it('never throws, and normalising twice is normalising once', () => {
    const junk = fc.string({ unit: fc.constantFrom('a', 'B', '/', ':', '@', '.', '-', '_', '5', '[', ']'), maxLength: 16, size: 'max' });
    const nearly = fc
      .tuple(
        fc.constantFrom('', 'docker.io/', 'r.io:5000/', 'library/', 'localhost/'),
        fc.constantFrom('a', 'a/b', 'A', 'a-b'),
        fc.constantFrom('', ':1', ':', `@${sha}`, `:1@${sha}`, '@'),
      )
      .map((parts) => parts.join(''));
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.oneof(junk, nearly), (image) => {
        const once = normalizeImage(image);
        expect(normalizeImage(once)).toBe(once);
        seen.note('something was filled in', once !== image);
        seen.note('the text was left alone', once === image);
      }),
      { numRuns: 1000 },
    );
    seen.expectAtLeast({ 'something was filled in': 100, 'the text was left alone': 100 });
  });
});

describe('the name of an image in a NodeImage', () => {
  it.each([
    ['nginx', 'nginx', 'latest'],
    ['docker.io/library/nginx:1.9', 'nginx', '1.9'],
    ['index.docker.io/nginx:1.9', 'nginx', '1.9'],
    ['docker.io/foo/bar', 'foo/bar', 'latest'],
    ['localhost:5000/a/b:t', 'localhost:5000/a/b', 't'],
    [`r.io/x:1@${sha}`, 'r.io/x', sha],
    [`nginx@${sha}`, 'nginx', sha],
  ])('%s is %s, %s', (text, name, tag) => {
    expect(imageTaskOf(text)).toEqual({ name, tag });
  });

  it.each(['', 'a/B:1', 'ab'.repeat(32), 'nginx:', 'a@sha256:1'])('%j is no reference', (text) => {
    expect(imageTaskOf(text)).toBeUndefined();
  });
});
