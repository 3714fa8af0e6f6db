import { expect, it } from '@jest/globals';
import { isNodeLost, isNodeReady } from './node-state.ts';
import type { Node } from './pod.ts';

const node = (...conditions: readonly (readonly [string, string])[]): Node => ({
  metadata: { name: 'n' },
  status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
});

it.each<[string, Node, boolean, boolean]>([
  ['that is ready', node(['Ready', 'True']), true, false],
  ['that is not ready', node(['Ready', 'False']), false, false],
  ['that nobody has heard of', node(['Ready', 'Unknown']), false, true],
  ['without the condition', node(), false, false],
  ['without a status', { metadata: { name: 'n' } }, false, false],
  ['with a status without conditions', { metadata: { name: 'n' }, status: {} }, false, false],
  ['that tells other things alone', node(['DiskPressure', 'True'], ['PIDPressure', 'Unknown']), false, false],
  ['that tells other things first', node(['DiskPressure', 'Unknown'], ['Ready', 'True']), true, false],
])('a node %s', (_name, given, ready, lost) => {
  expect([isNodeReady(given), isNodeLost(given)]).toEqual([ready, lost]);
});
