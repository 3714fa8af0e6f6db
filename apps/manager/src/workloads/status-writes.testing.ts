/** How often, and with what, every workload kind writes its status during a rollout. @see docs/decisions/blocked-condition.md */
import { describe, expect, it } from '@jest/globals';
import { conditionTypes } from '@kruise/api';
import { isPodReady, pods, type KubeObject, type Pod } from '@kruise/objects';
import { withFault } from './pod-fault.testing.ts';
import type { FakeApi, FakeClock } from '@kruise/kube/testing';
import type { ClusterOptions } from '../module/controller-cluster.testing.ts';
import type { KindModule } from '../module/kind-module.ts';
import type { UpdateAnswer } from '@kruise/workloads';

/** A workload of two Pods with the image `app:1`, which it replaces when the image changes. */
interface RolledWorkload extends AsyncDisposable {
  readonly api: FakeApi;
  readonly clock: FakeClock;
  readonly pods: readonly Pod[];
  readonly conditions: readonly string[];
  changeImage(image: string): void;
  tick(seconds?: number): Promise<void>;
  settle(limit?: number, quiet?: number): Promise<void>;
}

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason?: string }[] };
}

const blockedIn = (object: KubeObject | undefined): string =>
  (object as Conditioned | undefined)?.status?.conditions?.find(({ type }) => type === conditionTypes.blocked)?.reason ?? '';

/** The statuses of the workload that were written, each by the reason of `Blocked`, '' without the condition. */
function watchStatuses({ api }: RolledWorkload, kind: string): readonly string[] {
  const written: string[] = [];
  api.onWrite(({ before, after }) => {
    const [old, now] = [before, after] as readonly (Conditioned | undefined)[];
    if (now?.kind === kind && JSON.stringify(old?.status) !== JSON.stringify(now.status)) written.push(blockedIn(now));
  });
  return written;
}

/** A budget that lets one Pod of the workload be out of service. */
function budgetOfOne(podsOf: () => readonly Pod[]): KindModule {
  const granted = new Set<string>();
  const serves = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp === undefined && !granted.has(pod.metadata.uid ?? '') && isPodReady(pod);
  const answer = ({ metadata: { uid = '' } }: Pod): UpdateAnswer => {
    const isLeft = granted.has(uid) || podsOf().some((pod) => pod.metadata.uid !== uid && serves(pod));
    if (isLeft) granted.add(uid);
    return isLeft ? { kind: 'Allowed' } : { kind: 'Refused', why: 'the budget is used up' };
  };
  return { updateGuard: () => ({ mayUpdate: (pod) => Promise.resolve(answer(pod)) }) };
}

/** @param make at most two Pods of it may be unavailable */
export function describeStatusWrites(kind: string, make: (options: ClusterOptions) => RolledWorkload): void {
  async function settled(): Promise<RolledWorkload> {
    let workload: RolledWorkload | undefined = undefined;
    const guards = [budgetOfOne(() => workload?.pods ?? [])];
    workload = make({ guards, gates: { PodUnavailableBudgetUpdateGate: true } });
    await workload.settle();
    return workload;
  }

  describe(`the status of a ${kind}`, () => {
    it('is written at most 4 times while 2 Pods are replaced under a budget, which is a moment of the rollout and blocks nothing', async () => {
      await using workload = await settled();
      const written = watchStatuses(workload, kind);
      workload.changeImage('app:2');
      for (let i = 0; i < 40; i++) await workload.tick(0.1);
      expect(workload.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:2', 'app:2']);
      await workload.settle(100, 5);
      expect(written.length).toBeLessThanOrEqual(4);
      expect(new Set(written)).toEqual(new Set(['']));
      expect(workload.conditions).toEqual([]);
    });

    it('names one fault for as long as it lasts, whatever crashes and runs in turn beside it', async () => {
      await using workload = await settled();
      const written = watchStatuses(workload, kind);
      const fault = (pod: Pod, isWaiting: boolean): Pod => withFault(pod, workload.pods[0]?.metadata.name === pod.metadata.name, isWaiting);
      for (let i = 0; i < 20; i++) {
        for (const pod of workload.pods) workload.api.seed(pods, fault(pod, i % 2 === 1));
        await workload.clock.step(3000);
      }
      expect(written.filter((reason) => reason !== '')).toEqual(['ImageCannotBePulled']);
    });

    it('names the crash of a container for as long as it crashes and runs in turn', async () => {
      await using workload = await settled();
      const written = watchStatuses(workload, kind);
      for (let i = 0; i < 20; i++) {
        for (const pod of workload.pods) workload.api.seed(pods, withFault(pod, true, i % 2 === 0));
        await workload.clock.step(3000);
      }
      expect(written.filter((reason) => reason !== '')).toEqual(['ContainerCrashes']);
    });
  });
}
