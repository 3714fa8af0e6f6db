import { expect, it } from '@jest/globals';
import type { AnyObject } from '../seen.ts';
import { cloneSet, object, pod, revision, snapshot, type PodShape } from '../snapshots.testing.ts';
import { PodNodes } from './pod-nodes.ts';
import { treeOf } from './tree.ts';

const web = cloneSet();
const revisions = [revision(web, 'web-a', 1), revision(web, 'web-b', 2)];
const nameOf = (index: number): string => `web-${index}`;

/** Returns a Pod that records its name in `computed` when its status is read, which only its own node does. */
const watched = (name: string, computed: string[], shape: PodShape = {}): AnyObject =>
  new Proxy(pod(name, web, shape), {
    get(target, member) {
      if (member === 'status' && computed.at(-1) !== name) computed.push(name);
      return Reflect.get(target, member) as unknown;
    },
  });

it('computes the nodes of 500 Pods once, and after each event that of its Pod alone', () => {
  const computed: string[] = [];
  const pods = Array.from({ length: 500 }, (_, index) => watched(nameOf(index), computed));
  const podNodes = new PodNodes();
  treeOf(snapshot(web, ...revisions, ...pods), podNodes);
  expect(new Set(computed).size).toBe(500);
  expect(computed).toHaveLength(500);

  computed.length = 0;
  for (const index of [7, 300, 7]) {
    pods[index] = watched(nameOf(index), computed, { revision: 'a' });
    treeOf(snapshot(web, ...revisions, ...pods), podNodes);
  }
  expect(computed).toEqual(['web-7', 'web-300', 'web-7']);
});

const marker = object('apps.kruise.io/v1beta1/PodProbeMarker', 'game', {
  spec: { selector: { matchLabels: { app: 'web' } }, probes: [{ podConditionType: 'game.io/idle' }] },
});
const nodeImage = (phase: string): AnyObject =>
  object('apps.kruise.io/v1beta1/NodeImage', 'node-1', {
    status: { imageStatuses: { nginx: { tags: [{ tag: '2', phase, progress: 40 }] } } },
  });
const waits = pod('web-1', web, { main: { state: { waiting: { reason: 'ContainerCreating' } } } });
const others = [pod('web-2', web), ...revisions];

it.each<[what: string, steps: readonly (readonly AnyObject[])[]]>([
  ['a Pod changes', [[waits], [pod('web-1', web)]]],
  ['a Pod is deleted and created again', [[waits], [], [pod('web-1', web, { revision: 'a' })]]],
  ['a PodProbeMarker is created and deleted', [[waits], [waits, marker], [waits]]],
  [
    'a pull on the node of the Pod ends',
    [
      [waits, nodeImage('Pulling')],
      [waits, nodeImage('Succeeded')],
    ],
  ],
])('the tree is that of a first look after %s', (_what, steps) => {
  const podNodes = new PodNodes();
  const trees = steps.map((step) => snapshot(web, ...others, ...step)).map((seen) => [treeOf(seen, podNodes), treeOf(seen)] as const);
  for (const [kept, first] of trees) expect(kept).toEqual(first);
  for (const [index, [kept]] of trees.entries()) if (index > 0) expect(kept).not.toEqual(trees[index - 1]?.[0]);
});
