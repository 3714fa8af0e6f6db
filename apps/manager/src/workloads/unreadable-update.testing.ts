/** What every workload kind does about a Pod whose annotations of an update in place cannot be read. @see spec/inplace-update.md 6.2 */
import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import type { FakeApi } from '@kruise/kube/testing';
import { podCondition, pods, type Pod } from '@kruise/objects';

/** A workload of three Pods with the image `app:1`, that updates one Pod at a time in place. */
interface UpdatedWorkload extends AsyncDisposable {
  readonly api: FakeApi;
  readonly pods: readonly Pod[];
  readonly conditions: readonly string[];
  changeImage(image: string): void;
  settle(limit?: number, quiet?: number): Promise<void>;
}

const imagesIn = (workload: UpdatedWorkload): readonly string[] => workload.pods.map(({ spec }) => spec.containers[0]?.image ?? '');

/** With the text in the state annotation, and nothing beside it changed. */
const withState = (pod: Pod, text: string | undefined): Pod => {
  const { [annotations.inPlaceUpdateState]: _held, ...others } = pod.metadata.annotations ?? {};
  const state = text === undefined ? {} : { [annotations.inPlaceUpdateState]: text };
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...others, ...state } } };
};

/** Out of service for an update: what is left to do is in the annotation alone. */
const outOfService = (pod: Pod): Pod => {
  const conditions = (pod.status?.conditions ?? []).map((one) =>
    one.type === 'InPlaceUpdateReady' || one.type === 'Ready' ? { ...one, status: 'False' as const } : one,
  );
  return { ...pod, status: { ...pod.status, conditions } };
};

/** @param chosen which of the Pods, by name, has the annotation */
export function describeUnreadableUpdate(kind: string, chosen: number, make: () => UpdatedWorkload): void {
  const podOf = (workload: UpdatedWorkload): Pod => workload.pods[chosen] as Pod;
  const change = (workload: UpdatedWorkload, by: (pod: Pod) => Pod): void => void workload.api.seed(pods, by(podOf(workload)));

  describe(`an unreadable annotation of an update in place on one Pod of a ${kind}`, () => {
    it('holds back its own Pod only, and says what to do', async () => {
      await using workload = make();
      await workload.settle();
      const { name } = podOf(workload).metadata;
      change(workload, (pod) => outOfService(withState(pod, '{garbage')));
      workload.changeImage('app:2');
      await workload.settle(100, 5);
      expect(imagesIn(workload)).toEqual([0, 1, 2].map((index) => (index === chosen ? 'app:1' : 'app:2')));
      const said = workload.conditions.find((text) => text.startsWith('Blocked '));
      expect(said).toMatch(
        new RegExp(`Pod ${name}: the state annotation cannot be read: .*; delete Pod ${name}, or remove its annotations`),
      );
      change(workload, (pod) => withState(pod, undefined));
      await workload.settle(200, 65);
      expect([imagesIn(workload), workload.conditions]).toEqual([['app:2', 'app:2', 'app:2'], []]);
    });

    it('stops nothing on a Pod whose update is complete', async () => {
      await using workload = make();
      await workload.settle();
      change(workload, (pod) => withState(pod, '{garbage'));
      workload.changeImage('app:2');
      await workload.settle(100, 5);
      expect([imagesIn(workload), workload.conditions]).toEqual([['app:2', 'app:2', 'app:2'], []]);
      expect(podCondition(podOf(workload), 'Ready')?.status).toBe('True');
    });
  });
}
