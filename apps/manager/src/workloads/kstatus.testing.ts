/** What tools that follow kstatus read from a workload while it rolls out. @see docs/decisions/kstatus.md */
import { describe, expect, it } from '@jest/globals';
import type { FakeApi, FakeClock } from '@kruise/kube/testing';
import { argoHealth, kstatusOf, skipUnless, whyNoLua } from '@kruise/testing';
import { apiVersionOf, pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import type { ClusterOptions } from '../module/controller-cluster.testing.ts';
import { withFault } from './pod-fault.testing.ts';

/** A workload of two Pods with the image `app:1`, which it replaces when the image changes. */
interface RolledWorkload extends AsyncDisposable {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  changeImage(image: string): void;
  settle(limit?: number, quiet?: number): Promise<void>;
  tick(seconds?: number): Promise<void>;
  begin(over: ClusterOptions): unknown;
  clear(): Promise<void>;
}

interface Shown extends KubeObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

export interface KstatusKind<W extends RolledWorkload> {
  readonly type: ResourceType;
  readonly make: (options: ClusterOptions) => W;
  /** Pauses or resumes the update. Absent for a kind that has no such field. */
  readonly pause?: (workload: W, paused: boolean) => void;
  /** Whether Pods run in the fixture, so that a fault of an image blocks them. */
  readonly hasPods?: boolean;
}

const types: ReadonlySet<string> = new Set(['Reconciling', 'Stalled']);

/** Which of the two conditions an object has, with the reason. */
const kstatusIn = ({ status }: Shown): readonly string[] =>
  (status?.conditions ?? []).filter(({ type }) => types.has(type)).map(({ type, status: is, reason = '' }) => `${type}=${is} ${reason}`);

const blockedIn = ({ status }: Shown): string | undefined => status?.conditions?.find(({ type }) => type === 'Blocked')?.reason;

/** What Argo CD says of the same state. */
const verdictOfArgo: Readonly<Record<string, string>> = {
  Progressing: 'InProgress',
  Degraded: 'Failed',
  Healthy: 'Current',
  Suspended: 'Current',
};

const gates = { KStatusConditions: true };

const missing = whyNoLua();
const itRunsLua = skipUnless(missing === undefined, missing ?? '', it);

/** Every state of the object that is written. */
function watchStates({ api }: RolledWorkload, { kind }: ResourceType): Shown[] {
  const states: Shown[] = [];
  api.onWrite(({ after }) => {
    if (after?.kind === kind) states.push(after);
  });
  return states;
}

export function describeKstatus<W extends RolledWorkload>({ type, make, pause, hasPods = true }: KstatusKind<W>): void {
  const stateOf = ({ api }: RolledWorkload): Shown => api.peekAll(type, 'default')[0] as Shown;

  function describeFaults(): void {
    it('has failed while a Pod cannot pull its image, and is in progress until it is available again', async () => {
      await using workload = make({ gates });
      await workload.settle();
      const [pod] = workload.api.peekAll(pods, 'default') as readonly [Pod];
      for (let second = 0; second < 4; second++) {
        workload.api.seed(pods, withFault(pod, false, true));
        await workload.clock.step(1000);
      }
      expect(kstatusIn(stateOf(workload))).toEqual(['Stalled=True ImageCannotBePulled']);
      const states = watchStates(workload, type);
      workload.api.seed(pods, pod);
      await workload.settle();
      expect(states.map(kstatusOf).at(-1)).toBe('Current');
      expect(kstatusIn(stateOf(workload))).toEqual([]);
    });

    it('loses the conditions once the gate is off', async () => {
      await using workload = make({ gates, brokenImages: new Set(['app:2']) });
      await workload.settle();
      workload.changeImage('app:2');
      for (let second = 0; second < 90; second++) await workload.tick();
      expect(kstatusIn(stateOf(workload))).toHaveLength(1);
      workload.begin({ gates: {} });
      await workload.clear();
      for (let second = 0; second < 5; second++) await workload.tick();
      expect(kstatusIn(stateOf(workload))).toEqual([]);
    });
  }

  function describePause(pause: (workload: W, paused: boolean) => void): void {
    it('is current while its update is paused', async () => {
      await using workload = make({ gates });
      await workload.settle();
      pause(workload, true);
      workload.changeImage('app:2');
      await workload.settle();
      expect(kstatusOf(stateOf(workload))).toBe('Current');
      pause(workload, false);
      await workload.settle();
      expect(kstatusOf(stateOf(workload))).toBe('Current');
    });
  }

  describe(`a ${type.kind} with the gate KStatusConditions`, () => {
    it('is in progress from the change of its image until every Pod is updated and available', async () => {
      await using workload = make({ gates });
      await workload.settle();
      expect(kstatusIn(stateOf(workload))).toEqual([]);
      const states = watchStates(workload, type);
      workload.changeImage('app:2');
      await workload.settle();
      const verdicts = states.map(kstatusOf);
      const firstCurrent = verdicts.indexOf('Current');
      expect(firstCurrent).toBeGreaterThan(0);
      expect(new Set(verdicts.slice(0, firstCurrent))).toEqual(new Set(['InProgress']));
      expect(states.slice(firstCurrent).map(({ status }) => status)).toEqual([stateOf(workload).status]);
      expect(states.some((state) => kstatusIn(state).includes('Reconciling=True Updating'))).toBe(true);
    });

    itRunsLua('has one of the conditions in the states that Argo CD shows as progress or failure, and none in the others', async () => {
      await using workload = make({ gates, brokenImages: new Set(['app:3']) });
      const states = watchStates(workload, type);
      for (const image of ['app:2', 'app:3']) {
        workload.changeImage(image);
        for (let second = 0; second < 90; second++) await workload.tick();
      }
      const observed = states.filter(({ status }) => status !== undefined);
      const objects = observed.map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }));
      const argo = argoHealth(objects).map(({ status }) => verdictOfArgo[status]);
      expect(observed.length).toBeGreaterThan(3);
      expect(observed.map(kstatusOf)).toEqual(argo);
    });

    if (hasPods) describeFaults();
    if (pause !== undefined) describePause(pause);
  });

  it.each([
    { gate: 'off', shows: [] },
    { gate: 'on', shows: ['Stalled=True InvalidSpec'] },
  ])(`a ${type.kind} without a spec says so with the gate $gate`, async ({ gate, shows }) => {
    await using workload = make({ gates: { KStatusConditions: gate === 'on' } });
    await workload.settle();
    const { spec: _spec, metadata, ...rest } = stateOf(workload) as Shown & { readonly spec: unknown };
    workload.api.seed(type, { ...rest, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } });
    for (let second = 0; second < 3; second++) await workload.clock.step(1000);
    expect(blockedIn(stateOf(workload))).toBe('InvalidSpec');
    expect(kstatusIn(stateOf(workload))).toEqual(shows);
  });

  it(`a ${type.kind} without the gate has neither condition`, async () => {
    await using workload = make({});
    const states = watchStates(workload, type);
    workload.changeImage('app:2');
    await workload.settle();
    expect(states.flatMap(kstatusIn)).toEqual([]);
  });
}
