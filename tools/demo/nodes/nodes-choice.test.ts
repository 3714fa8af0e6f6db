import { expect, it } from '@jest/globals';
import { chooseNodes, explainSimulation } from './nodes-choice.ts';

const reason = 'Real nodes need Linux, and this is macOS.';

it('nodes are real where the machine can run them', () => {
  expect(chooseNodes(false, undefined)).toEqual({ kind: 'Real' });
});

it('nodes are simulated where the machine cannot run real ones, with its reason', () => {
  expect(chooseNodes(false, reason)).toEqual({ kind: 'Simulated', because: reason });
});

it.each([undefined, reason])('nodes are simulated on request, whatever the machine can do', (why) => {
  expect(chooseNodes(true, why)).toEqual({ kind: 'Simulated', because: expect.stringContaining('--simulated') });
});

it('the reader learns the reason, and what is real, simulated and missing', () => {
  const text = explainSimulation(reason, 3).join('\n');
  expect(text).toMatch(/^Real nodes need Linux/);
  expect(text).toMatch(/real +etcd, kube-apiserver/);
  expect(text).toMatch(/simulated +3 nodes, their kubelets and all containers/);
  expect(text).toMatch(/missing +Kruise's node agent/);
});
