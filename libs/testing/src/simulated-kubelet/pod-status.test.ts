import { describe, expect, it } from '@jest/globals';
import { isPodFinished, applyStrategicMergePatch, podPatchSchema, type Pod, type PodStatus } from '@kruise/objects';
import { computePodStatus, nextChangeAt, startNeeded, statusPatch } from './pod-status.ts';

const at = (now: string) => ({ now, hostIp: '198.18.0.1', podIp: '10.128.0.1' });
const [first, second, third] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z', '2026-01-01T00:00:20Z'] as const;

interface Given {
  readonly images?: readonly string[];
  readonly annotations?: Record<string, string>;
  readonly restartPolicy?: string;
  readonly gates?: readonly string[];
  readonly status?: PodStatus;
  readonly initContainers?: object[];
}

function aPod(given: Given = {}): Pod {
  return {
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'u',
      generation: 1,
      ...(given.annotations === undefined ? {} : { annotations: given.annotations }),
    },
    spec: {
      containers: (given.images ?? ['nginx:1']).map((image, index) => ({ name: `c${index}`, image })),
      ...(given.initContainers === undefined ? {} : { initContainers: given.initContainers }),
      ...(given.restartPolicy === undefined ? {} : { restartPolicy: given.restartPolicy }),
      ...(given.gates === undefined ? {} : { readinessGates: given.gates.map((conditionType) => ({ conditionType })) }),
    },
    ...(given.status === undefined ? {} : { status: given.status }),
  } as Pod;
}

const conditionOf = (status: PodStatus | undefined, type: string) => status?.conditions?.find((c) => c.type === type);
const run = (given: Given, now: string = first): PodStatus => computePodStatus(aPod(given), at(now));

describe('a simulated pod', () => {
  it('starts all containers immediately and is ready', () => {
    expect(startNeeded(aPod({ images: ['a', 'b'] }))).toBe('c0=a,c1=b');
    const status = run({ images: ['nginx:1', 'busybox'] });
    expect(status).toMatchObject({ phase: 'Running', hostIP: '198.18.0.1', podIP: '10.128.0.1', startTime: first });
    expect(status.containerStatuses?.map((c) => [c.image, c.restartCount, c.ready])).toEqual([
      ['docker.io/library/nginx:1', 0, true],
      ['docker.io/library/busybox:latest', 0, true],
    ]);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('needs nothing more once that is reported', () => {
    const pod = aPod({ status: run({}) });
    expect(startNeeded(pod)).toBe('');
    expect(statusPatch(pod, computePodStatus(pod, at(second)))).toBeUndefined();
    expect(nextChangeAt(pod)).toBeUndefined();
  });

  it('restarts only the container whose image has changed', () => {
    const status = run({ images: ['nginx:1', 'b'] });
    expect(startNeeded(aPod({ images: ['nginx:2', 'b'], status }))).toBe('c0=nginx:2');
    const [changed, kept] = run({ images: ['nginx:2', 'b'], status }, second).containerStatuses ?? [];
    expect(changed).toMatchObject({ restartCount: 1, image: 'docker.io/library/nginx:2', state: { running: { startedAt: second } } });
    expect(changed?.lastState?.terminated).toMatchObject({
      startedAt: first,
      finishedAt: second,
      containerID: status.containerStatuses?.[0]?.containerID,
    });
    expect(changed?.imageID).not.toBe(status.containerStatuses?.[0]?.imageID);
    expect(kept).toEqual(status.containerStatuses?.[1]);
  });

  it('is ready only when every readiness gate is True, and keeps the times of unchanged conditions', () => {
    const closed = run({ gates: ['g'] });
    expect(conditionOf(closed, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(conditionOf(closed, 'ContainersReady')).toMatchObject({ status: 'True' });
    const opened = { ...closed, conditions: [...(closed.conditions ?? []), { type: 'g', status: 'True' }] };
    const open = run({ gates: ['g'], status: opened }, second);
    expect(conditionOf(open, 'Ready')).toMatchObject({ status: 'True', lastTransitionTime: second });
    expect(conditionOf(open, 'ContainersReady')).toMatchObject({ lastTransitionTime: first });
    expect(conditionOf(open, 'g')).toBeUndefined();
  });

  it('has nothing more to report once its report is applied, also when a reason is removed', () => {
    const closed = run({ gates: ['g'] });
    const given = { gates: ['g'], status: { ...closed, conditions: [...(closed.conditions ?? []), { type: 'g', status: 'True' }] } };
    const pod = aPod(given);
    const patch = statusPatch(pod, computePodStatus(pod, at(second)));
    expect(patch).toEqual({ conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: second, reason: null, message: null }] });
    const result = applyStrategicMergePatch({ ...pod }, { status: patch }, podPatchSchema);
    if (result.kind !== 'Patched') throw new Error(result.why);
    const applied = result.value as Pod;
    expect(conditionOf(applied.status, 'Ready')).toEqual({ type: 'Ready', status: 'True', lastTransitionTime: second });
    expect(statusPatch(applied, computePodStatus(applied, at(third)))).toBeUndefined();
  });

  it('is not ready while a probe fails by annotation', () => {
    const status = run({ images: ['a', 'b'], annotations: { 'simulated.kruise.io/not-ready': 'c1' } });
    expect(status.containerStatuses?.map((c) => c.ready)).toEqual([true, false]);
    expect(conditionOf(status, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [c1]',
    });
  });

  it('waits for an image that cannot be pulled, and starts when it gets another', () => {
    const status = run({ images: ['example.org/missing:1'] });
    expect(status.phase).toBe('Pending');
    expect(status.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ImagePullBackOff');
    const waiting = aPod({ images: ['example.org/missing:1'], status });
    expect(startNeeded(waiting)).toBe('');
    expect(statusPatch(waiting, computePodStatus(waiting, at(second)))).toBeUndefined();
    expect(run({ images: ['nginx:1'], status }, second).containerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
  });

  it.each([
    ['0', 'Never', 'Succeeded'],
    ['3', 'Never', 'Failed'],
    ['0', 'OnFailure', 'Succeeded'],
    ['3', 'OnFailure', 'Running'],
  ])('that exits with %s under %s is %s', (code, restartPolicy, phase) => {
    const given = { restartPolicy, annotations: { 'simulated.kruise.io/exit-after-seconds': '2', 'simulated.kruise.io/exit-code': code } };
    const status = run(given);
    expect(nextChangeAt(aPod({ ...given, status }))).toBe(Date.parse(first) + 2_000);
    const ended = run({ ...given, status }, second);
    expect(ended.phase).toBe(phase);
    expect(isPodFinished(aPod({ status: ended }))).toBe(phase !== 'Running');
    if (phase === 'Running')
      expect(run({ ...given, status: ended }, third).containerStatuses?.[0]).toMatchObject({ restartCount: 1, state: { running: {} } });
  });

  it('reports init containers as completed and sidecars as running', () => {
    const status = run({
      initContainers: [
        { name: 'i', image: 'a' },
        { name: 's', image: 'b', restartPolicy: 'Always' },
      ],
    });
    expect(status.initContainerStatuses?.map((c) => Object.keys(c.state ?? {})[0])).toEqual(['terminated', 'running']);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });
});
