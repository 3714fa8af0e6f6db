/**
 * A fixture for the planner: it applies the actions of each plan as the API server would, and a simulated kubelet acts between passes.
 * Everything is deterministic.
 */
import type { SidecarSet } from '@kruise/api';
import { instant, type ControllerRevision, type Instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { noneRefused } from '@kruise/workloads';
import type { Action } from './action.ts';
import { kubeletStep, type KubeletOptions } from './kubelet.testing.ts';
import { plan, type Plan } from './plan.ts';
import { canFlip, memberOf, recordsOf, type Member } from './pods/pod-facts.ts';
import { viewOf } from './view/sidecar-set-view.ts';
import type { Snapshot } from './snapshot.ts';
import { aContext, changed } from './testing.ts';
import { flippedPod, updatedPod } from './pods/update-pod.ts';
import { withUpgradable } from './pods/upgradable-condition.ts';

export class Simulation {
  sidecarSet: SidecarSet;
  pods: readonly Pod[];
  revisions: readonly ControllerRevision[] = [];
  now: Instant = instant(epoch + 3_600_000);
  readonly kubelet: KubeletOptions;
  /** Puts the Pods into another order before each pass. */
  shuffle: (pods: readonly Pod[]) => readonly Pod[] = (pods) => pods;
  /** Actions done so far, by what they changed. */
  readonly done: string[] = [];
  #version = 100;

  constructor(sidecarSet: SidecarSet, pods: readonly Pod[], kubelet: KubeletOptions = {}) {
    this.sidecarSet = sidecarSet;
    this.pods = pods;
    this.kubelet = kubelet;
  }

  get snapshot(): Snapshot {
    return {
      sidecarSet: this.sidecarSet,
      pods: this.shuffle(this.pods),
      namespaceLabels: new Map([['default', { 'kubernetes.io/metadata.name': 'default' }]]),
      revisions: this.revisions,
      refused: noneRefused,
      resting: new Set(),
      revisionNamespace: 'kruise-system',
    };
  }

  /** As the planner sees the Pods now. */
  get members(): readonly Member[] {
    const view = viewOf(this.sidecarSet);
    return this.pods.map((pod) => memberOf(pod, recordsOf(pod), view));
  }

  plan(): Plan {
    return plan(this.snapshot, aContext());
  }

  /** One pass of the controller. @returns what it planned */
  pass(): Plan {
    const next = this.plan();
    for (const action of next.revisions) this.#apply(action, next);
    if (next.revisions.length > 0) return next;
    this.sidecarSet = { ...this.sidecarSet, status: next.status };
    for (const action of [...next.conditions, ...next.changes, ...next.housekeeping]) this.#apply(action, next);
    return next;
  }

  change(spec: Partial<SidecarSet['spec']>): void {
    const next = changed(this.sidecarSet, spec);
    this.sidecarSet = { ...next, metadata: { ...next.metadata, resourceVersion: String(this.#version++) } };
  }

  tick(): void {
    this.now = instant(this.now + 1000);
    this.pods = this.pods.map((pod) => kubeletStep(pod, this.now, this.kubelet));
  }

  /** Passes and ticks until nothing is left to do. */
  settle(limit = 200): void {
    for (let round = 0; round < limit; round++) {
      const before = JSON.stringify([this.pods, this.sidecarSet.status, this.revisions]);
      this.pass();
      this.tick();
      if (JSON.stringify([this.pods, this.sidecarSet.status, this.revisions]) === before) return;
    }
    throw new Error(`not settled after ${limit} passes: ${this.done.slice(-10).join(', ')}`);
  }

  #replace(pod: Pod, after: Pod): void {
    const held = this.pods.find(({ metadata }) => metadata.uid === pod.metadata.uid);
    const generation = after.spec === held?.spec ? after.metadata.generation : (after.metadata.generation ?? 0) + 1;
    const written = { ...after, metadata: { ...after.metadata, ...(generation === undefined ? {} : { generation }) } };
    this.pods = this.pods.map((each) => (each === held ? written : each));
  }

  #held = ({ metadata }: Pod): Pod => this.pods.find((pod) => pod.metadata.uid === metadata.uid) as Pod;

  #apply(action: Action, { view, latest }: Plan): void {
    const context = { view, latestRevision: latest.metadata.name, now: this.now };
    switch (action.kind) {
      case 'CreateRevision': {
        const { revision } = action.attempt;
        this.revisions = [...this.revisions, revision];
        this.done.push(`CreateRevision ${revision.metadata.name}`);
        return;
      }
      case 'BumpRevision': {
        const others = this.revisions.filter(({ metadata }) => metadata.name !== action.revision.metadata.name);
        this.revisions = [...others, action.revision];
        return;
      }
      case 'NameRevision':
        return;
      case 'AdoptRevision':
        throw new Error(`${action.revision.metadata.name} has an owner`);
      case 'DeleteRevision':
        this.revisions = this.revisions.filter(({ metadata }) => metadata.name !== action.revision.metadata.name);
        return;
      case 'SetUpgradable': {
        const pod = this.#held(action.pod);
        this.#replace(pod, { ...pod, status: { ...pod.status, conditions: withUpgradable(pod, view.name, action.upgradable, this.now) } });
        return;
      }
      case 'FlipPod': {
        const pod = this.#held(action.pod);
        if (!canFlip(pod, recordsOf(pod), view)) throw new Error(`${pod.metadata.name} was to be flipped for no reason`);
        this.done.push(`FlipPod ${pod.metadata.name}`);
        return this.#replace(pod, flippedPod(pod, context));
      }
      case 'UpdatePod': {
        const updated = updatedPod(this.#held(action.pod), context);
        if (updated === this.#held(action.pod)) throw new Error(`${updated.metadata.name} was updated twice`);
        this.done.push(`UpdatePod ${updated.metadata.name}`);
        const conditions = withUpgradable(updated, view.name, true, this.now);
        return this.#replace(updated, { ...updated, status: { ...updated.status, conditions } });
      }
    }
  }
}
