import { describe, expect, it } from '@jest/globals';
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
  });

  it('adds the tag only where there is neither tag nor digest', () => {
    expect([normalizeImage('a'), normalizeImage('a:1'), normalizeImage(`a@${sha}`), normalizeImage('A:1')]).toEqual([
      'docker.io/library/a:latest',
      'docker.io/library/a:1',
      `docker.io/library/a@${sha}`,
      'A:1',
    ]);
  });

  it('never throws, and normalising twice is normalising once', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '/', ':', '@', '.', '-', '_', '5', '[', ']'), maxLength: 16 });
    fc.assert(
      fc.property(text, (image) => {
        expect(normalizeImage(normalizeImage(image))).toBe(normalizeImage(image));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what a NodeImage calls an image', () => {
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
