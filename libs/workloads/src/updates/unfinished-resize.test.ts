import { describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import type { ControllerRevision, Pod, ResourceRequirements } from '@kruise/objects';
import { planResizeUndo } from './unfinished-resize.ts';
import { planUpkeep } from './upkeep.ts';
import { aMember, aWorkload, revisionOf, type MemberShape } from '../workload.testing.ts';
import type { Workload } from '../workload.ts';

const amounts = (cpu: string, memory = '1Gi'): ResourceRequirements => ({ limits: { cpu, memory }, requests: { cpu: '100m' } });
const revision = (resources: ResourceRequirements, number: number, image = 'app:1'): ControllerRevision =>
  revisionOf({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image, resources }] } }, number);

const one = revision(amounts('1'), 1);
const two = revision(amounts('2'), 2);
const other = revision(amounts('1'), 3, 'app:2');

/** Rolled back to {@link one} after an attempt at {@link two}. */
const rolledBack = (more: Partial<Workload> = {}): Workload =>
  aWorkload({
    gates: { ...defaultGates, InPlaceWorkloadVerticalScaling: true },
    resources: 'BySubresource',
    revisions: [one, two],
    updateRevision: one.metadata.name,
    ...more,
  });

interface Sized extends MemberShape {
  readonly resources?: ResourceRequirements;
  readonly isRestarted?: boolean;
}

const member = ({ resources = amounts('2'), isRestarted = false, ...shape }: Sized = {}): Pod => {
  const pod = aMember({ of: one, ...shape });
  const policy = isRestarted ? { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] } : {};
  return { ...pod, spec: { ...pod.spec, containers: [{ name: 'main', image: 'app:1', resources, ...policy }] } };
};

interface Limits {
  readonly kept?: boolean;
  readonly spare?: number;
  readonly refused?: readonly Pod[];
}
const undo = (pods: readonly Pod[], workload = rolledBack(), { kept = false, spare = 1, refused = [] }: Limits = {}) =>
  planResizeUndo(pods, workload, { isRefused: (pod) => refused.includes(pod), isKept: () => kept, spare: () => spare });
const kinds = (...args: Parameters<typeof undo>): readonly string[] => undo(...args).actions.map(({ kind }) => kind);

describe('a Pod with the cpu of an abandoned update', () => {
  it.each([false, true])('waits for a pass without updates when it was refused before, and delays none (restarted: %s)', (isRestarted) => {
    const pod = member({ isRestarted });
    const { actions, later, interrupts } = undo([pod], rolledBack(), { refused: [pod] });
    expect({ actions, later: later.length, interrupts }).toEqual({ actions: [], later: 1, interrupts: false });
  });

  it('gets the cpu of its own revision', () => {
    expect(undo([member()])).toMatchObject({
      actions: [{ kind: 'ResizePod', revision: one.metadata.name, resources: { main: { limits: { cpu: '1' } } } }],
      interrupts: false,
    });
  });

  it.each<{ name: string; pod?: Sized; workload?: Partial<Workload>; kept?: boolean; then: readonly string[] }>([
    { name: 'is unchanged with its own cpu', pod: { resources: amounts('1') }, then: [] },
    { name: 'is unchanged with its own cpu in another notation', pod: { resources: amounts('1000m') }, then: [] },
    { name: 'is unchanged with the cpu of no revision, as an autoscaler sets it', pod: { resources: amounts('1500m') }, then: [] },
    { name: 'gets it back, whatever else has changed its memory', pod: { resources: amounts('2', '3Gi') }, then: ['ResizePod'] },
    { name: 'is unchanged once it is of that revision', pod: { of: two }, then: [] },
    { name: 'is unchanged while the update to that revision continues', workload: { updateRevision: two.metadata.name }, then: [] },
    {
      name: 'gets it back when the partition keeps it at its revision',
      workload: { updateRevision: two.metadata.name },
      kept: true,
      then: ['ResizePod'],
    },
    {
      name: 'gets it back before an update to a third revision',
      workload: { revisions: [one, two, other], updateRevision: other.metadata.name },
      then: ['ResizePod'],
    },
    {
      name: 'is unchanged while an update to amounts that an earlier revision had as well continues',
      workload: {
        revisions: [one, two, revision(amounts('2'), 4, 'app:3')],
        updateRevision: revision(amounts('2'), 4, 'app:3').metadata.name,
      },
      then: [],
    },
    { name: 'is unchanged when the earlier revision is not in the history', workload: { revisions: [one] }, then: [] },
    { name: 'is unchanged when resizes are part of the Pod, which cannot be half done', workload: { resources: 'InSpec' }, then: [] },
    { name: 'is unchanged without the gate', workload: { resources: 'Ignored' }, then: [] },
    { name: 'is unchanged while it is being deleted', pod: { state: 'PreparingDelete' }, then: [] },
    { name: 'is unchanged during its grace period', pod: { grace: {}, update: {} }, then: [] },
    { name: 'is unchanged while a batch remains', pod: { update: { nextContainerImages: { main: 'app:9' } } }, then: [] },
  ])('$name', ({ pod, workload, kept = false, then }) => {
    expect(kinds([member(pod)], rolledBack(workload), { kept })).toEqual(then);
  });
});

describe('a Pod whose container is restarted for its cpu', () => {
  const pods = [member({ name: 'a', isRestarted: true }), member({ name: 'b', isRestarted: true })];

  it('gets it back as an update, as many Pods at a time as may be unavailable', () => {
    expect(kinds(pods, rolledBack(), { spare: 0 })).toEqual([]);
    expect(undo(pods, rolledBack(), { spare: 1 })).toMatchObject({
      actions: [{ kind: 'UpdatePodInPlace', pod: { metadata: { name: 'a' } }, spec: { revision: one.metadata.name } }],
      interrupts: true,
    });
    expect(kinds(pods, rolledBack(), { spare: 3 })).toHaveLength(2);
  });

  it('uses up nothing when it is not available', () => {
    expect(undo([member({ isRestarted: true, ready: false })], rolledBack(), { spare: 0 })).toMatchObject({
      actions: [{ kind: 'UpdatePodInPlace' }],
      interrupts: false,
    });
  });

  it('waits for its hook, and stays prepared until the hook releases it', () => {
    const hooked = rolledBack({ lifecycle: { inPlaceUpdate: { finalizersHandler: ['example.com/drain'] } } });
    const held = member({ isRestarted: true, finalizers: ['example.com/drain'] });
    expect(undo([held], hooked).actions).toMatchObject([{ kind: 'SetLifecycle', transition: { to: 'PreparingUpdate' } }]);
    const prepared = member({ isRestarted: true, state: 'PreparingUpdate', finalizers: ['example.com/drain'] });
    expect(kinds([prepared], hooked)).toEqual([]);
    expect(planUpkeep([prepared], hooked).actions).toEqual([]);
    expect(kinds([member({ isRestarted: true, state: 'PreparingUpdate' })], hooked)).toEqual(['UpdatePodInPlace']);
  });

  it('returns to service when the history loses the other revision', () => {
    const hooked = rolledBack({ lifecycle: { inPlaceUpdate: { finalizersHandler: ['example.com/drain'] } } });
    const prepared = member({ isRestarted: true, state: 'PreparingUpdate', finalizers: ['example.com/drain'] });
    expect(planUpkeep([prepared], hooked).actions).toEqual([]);
    expect(planUpkeep([prepared], { ...hooked, revisions: [one] }).actions).toMatchObject([
      { kind: 'SetLifecycle', transition: { to: 'Normal' } },
    ]);
  });
});
