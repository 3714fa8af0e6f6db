import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, type Node, type Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { aimContainerRecreateRequest, obstacleInPod } from './target.ts';

const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } };
const hook = { exec: { command: ['sleep', '8'] } };
const web = { httpGet: { port: 'web' } };
const ports = [{ name: 'web', containerPort: 80 }];

function pod(spec: Partial<Pod['spec']> = {}): Pod {
  const base = aPod({ name: 'web', restarts: 2 });
  return { ...base, spec: { ...base.spec, terminationGracePeriodSeconds: 45, ...spec } };
}
const main = { name: 'main', image: 'app:1' };
const request = (
  containers: readonly object[] = [{ name: 'main' }],
  strategy: object = { failurePolicy: 'Fail' },
  labels: object = {},
) => ({
  metadata: { name: 'r', labels },
  spec: { podName: 'web', containers, strategy },
});

function aimed(...args: Parameters<typeof aimContainerRecreateRequest>): unknown {
  const result = aimContainerRecreateRequest(...args);
  return result.kind === 'Aimed' ? result.object : formatFieldErrors(result.faults);
}

describe('a request that is aimed', () => {
  it('knows Pod, node, grace and what runs', () => {
    expect(aimed(request(), pod(), node)).toEqual({
      metadata: { name: 'r', labels: { 'crr.apps.kruise.io/node-name': 'node1', 'crr.apps.kruise.io/pod-uid': 'uid-web' } },
      spec: {
        podName: 'web',
        containers: [{ name: 'main', statusContext: { containerID: 'containerd://web', restartCount: 2 } }],
        strategy: { failurePolicy: 'Fail', terminationGracePeriodSeconds: 45 },
      },
    });
  });

  it.each<{ name: string; container: object; then: object }>([
    { name: 'a command', container: { lifecycle: { preStop: hook }, ports }, then: { preStop: hook } },
    { name: 'a request', container: { lifecycle: { preStop: web }, ports }, then: { preStop: web, ports } },
    { name: 'a request without ports', container: { lifecycle: { preStop: web } }, then: { preStop: web } },
    { name: 'nothing', container: { lifecycle: {}, ports }, then: {} },
  ])('knows the hook: $name', ({ container, then }) => {
    expect(aimed(request(), pod({ containers: [{ ...main, ...container }] }), node)).toMatchObject({
      spec: { containers: [{ name: 'main', ...then, statusContext: { restartCount: 2 } }] },
    });
  });

  it.each<{ name: string; container: object; then: object }>([
    { name: 'no ports of a command', container: { lifecycle: { preStop: hook }, ports }, then: { preStop: hook } },
    { name: 'no ports that there are not', container: { lifecycle: { preStop: web } }, then: { preStop: web } },
    { name: 'no hook that there is not', container: { ports }, then: {} },
  ])('is copied with $name', ({ container, then }) => {
    const object = aimed(request(), pod({ containers: [{ ...main, ...container }] }), node) as { readonly spec: object };
    expect(object.spec).toHaveProperty('containers', [
      { name: 'main', ...then, statusContext: { containerID: 'containerd://web', restartCount: 2 } },
    ]);
  });

  it('has no grace when its Pod has none', () => {
    const { terminationGracePeriodSeconds: _none, ...spec } = pod().spec;
    expect(aimed(request(), { ...pod(), spec }, node)).toHaveProperty('spec.strategy', { failurePolicy: 'Fail' });
  });

  it('is refused for a container that has a status without id', () => {
    const base = pod();
    const statuses = (containerID?: string): Pod => ({
      ...base,
      status: {
        ...base.status,
        containerStatuses: (base.status?.containerStatuses ?? []).map(({ containerID: _id, ...status }) => ({
          ...status,
          ...(containerID === undefined ? {} : { containerID }),
        })),
      },
    });
    for (const idless of [statuses(), statuses('')])
      expect(aimContainerRecreateRequest(request(), idless, node)).toMatchObject({
        kind: 'Refused',
        faults: [{ field: 'spec.containers[0].name', detail: 'not found main containerID in Pod Status' }],
      });
  });

  it('keeps the grace that was requested, and says what virtual nodes are', () => {
    const virtual = { ...node, metadata: { name: 'node1', labels: { type: 'virtual-kubelet' } } };
    expect(aimed(request([{ name: 'main' }], { terminationGracePeriodSeconds: 0 }), pod(), virtual)).toMatchObject({
      metadata: { labels: { type: 'virtual-kubelet' } },
      spec: { strategy: { terminationGracePeriodSeconds: 0 } },
    });
  });

  it('cannot claim to be of another Pod or node', () => {
    const forged = request(undefined, undefined, { 'crr.apps.kruise.io/node-name': 'other', 'crr.apps.kruise.io/pod-uid': 'other' });
    expect(aimed(forged, pod(), node)).toMatchObject({
      metadata: { labels: { 'crr.apps.kruise.io/node-name': 'node1', 'crr.apps.kruise.io/pod-uid': 'uid-web' } },
    });
  });

  it('names every container that cannot be restarted', () => {
    const statusless = pod({ containers: [main, { name: 'new', image: 'i' }], initContainers: [{ name: 'init', image: 'i' }] });
    expect(aimed(request([{ name: 'main' }, { name: 'new' }, { name: 'nope' }, { name: 'init' }]), statusless, node)).toBe(
      '[spec.containers[1].name: Invalid value: "new": not found new containerID in Pod Status, ' +
        'spec.containers[2].name: Invalid value: "nope": container nope not found in Pod, ' +
        'spec.containers[3].name: Invalid value: "init": not found init containerID in Pod Status]',
    );
  });
});

describe('a Pod', () => {
  it.each<{ name: string; shape: PodShape; condition?: boolean; obstacle: string | undefined }>([
    { name: 'that runs', shape: {}, obstacle: undefined },
    { name: 'that has ended', shape: { phase: 'Succeeded' }, obstacle: 'not allowed to recreate containers in an inactive Pod web' },
    { name: 'that has failed', shape: { phase: 'Failed' }, obstacle: 'not allowed to recreate containers in an inactive Pod web' },
    { name: 'that is being deleted', shape: { terminating: true }, obstacle: 'not allowed to recreate containers in an inactive Pod web' },
    { name: 'that has ended but for its sidecars', shape: { phase: 'Succeeded' }, condition: true, obstacle: undefined },
    { name: 'without a node', shape: { node: '' }, obstacle: 'not allowed to recreate containers in a pending Pod web' },
  ])('$name', ({ shape, condition = false, obstacle }) => {
    const base = aPod({ name: 'web', ...shape });
    const conditions = condition ? [{ type: 'SidecarTerminated', status: 'True' }] : [];
    expect(obstacleInPod({ ...base, status: { ...base.status, conditions } })).toBe(obstacle);
  });
});
