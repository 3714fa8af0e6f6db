import { expect, it } from '@jest/globals';
import { fullImageRef, imageIdOf, isMissingImage } from './image-names.ts';

it.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['a/b:1', 'docker.io/a/b:1'],
  ['127.0.0.1:5000/a', '127.0.0.1:5000/a:latest'],
  ['localhost/a:2', 'localhost/a:2'],
  ['example.org/a@sha256:12', 'example.org/a@sha256:12'],
])('%s in full is %s', (image, full) => {
  expect(fullImageRef(image)).toBe(full);
});

it('an image id is a digest that follows from the reference', () => {
  expect(imageIdOf('nginx:1')).toMatch(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
  expect(imageIdOf('nginx:1')).toBe(imageIdOf('docker.io/library/nginx:1'));
  expect(imageIdOf('nginx:1')).not.toBe(imageIdOf('nginx:2'));
  expect(imageIdOf('127.0.0.1:5000/a@sha256:12')).toBe('127.0.0.1:5000/a@sha256:12');
});

it('only images named missing are missing', () => {
  expect(['missing', 'a/missing:1', 'a:missing'].every(isMissingImage)).toBe(true);
  expect(['missingno', 'missing/a', 'a:missing-not'].some(isMissingImage)).toBe(false);
});
