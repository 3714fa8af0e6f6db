import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { obstacleBesideImages, type ChangeableMembers } from './images-only.ts';

const main = { name: 'main', image: 'app:1', imagePullPolicy: 'Always' };
const specOf = (podSpec: JsonObject, metadata: JsonObject = {}): JsonObject => ({ template: { metadata, spec: podSpec } });
const before = specOf({ containers: [main, { name: 'log', image: 'log:1' }], nodeName: 'n1' });
const changedMain = (change: JsonObject): JsonObject =>
  specOf({
    containers: [
      { ...main, ...change },
      { name: 'log', image: 'log:1' },
    ],
    nodeName: 'n1',
  });
const { image: _image, ...withoutImage } = main;

describe('the first change of a template besides images', () => {
  it.each<{ name: string; next: JsonObject; old?: JsonObject; changeable?: ChangeableMembers; then: string | undefined }>([
    { name: 'is none in the same template', next: before, then: undefined },
    { name: 'is none if only an image changes', next: changedMain({ image: 'app:2' }), then: undefined },
    {
      name: 'is none if only metadata changes',
      next: { template: { ...(before['template'] as JsonObject), metadata: { labels: { a: 'b' } } } },
      then: undefined,
    },
    { name: 'is none outside the template', next: { ...before, replicas: 3 }, then: undefined },
    {
      name: 'is the pull policy if only images may change',
      next: changedMain({ imagePullPolicy: 'Never' }),
      then: 'replace /containers/0/imagePullPolicy',
    },
    {
      name: 'is none if the pull policy may change as well',
      next: changedMain({ image: 'app:2', imagePullPolicy: 'Never' }),
      changeable: ['image', 'imagePullPolicy'],
      then: undefined,
    },
    {
      name: 'is a pull policy that is added, even if it may change',
      next: specOf({ containers: [main, { name: 'log', image: 'log:1', imagePullPolicy: 'Never' }], nodeName: 'n1' }),
      changeable: ['image', 'imagePullPolicy'],
      then: 'add /containers/1/imagePullPolicy',
    },
    {
      name: 'is an image that is removed',
      next: specOf({ containers: [withoutImage, { name: 'log', image: 'log:1' }], nodeName: 'n1' }),
      then: 'remove /containers/0/image',
    },
    { name: 'is an image that is no text', next: changedMain({ image: 5 }), then: 'replace /containers/0/image' },
    { name: 'is another member of a container', next: changedMain({ tty: true }), then: 'add /containers/0/tty' },
    {
      name: 'is a member of the Pod',
      next: specOf({ containers: [main, { name: 'log', image: 'log:1' }], nodeName: 'n2' }),
      then: 'replace /nodeName',
    },
    {
      name: 'is the image of an init container',
      next: specOf({ containers: [main], initContainers: [{ name: 'i', image: 'i:2' }] }),
      old: specOf({ containers: [main], initContainers: [{ name: 'i', image: 'i:1' }] }),
      then: 'replace /initContainers/0/image',
    },
    { name: 'is a container that is removed', next: specOf({ containers: [main], nodeName: 'n1' }), then: 'remove /containers/1' },
    {
      name: 'is a list of containers that is none',
      next: specOf({ containers: 'x' }),
      old: specOf({ containers: 'y' }),
      then: 'replace /containers',
    },
    {
      name: 'is a container that is no object',
      next: specOf({ containers: ['x'] }),
      old: specOf({ containers: ['y'] }),
      then: 'replace /containers/0',
    },
    {
      name: 'is none between empty and absent members',
      next: specOf({ containers: [main], volumes: [] }),
      old: specOf({ containers: [main] }),
      then: undefined,
    },
    { name: 'is none without templates', next: {}, old: {}, then: undefined },
  ])('$name', ({ next, old = before, changeable = ['image'], then }) => {
    expect(obstacleBesideImages(next, old, changeable)).toBe(then);
  });
});
