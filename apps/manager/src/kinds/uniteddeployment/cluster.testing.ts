/** A UnitedDeployment with workloads and their Pods, and one manager at a time, on an API server in memory. */
import { unitedDeployments, type UnitedDeployment } from '@kruise/api';
import type { FakeApi } from '@kruise/kube/testing';
import { controllerRevisions } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { unitedDeploymentController } from './controller.ts';
import { aUnited, templateOf, type UnitedShape } from '@kruise/kinds/uniteddeployment/testing';
import { Workloads } from './runs/workloads.testing.ts';

const namespace = 'default';
const key = { namespace, name: 'web' };

export class UnitedDeploymentCluster extends ControllerCluster<UnitedDeployment> {
  readonly workloads = new Workloads(this.api, this.clock);

  /** @param options with `prepare` making objects that are there before the manager starts */
  constructor(shape: UnitedShape = {}, options: ClusterOptions & { readonly prepare?: (api: FakeApi) => void } = {}) {
    super({ type: unitedDeployments, key, controller: unitedDeploymentController }, options);
    options.prepare?.(this.api);
    this.start(aUnited(shape));
  }

  get united(): UnitedDeployment {
    return this.object;
  }

  get shown(): readonly string[] {
    return this.workloads.shown;
  }

  get revisions(): readonly string[] {
    return this.api.peekAll(controllerRevisions, namespace).map(({ metadata, revision }) => `${metadata.name} ${revision}`);
  }

  get status(): NonNullable<UnitedDeployment['status']> {
    return this.united.status ?? { currentRevision: '', replicas: 0, updatedReplicas: 0 };
  }

  /** Each condition as `Type Status Reason`. */
  override get conditions(): readonly string[] {
    return (this.status.conditions ?? []).map(({ type, status, reason = '' }) => `${type} ${status} ${reason}`.trim());
  }

  /** Each subset as `name replicas`, with what is unusual about it. */
  get subsets(): readonly string[] {
    return (this.status.subsetStatuses ?? []).map(({ name = '', replicas = 0, reservedPods = 0, conditions = [] }) =>
      [name, replicas, reservedPods > 0 ? `${reservedPods} reserved` : '', ...conditions.map(({ status }) => `Schedulable=${status}`)]
        .filter((part) => part !== '')
        .join(' '),
    );
  }

  changeImage(image: string, kind: UnitedShape['kind'] = 'CloneSet', child: object = {}): void {
    this.change({ template: templateOf(kind, image, child) });
  }

  protected get seen(): unknown {
    return [this.shown, this.revisions];
  }

  protected override runKubelets(): Promise<void> {
    return this.workloads.step();
  }
}
