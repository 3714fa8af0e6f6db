/** Every state of the Pods of a namespace, recorded by a watch: polling misses short states. */
import type { Client, ObjectList } from '@kruise/kube';
import { type Pod, pods } from '@kruise/objects';
import { eventually } from '@kruise/testing';

/** The Pods after one event, by name. */
export type Moment = ReadonlyMap<string, Pod>;

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
/** Versions of one resource are numbers that grow (Kubernetes 1.35 documents this; etcd has always done so). */
const versionOf = ({ metadata }: Pod): number => Number(metadata.resourceVersion);

/** What a watch has seen up to a point in time. */
export class ObservedPods {
  /** After each event, oldest first. */
  readonly moments: readonly Moment[];

  constructor(moments: readonly Moment[]) {
    this.moments = moments;
  }

  /** Different values that `of` had for one Pod, in order; a value that stays is listed once. */
  sequence(name: string, of: (pod: Pod) => string | undefined): readonly string[] {
    const values = this.moments.flatMap((moment) => {
      const pod = moment.get(name);
      return pod === undefined ? [] : [of(pod) ?? ''];
    });
    return values.filter((value, index) => index === 0 || value !== values[index - 1]);
  }

  /** The lowest and the highest number of Pods that `fit` at any moment. */
  range(fits: (pod: Pod) => boolean): { readonly lowest: number; readonly highest: number } {
    const counts = this.moments.map((moment) => [...moment.values()].filter(fits).length);
    return { lowest: Math.min(...counts), highest: Math.max(...counts) };
  }
}

/**
 * Watches the Pods of a namespace from `begin` until it is disposed of. A list may show a state before the watch delivers
 * it, so what was recorded can be read only with `untilNow`, which waits for the watch.
 */
export class PodHistory implements AsyncDisposable {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #moments: Moment[];
  /** The last version of every Pod that was ever seen, by uid; infinite once the Pod is deleted. */
  readonly #versions = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #watch: Promise<void>;
  #end: { readonly error: unknown } | undefined;

  private constructor(client: Client, namespace: string, { items, metadata }: ObjectList<Pod>) {
    this.#client = client;
    this.#namespace = namespace;
    for (const pod of items) this.#versions.set(uidOf(pod), versionOf(pod));
    this.#moments = [new Map(items.map((pod) => [pod.metadata.name, pod]))];
    this.#watch = this.#follow(metadata.resourceVersion);
  }

  /** Resolves when the first moment, the Pods that exist now, is recorded: every later change is seen. */
  static async begin(client: Client, namespace: string): Promise<PodHistory> {
    return new PodHistory(client, namespace, await client.list(pods, { namespace }));
  }

  /**
   * All moments up to the Pods that exist when this is called, perhaps some later ones.
   * @throws when the watch ended, because moments may be missing
   */
  async untilNow(): Promise<ObservedPods> {
    const now = await this.#client.list(pods, { namespace: this.#namespace });
    await eventually(() => {
      if (this.#end !== undefined) throw new Error('the watch of Pods ended', { cause: this.#end.error });
      return this.#hasReached(now);
    });
    return new ObservedPods([...this.#moments]);
  }

  #hasReached({ items, metadata }: ObjectList<Pod>): boolean {
    const listed = new Set(items.map(uidOf));
    return (
      items.every((pod) => (this.#versions.get(uidOf(pod)) ?? 0) >= versionOf(pod)) &&
      [...this.#versions].every(([uid, version]) => listed.has(uid) || version > Number(metadata.resourceVersion))
    );
  }

  async #follow(resourceVersion: string): Promise<void> {
    let error: unknown;
    try {
      const options = { namespace: this.#namespace, resourceVersion, signal: this.#stop.signal };
      for await (const event of this.#client.watch<Pod>(pods, options)) {
        if (event.type === 'BOOKMARK') continue;
        const next = new Map(this.#moments.at(-1));
        const pod = event.object;
        if (event.type === 'DELETED') next.delete(pod.metadata.name);
        else next.set(pod.metadata.name, pod);
        this.#moments.push(next);
        this.#versions.set(uidOf(pod), event.type === 'DELETED' ? Infinity : versionOf(pod));
      }
    } catch (thrown) {
      error = thrown;
    }
    this.#end = { error };
  }

  /** Ends the watch. @throws when it ended before, because moments may be missing */
  async [Symbol.asyncDispose](): Promise<void> {
    const end = this.#end;
    this.#stop.abort();
    await this.#watch;
    if (end !== undefined) throw new Error('the watch of Pods ended', { cause: end.error });
  }
}
