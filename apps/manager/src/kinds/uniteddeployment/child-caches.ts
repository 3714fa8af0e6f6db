/**
 * The workloads that may be children. Those of Kubernetes are held only in a cluster that has a UnitedDeployment, from the first one on, and
 * ReplicaSets from the first whose children are Deployments: most clusters have many of them and no UnitedDeployment.
 *
 *   no UnitedDeployment --the first one is seen--> the four kinds are watched --a child is a Deployment--> ReplicaSets are watched
 */
import type { UnitedDeployment } from '@kruise/api';
import type { Informer, Request, StoreEvent, Watch } from '@kruise/kube';
import { byController, replicaSets, type BuiltInWorkload } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { childKinds, type ChildKind, type ChildObject } from '@kruise/kinds/uniteddeployment';
import { orphanedSubsets, type ChildSources } from './observe.ts';
import { gathered, keysForChild, keysForReplicaSet, type StoreOf } from './triggers.ts';

type Event = StoreEvent<BuiltInWorkload>;
type Subscribe = (informer: Informer<BuiltInWorkload>, toKeys: (event: Event) => readonly Request[]) => void;

interface Held {
  readonly kind: ChildKind;
  readonly informer: Informer<ChildObject>;
}

export class ChildCaches {
  readonly #dependencies: Pick<ControllerDependencies, 'caches' | 'installed'>;
  readonly #united: Informer<UnitedDeployment>;
  #children: readonly Held[] | undefined;
  #replicaSets: Informer<BuiltInWorkload> | undefined;
  #subscribe: Subscribe | undefined;

  constructor(dependencies: Pick<ControllerDependencies, 'caches' | 'installed'>, united: Informer<UnitedDeployment>) {
    this.#dependencies = dependencies;
    this.#united = united;
  }

  /** Enqueues UnitedDeployments when their children change. */
  get watch(): Watch {
    const { store, reflector } = this.#united;
    return {
      waitForSync: (signal) => reflector.waitForSync(signal),
      start: (take, onFailure) => {
        const stops: (() => void)[] = [];
        this.#subscribe = (informer, toKeys) => {
          const stop = informer.store.subscribe((event) => {
            try {
              const requests = toKeys(event);
              if (requests.length > 0) take(requests, event.kind === 'Added' && event.initial);
            } catch (error) {
              onFailure(error, event.object);
            }
          });
          stops.push(stop);
        };
        stops.push(store.subscribe(({ kind }) => (kind === 'Deleted' ? undefined : this.#begin())));
        return () => {
          this.#subscribe = undefined;
          for (const stop of stops) stop();
        };
      },
    };
  }

  /** Waits until everything that a pass reads is cached. @param kind of the children */
  async ready(kind: ChildKind, signal: AbortSignal): Promise<void> {
    const { children, sets } = this.#informersFor(kind);
    const informers = [...children.map(({ informer }) => informer), ...(sets === undefined ? [] : [sets])];
    await Promise.all(informers.map(({ reflector }) => reflector.waitForSync(signal)));
  }

  /** What a pass reads; complete after {@link ready}. @param kind of the children */
  sources(kind: ChildKind): ChildSources {
    const { children, sets } = this.#informersFor(kind);
    return { children: children.map(({ kind: of, informer }) => ({ kind: of, store: informer.store })), replicaSets: sets?.store };
  }

  #informersFor(kind: ChildKind): { readonly children: readonly Held[]; readonly sets: Informer<BuiltInWorkload> | undefined } {
    return { children: this.#begin(), sets: kind.name === 'Deployment' ? this.#beginReplicaSets() : undefined };
  }

  readonly storeOf: StoreOf = ({ group, kind }) =>
    [...(this.#children ?? []).map(({ informer }) => informer), ...(this.#replicaSets === undefined ? [] : [this.#replicaSets])].find(
      ({ store }) => store.type.group === group && store.type.kind === kind,
    )?.store;

  #begin(): readonly Held[] {
    if (this.#children !== undefined) return this.#children;
    const { caches, installed } = this.#dependencies;
    const kinds = childKinds.filter(({ type: { group, version, kind } }) => group === 'apps' || installed(group, version, kind));
    this.#children = kinds.map((kind) => ({ kind, informer: caches.of(kind.type, byController, orphanedSubsets) }));
    const united = this.#united.store;
    for (const { informer } of this.#children) this.#subscribe?.(informer, (event) => gathered(keysForChild(event, united), united));
    return this.#children;
  }

  #beginReplicaSets(): Informer<BuiltInWorkload> {
    if (this.#replicaSets !== undefined) return this.#replicaSets;
    this.#replicaSets = this.#dependencies.caches.of(replicaSets, byController);
    const united = this.#united.store;
    this.#subscribe?.(this.#replicaSets, (event) => gathered(keysForReplicaSet(event, this.storeOf), united));
    return this.#replicaSets;
  }
}
