import { describe, expect, it } from '@jest/globals';
import type { Container, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { updateKind } from './operation.ts';

const amounts = { requests: { cpu: '1', memory: '1Gi' } };
const pod = (
  container: Partial<Container> = {},
  more: { labels?: Record<string, string>; annotations?: Record<string, string> } = {},
): Pod => {
  const made = aPod({ name: 'p', ...more });
  return { ...made, spec: { ...made.spec, containers: [{ name: 'main', image: 'app:1', resources: amounts, ...container }] } };
};
const sized = (cpu: string, more: Partial<Container> = {}): Partial<Container> => ({
  resources: { requests: { cpu, memory: '1Gi' } },
  ...more,
});
const policy = (resourceName: string, restartPolicy: string): Partial<Container> => ({ resizePolicy: [{ resourceName, restartPolicy }] });
const unavailable = { labels: { 'unavailable-pod.kruise.io/x': 'true' } };
const two = (made: Pod, names: readonly [string, string]): Pod => ({
  ...made,
  spec: { ...made.spec, containers: names.map((name) => ({ name, image: 'app:1' })) },
});

/** Without resources. */
const bare = (): Pod => {
  const made = pod();
  return { ...made, spec: { ...made.spec, containers: [{ name: 'main', image: 'app:1' }] } };
};
/** Two containers, of which the first changes, and has the policy. */
const both = (cpu: string, restartPolicy = 'NotRequired'): Pod => {
  const made = pod();
  const first = { name: 'main', image: 'app:1', ...sized(cpu, policy('cpu', restartPolicy)) };
  return { ...made, spec: { ...made.spec, containers: [first, { name: 'side', image: 'app:1', resources: amounts }] } };
};

describe('an update of a Pod (4.5)', () => {
  it.each<{ name: string; before?: Pod; after: Pod; then: string }>([
    { name: 'of nothing is free', after: pod(), then: 'Free' },
    { name: 'of metadata is free', after: pod({}, { annotations: { a: 'b' } }), then: 'Free' },
    { name: 'of the status is free', after: { ...pod(), status: {} }, then: 'Free' },
    { name: 'of an image is one', after: pod({ image: 'app:2' }), then: 'UPDATE' },
    { name: 'by a first label that takes it out of service is one', after: pod({}, unavailable), then: 'UPDATE' },
    { name: 'by such a label and less cpu is no resize', after: pod(sized('500m'), unavailable), then: 'UPDATE' },
    {
      name: 'by a second such label is free',
      before: pod({}, unavailable),
      after: pod({}, { labels: { ...unavailable.labels, 'unavailable-pod.kruise.io/y': '' } }),
      then: 'Free',
    },
    { name: 'that takes such a label away is free', before: pod({}, unavailable), after: pod(), then: 'Free' },
    { name: 'of cpu is a resize', after: pod(sized('2')), then: 'RESIZE' },
    { name: 'of how cpu is written is a resize of nothing', after: pod(sized('1000m')), then: 'RESIZE' },
    { name: 'of memory is a resize', after: pod({ resources: { requests: { cpu: '1', memory: '2Gi' } } }), then: 'RESIZE' },
    {
      name: 'of cpu that needs no restart is a resize',
      before: pod(policy('cpu', 'NotRequired')),
      after: pod(sized('2', policy('cpu', 'NotRequired'))),
      then: 'RESIZE',
    },
    {
      name: 'of cpu with an empty policy is a resize',
      before: pod(policy('cpu', '')),
      after: pod(sized('2', policy('cpu', ''))),
      then: 'RESIZE',
    },
    {
      name: 'of cpu that restarts the container is none',
      before: pod(policy('cpu', 'RestartContainer')),
      after: pod(sized('2', policy('cpu', 'RestartContainer'))),
      then: 'UPDATE',
    },
    {
      name: 'of cpu is a resize when only memory restarts',
      before: pod(policy('memory', 'RestartContainer')),
      after: pod(sized('2', policy('memory', 'RestartContainer'))),
      then: 'RESIZE',
    },
    { name: 'of the policy itself is none', after: pod(sized('2', policy('cpu', 'NotRequired'))), then: 'UPDATE' },
    {
      name: 'of another resource is none',
      after: pod({ resources: { requests: { ...amounts.requests, 'example.com/gpu': '1' } } }),
      then: 'UPDATE',
    },
    { name: 'that takes a request away is a resize', after: pod({ resources: { requests: { cpu: '1' } } }), then: 'RESIZE' },
    { name: 'that adds a limit is a resize', after: pod({ resources: { ...amounts, limits: { cpu: '4' } } }), then: 'RESIZE' },
    {
      name: 'of a limit of another resource is none',
      after: pod({ resources: { ...amounts, limits: { 'ephemeral-storage': '1Gi' } } }),
      then: 'UPDATE',
    },
    {
      name: 'that changes the class of service is none',
      after: pod({ resources: { ...amounts, limits: amounts.requests } }),
      then: 'UPDATE',
    },
    { name: 'of cpu and image is none', after: pod(sized('2', { image: 'app:2' })), then: 'UPDATE' },
    {
      name: 'of a static Pod is none',
      before: pod({}, { annotations: { 'kubernetes.io/config.source': 'file' } }),
      after: pod(sized('2'), { annotations: { 'kubernetes.io/config.source': 'file' } }),
      then: 'UPDATE',
    },
    {
      name: 'that makes the Pod static is none',
      after: pod(sized('2'), { annotations: { 'kubernetes.io/config.source': 'file' } }),
      then: 'UPDATE',
    },
    {
      name: 'of a Pod from the API is a resize',
      before: pod({}, { annotations: { 'kubernetes.io/config.source': 'api' } }),
      after: pod(sized('2'), { annotations: { 'kubernetes.io/config.source': 'api' } }),
      then: 'RESIZE',
    },
    { name: 'that gives a container its first resources changes the class of service', before: bare(), after: pod(), then: 'UPDATE' },
    {
      name: "that leaves one of two containers as it is, is a resize if the other's is",
      before: both('1'),
      after: both('2'),
      then: 'RESIZE',
    },
    {
      name: 'that restarts one of two containers is none',
      before: both('1', 'RestartContainer'),
      after: both('2', 'RestartContainer'),
      then: 'UPDATE',
    },
    { name: 'that takes all resources away is none', after: bare(), then: 'UPDATE' },
    { name: 'that renames containers is none', before: two(pod(), ['a', 'b']), after: two(pod(), ['b', 'a']), then: 'UPDATE' },
    { name: 'that adds a container is none', after: two(pod(), ['main', 'b']), then: 'UPDATE' },
  ])('$name', ({ before = pod(), after, then }) => {
    expect(updateKind(before, after)).toBe(then);
  });
});
