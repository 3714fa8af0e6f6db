/**
 * What a program of the manager holds of the cluster. Which part of a kind, how much of each object and by what it can be looked up is decided
 * here once, so that all who request a kind share one store, and none gets less of an object than it reads.
 */
import type { Informer, Informers, InformerScope, IndexFunction } from '@kruise/kube';
import { jobs, nodes, type Index, type KubeObject, type ResourceType, type Secret } from '@kruise/objects';
import { slimJob } from './slim-job.ts';
import { slimNode } from './slim-node.ts';
import { slimSecret } from './slim-secret.ts';
import { slimWorkload } from './slim-workload.ts';
import { builtInDaemonSets, builtInStatefulSets, deployments, replicaSets } from '@kruise/workloads';

/** Which part of each object is kept, by kind; kinds that are not listed are kept whole. */
const trimmed = new Map<ResourceType, unknown>([
  [nodes, slimNode],
  [jobs, slimJob],
  [deployments, slimWorkload],
  [replicaSets, slimWorkload],
  [builtInStatefulSets, slimWorkload],
  [builtInDaemonSets, slimWorkload],
]);

const trimOf = <T extends KubeObject>(type: ResourceType<T>) => trimmed.get(type) as ((object: T) => T) | undefined;

/** An object from the API server, trimmed as a cache would hold it, so that comparisons with cached objects show no false difference. */
export const asHeld = <T extends KubeObject>(type: ResourceType<T>, object: T): T => trimOf(type)?.(object) ?? object;

const indexesOf = <T extends KubeObject>(indexes: readonly Index<T>[]): Readonly<Record<string, IndexFunction<T>>> =>
  Object.fromEntries(indexes.map(({ name, valuesOf }) => [name, valuesOf]));

export class Caches {
  readonly #informers: Informers;
  readonly #namespace: string;
  readonly #shared = new Map<unknown, unknown>();

  /** @param namespace the only one that the manager works in (`--namespace`); '' for all */
  constructor(informers: Informers, namespace: string) {
    this.#informers = informers;
    this.#namespace = namespace;
  }

  /** Objects of a kind, as far as the manager works on them: those of its namespace when it has one, all of a kind without namespaces. */
  of<T extends KubeObject>(type: ResourceType<T>, ...indexes: readonly Index<T>[]): Informer<T> {
    const scope = type.namespaced && this.#namespace !== '' ? { namespace: this.#namespace } : {};
    return this.part(type, scope, ...indexes);
  }

  /** All objects of a kind, whatever the manager works on. */
  everywhere<T extends KubeObject>(type: ResourceType<T>, ...indexes: readonly Index<T>[]): Informer<T> {
    return this.part(type, {}, ...indexes);
  }

  /** Those of one namespace, or that a selector names. */
  part<T extends KubeObject>(type: ResourceType<T>, scope: InformerScope, ...indexes: readonly Index<T>[]): Informer<T> {
    const trim = trimOf(type);
    return this.#informers.informer(type, { ...scope, indexes: indexesOf(indexes), ...(trim === undefined ? {} : { trim }) });
  }

  /** Which Secrets there are: the API server sends nothing but their metadata. */
  known(type: ResourceType<Secret>, scope: InformerScope): Informer<Secret> {
    return this.#informers.informer(type, { ...scope, part: 'Metadata', trim: slimSecret });
  }

  /** Returns what `make` builds from these caches: the same value for every caller that passes the same function. */
  shared<D extends { readonly caches: Caches }, T>(make: (dependencies: D) => T, dependencies: D): T {
    if (!this.#shared.has(make)) this.#shared.set(make, make(dependencies));
    return this.#shared.get(make) as T;
  }

  /** The namespace that the manager works in, or none. */
  get scope(): InformerScope {
    return this.#namespace === '' ? {} : { namespace: this.#namespace };
  }
}
