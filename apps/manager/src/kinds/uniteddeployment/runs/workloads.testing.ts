/** What the controllers of the four kinds, the scheduler and the kubelets make of children, in steps; for tests without them. */
import { unitedDeploymentLabels } from '@kruise/api';
import type { FakeApi, FakeClock } from '@kruise/kube/testing';
import {
  canonicalJson,
  deepEqual,
  formatTime,
  isControlledBy,
  isPodReady,
  newControllerRef,
  parseTime,
  pods,
  type Pod,
  type PodTemplateSpec,
  type ResourceType,
} from '@kruise/objects';
import { kubeletStep } from '../../../module/fixtures/kubelet-step.testing.ts';
import { replicaSets } from '@kruise/workloads';
import { childKinds, type ChildKind, type ChildObject, subsetOf } from '@kruise/kinds/uniteddeployment';

const namespace = 'default';
const templateAnnotation = 'example.com/template';

type Whole = ChildObject & { readonly spec?: { readonly template?: PodTemplateSpec } };

export class Workloads {
  readonly #api: FakeApi;
  readonly #clock: FakeClock;
  /** Subsets for which there is no node. */
  readonly closed = new Set<string>();
  /** Images that never become ready. */
  readonly broken = new Set<string>();
  /** What children say of themselves, by subset. */
  readonly conditions = new Map<string, NonNullable<ChildObject['status']>['conditions']>();
  /** Seconds until a new Pod is ready, beside the step in which its containers start. */
  startup = 0;
  #made = 0;
  /** What the last kubelet step that changed nothing knew of a Pod: until that or the Pod changes, the next one changes nothing either. */
  readonly #settled = new WeakMap<Pod, string>();

  constructor(api: FakeApi, clock: FakeClock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** All children, by name. */
  get children(): readonly { readonly kind: ChildKind; readonly object: Whole }[] {
    return childKinds.flatMap((kind) => this.#api.peekAll(kind.type, namespace).map((object) => ({ kind, object: object })));
  }

  podsOf(object: ChildObject): readonly Pod[] {
    const { uid } = object.metadata;
    const sets = this.#api.peekAll(replicaSets, namespace).filter((set) => isControlledBy(set, uid));
    const owners = [uid, ...sets.map(({ metadata }) => metadata.uid)];
    return this.#api.peekAll(pods, namespace).filter((pod) => owners.some((owner) => isControlledBy(pod, owner)));
  }

  /** Each controller does a step, then each kubelet; objects without an existing owner are collected. */
  async step(): Promise<void> {
    for (const pod of this.#api.peekAll(pods, namespace)) if (pod.metadata.deletionTimestamp !== undefined) await this.#remove(pod);
    for (const { kind, object } of this.children) await this.#control(kind, object);
    for (const pod of this.#api.peekAll(pods, namespace)) this.#run(pod);
    for (const { object, kind } of this.children) this.#report(kind, object);
    await this.#collect();
  }

  async #control(kind: ChildKind, object: Whole): Promise<void> {
    const { replicas = 1, template = {} } = object.spec ?? {};
    const text = canonicalJson(template);
    const held = this.podsOf(object);
    const outdated = held.filter((pod) => pod.metadata.annotations?.[templateAnnotation] !== text);
    for (let i = held.length; i < replicas; i++) this.#create(kind, object, { template, text });
    for (const pod of held.toSorted((a, b) => Number(isPodReady(a)) - Number(isPodReady(b))).slice(0, Math.max(held.length - replicas, 0)))
      await this.#remove(pod);
    if (held.length !== replicas) return;
    // What is not ready is replaced first, and uses no budget; StatefulSets go by their ordinals.
    if (kind.unavailable !== undefined) outdated.sort((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)));
    const [next] = outdated.slice(0, Math.max(outdated.length - (kind.partitionOf(object.spec ?? {}) ?? 0), 0));
    // A StatefulSet of Kubernetes waits for its Pods, and the others for all but the one that they replace.
    const waits = held.some((pod) => !isPodReady(pod) && (kind.name === 'StatefulSet' || pod !== next));
    const unavailable = Math.max(kind.unavailable?.allows(object.spec ?? {}, replicas) ?? 1, 1);
    const isStuck = next !== undefined && kind.unavailable !== undefined && !isPodReady(next);
    const isFree = isStuck || !waits || held.filter((pod) => !isPodReady(pod)).length < unavailable;
    if (next !== undefined && isFree) await this.#remove(next);
  }

  #create(kind: ChildKind, object: Whole, { template, text }: { readonly template: PodTemplateSpec; readonly text: string }): void {
    const owner = kind.name === 'Deployment' ? this.#replicaSetOf(object) : object;
    const type = kind.name === 'Deployment' ? replicaSets : kind.type;
    this.#api.seed(pods, {
      metadata: {
        namespace,
        name: `${object.metadata.name}-${this.#made++}`,
        creationTimestamp: formatTime(this.#clock.now()),
        labels: { ...template.metadata?.labels },
        annotations: { [templateAnnotation]: text },
        ownerReferences: [newControllerRef(owner, type)],
      },
      spec: template.spec ?? { containers: [] },
      status: { phase: 'Pending' },
    });
  }

  #replicaSetOf(object: Whole): ChildObject {
    const [held] = this.#api.peekAll(replicaSets, namespace).filter((set) => isControlledBy(set, object.metadata.uid));
    return (
      held ??
      this.#api.seed(replicaSets, {
        metadata: {
          namespace,
          name: `${object.metadata.name}-rs`,
          labels: { ...object.spec?.selector?.matchLabels },
          ownerReferences: [newControllerRef(object, childKinds[3]?.type ?? replicaSets)],
        },
      })
    );
  }

  #remove(pod: Pod): Promise<unknown> {
    return this.#api.delete(pods, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
  }

  #run(pod: Pod): void {
    const isWaiting = (pod.spec.nodeName ?? '') === '';
    const fits = !this.closed.has(pod.metadata.labels?.[unitedDeploymentLabels.subsetName] ?? '');
    const notReady = this.#notReady(pod);
    const known = `${fits} ${notReady.has(pod.spec.containers[0]?.image ?? '')}`;
    if (this.#settled.get(pod) === known) return;
    const unschedulable: Pod = {
      ...pod,
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    };
    const next = isWaiting && !fits ? unschedulable : kubeletStep(pod, this.#clock.now(), { brokenImages: notReady });
    if (deepEqual(next, pod)) this.#settled.set(pod, known);
    else this.#api.seed(pods, next);
  }

  /** Images that are broken, and that of a Pod that is still starting. */
  #notReady({ metadata, spec }: Pod): ReadonlySet<string> {
    const isStarting = this.#clock.now() < (parseTime(metadata.creationTimestamp) ?? 0) + this.startup * 1000;
    return isStarting ? new Set([...this.broken, spec.containers[0]?.image ?? '']) : this.broken;
  }

  #report(kind: ChildKind, object: Whole): void {
    const held = this.podsOf(object);
    const { generation = 1 } = object.metadata;
    const counters = { observedGeneration: generation, replicas: held.length, readyReplicas: held.filter(isPodReady).length };
    const conditions = this.conditions.get(subsetOf(object));
    const status = conditions === undefined ? counters : { ...counters, conditions };
    if (!deepEqual(object.status, status)) this.#api.seed(kind.type, { ...object, status });
  }

  async #collect(): Promise<void> {
    const uids = new Set(
      [...this.children.map(({ object }) => object), ...this.#api.peekAll(replicaSets, namespace)].map(({ metadata }) => metadata.uid),
    );
    for (const type of [replicaSets, pods] as readonly ResourceType[])
      for (const { metadata } of this.#api.peekAll(type, namespace))
        if (!(metadata.ownerReferences ?? []).some(({ uid }) => uids.has(uid)))
          await this.#api.delete(type, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 });
  }

  /** Each child as `subset replicas[/ready] kind`, by subset. */
  get shown(): readonly string[] {
    return this.children
      .map(({ kind, object }) => {
        const held = this.podsOf(object);
        const ready = held.filter(isPodReady).length;
        return `${subsetOf(object)} ${object.spec?.replicas ?? 1}${ready === held.length && ready === object.spec?.replicas ? '' : `, ${held.length} Pods, ${ready} ready`} ${kind.name}`;
      })
      .sort();
  }
}
