/** What every workload kind does about a resize that succeeded while the rest of its update was refused. @see spec/inplace-update.md 5.1 */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { pods, type Container, type Pod, type PodTemplateSpec } from '@kruise/objects';
import type { ClusterOptions } from '../module/controller-cluster.testing.ts';

/** A workload of three Pods whose template has the label `app`, and that updates one Pod at a time in place. */
interface ResizedWorkload extends AsyncDisposable {
  readonly pods: readonly Pod[];
  readonly conditions: readonly string[];
  change(spec: { readonly template: PodTemplateSpec }): void;
  ticks(count: number): Promise<void>;
  settle(limit?: number, quiet?: number): Promise<void>;
}

const restartedForCpu = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

const templateWith = (app: string, cpu: string, image: string, more: Partial<Container> = {}): PodTemplateSpec => ({
  metadata: { labels: { app } },
  spec: {
    containers: [{ name: 'main', image, resources: { limits: { cpu }, requests: { cpu: '100m' } }, ...more }],
    readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
  },
});

const shown = ({ pods: held }: ResizedWorkload): readonly string[] =>
  held.map(({ spec }) => `${spec.containers[0]?.image ?? ''} ${spec.containers[0]?.resources?.limits?.['cpu'] ?? ''}`);

/** The write that follows the resize. */
const isUpdate = ({ verb, type, subresource }: FakeCall): boolean => verb === 'patch' && type === pods && subresource === '';

/** @param make a workload with this template; `app` is the value of the label that its selector requests */
export function describeHalfDoneResize(
  kind: string,
  app: string,
  make: (template: PodTemplateSpec, options: ClusterOptions) => ResizedWorkload,
  { isOrdered = false } = {},
): void {
  const [first, second] = [templateWith(app, '1', 'app:1'), templateWith(app, '2', 'app:2')];

  async function halfDone(): Promise<{ readonly workload: ResizedWorkload; readonly accept: () => void }> {
    let refuses = false;
    const before = (call: FakeCall): void => {
      if (refuses && isUpdate(call)) throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
    };
    const gates = { InPlaceWorkloadVerticalScaling: true };
    const workload = make(first, { gates, resourceWriting: 'BySubresource', before });
    await workload.settle();
    refuses = true;
    workload.change({ template: second });
    await workload.ticks(5);
    return { workload, accept: () => (refuses = false) };
  }

  describe(`a half-done resize of a ${kind}`, () => {
    it('is taken back when the template is rolled back', async () => {
      const { workload, accept } = await halfDone();
      await using _ = workload;
      expect(shown(workload)).toContain('app:1 2');
      workload.change({ template: first });
      accept();
      await workload.settle(100, 5);
      expect([shown(workload), workload.conditions]).toEqual([['app:1 1', 'app:1 1', 'app:1 1'], []]);
    });

    it('that restarts the container and cannot be reverted delays no other Pod', async () => {
      let isRefusing = false;
      let refused: string | undefined;
      const before = (call: FakeCall): void => {
        if (!isRefusing || !isUpdate(call)) return;
        refused ??= call.key.name;
        if (call.key.name === refused) throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
      };
      const template = (cpu: string, image: string): PodTemplateSpec => templateWith(app, cpu, image, restartedForCpu);
      const gates = { InPlaceWorkloadVerticalScaling: true };
      await using workload = make(template('1', 'app:1'), { gates, resourceWriting: 'BySubresource', before });
      await workload.settle();
      isRefusing = true;
      workload.change({ template: template('2', 'app:2') });
      await workload.ticks(120);
      workload.change({ template: template('3', 'app:3') });
      await workload.ticks(200);
      const others = shown(workload).filter((one) => one === 'app:3 3');
      // Where Pods are updated one after the other, the first is waited for, and the condition says so.
      expect(others).toHaveLength(isOrdered ? 0 : 2);
      expect(workload.conditions.join()).toContain('Blocked');
    });

    it('is completed when the update is no longer refused', async () => {
      const { workload, accept } = await halfDone();
      await using _ = workload;
      accept();
      await workload.settle(200, 60);
      expect([shown(workload), workload.conditions]).toEqual([['app:2 2', 'app:2 2', 'app:2 2'], []]);
    });
  });
}
