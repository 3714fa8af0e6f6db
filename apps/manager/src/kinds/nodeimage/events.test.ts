/** Events of jobs and nodes about tasks without an answer. @see spec/image-pulling.md 3 */
import { expect, it } from '@jest/globals';
import { aNodeImage, ownerOf } from '@kruise/kinds/images/builders.testing';
import { tellPullFailed } from './events.ts';
import type { Silence } from '@kruise/kinds/nodeimage';

const reportOf = (owners: Silence['owners']): readonly unknown[] => {
  const reported: unknown[] = [];
  const recorder = { event: (...event: unknown[]) => void reported.push(event) };
  tellPullFailed(recorder, aNodeImage(), { image: 'nginx:1', message: 'node has not responded for a long time', owners });
  return reported;
};
const words = ['Warning', 'PullImageFailed', 'Failed to pull image nginx:1 on node n1 for node has not responded for a long time'];

it('every job that wanted the image gets an event, by the reference in the tag, and then the NodeImage', () => {
  expect(reportOf([ownerOf(), ownerOf('other')])).toEqual([
    [ownerOf(), ...words],
    [ownerOf('other'), ...words],
    [aNodeImage(), ...words],
  ]);
});

it('a reference is used as far as it is complete, and omitted without a name and a kind', () => {
  const short = { kind: 'ImagePullJob', name: 'pull' };
  expect(reportOf([short, { name: 'pull' }, { kind: 'ImagePullJob' }])).toStrictEqual([
    [short, ...words],
    [aNodeImage(), ...words],
  ]);
});
