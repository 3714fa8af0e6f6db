/** Messages of kube-scheduler 1.34, and the cause that comes first. */
import { expect, it } from '@jest/globals';
import { schedulingCause } from './scheduling-cause.ts';

const preemption = 'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';

it.each([
  [
    'InsufficientResources',
    `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector. ${preemption}`,
  ],
  ['NodesFull', `0/3 nodes are available: 1 Too many pods, 2 node(s) didn't match Pod's node affinity/selector. ${preemption}`],
  ['HostPortTaken', "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports."],
  ['VolumeNotBound', "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind."],
  ['VolumeNotBound', '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.'],
  ['VolumeNotBound', '0/3 nodes are available: persistentvolumeclaim "data" not found.'],
  ['NodeTainted', '0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.'],
  [
    'NodesNotReady',
    "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.",
  ],
  ['NodesCordoned', `0/3 nodes are available: 3 node(s) were unschedulable. ${preemption}`],
  [
    'NoMatchingNode',
    "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 node(s) didn't match Pod's node affinity/selector.",
  ],
  ['NodeTainted', '0/1 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }.'],
  ['NoMatchingNode', "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints."],
  ['NoMatchingNode', "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules."],
  ['SchedulingGated', 'SchedulingGated: Scheduling is blocked due to non-empty scheduling gates'],
  ['Unschedulable', 'something new'],
  ['Unschedulable', 'something new. preemption: 0/3 nodes are available: 3 Insufficient cpu.'],
])('%s: %s', (reason, message) => {
  expect(schedulingCause(message).reason).toBe(reason);
});

it('names both remedies when other nodes do not match what the template requires', () => {
  const filters = "1 node(s) had untolerated taint {a: b}, 2 node(s) didn't match Pod's node affinity/selector";
  expect(schedulingCause(`0/3 nodes are available: ${filters}.`).next).toMatch(/toleration.*label nodes/);
  expect(schedulingCause('0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.').next).not.toMatch(/label/);
});
