import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';
import { nodeOfAction, nodeOfCreation, nodesOfAction } from './node-turns.ts';

const because = 'of a test';
const podWith = (spec: Pod['spec']): Pod => ({ metadata: { name: 'p' }, spec });
const bound = podWith({ containers: [], nodeName: 'n1' });
const waiting = podWith(boundByScheduler({ containers: [] }, 'n2'));
const free = podWith({ containers: [] });

describe('the node of an action', () => {
  it.each<[string, { kind: string; pod?: Pod }, string | undefined, string | undefined]>([
    ['is the one that its Pod is on', { kind: 'DeletePod', pod: bound }, 'n1', undefined],
    ['is the one that its Pod waits for, which waits as well where it cannot be created', { kind: 'CreatePod', pod: waiting }, 'n2', 'n2'],
    ['is none for a Pod that may run anywhere', { kind: 'CreatePod', pod: free }, undefined, undefined],
    ['is none for an action on no Pod', { kind: 'DeleteJob' }, undefined, undefined],
  ])('%s', (_name, given, node, creation) => {
    const action = { because, ...given };
    expect([nodeOfAction(action), nodesOfAction(action), nodeOfCreation(action)]).toEqual([
      node,
      node === undefined ? [] : [node],
      creation,
    ]);
  });
});
