/** Every state of the Pods of a namespace, seen by a watch: what no poll could miss. */
import type { Client, ObjectList } from '@kruise/kube';
import { type Pod, pods } from '@kruise/objects';

/** The Pods as they were after one event, by name. */
export type Moment = ReadonlyMap<string, Pod>;

export class PodHistory implements AsyncDisposable {
  /** After each event, oldest first. */
  readonly moments: Moment[] = [];
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  private constructor(client: Client, namespace: string, { items, metadata }: ObjectList<Pod>) {
    const present: Moment = new Map(items.map((pod) => [pod.metadata.name, pod]));
    this.moments.push(present);
    this.#done = this.#follow(client, namespace, { present, resourceVersion: metadata.resourceVersion });
  }

  /** Resolves when the Pods there are now are noted as the first moment: whatever is done afterwards is seen. */
  static async begin(client: Client, namespace: string): Promise<PodHistory> {
    return new PodHistory(client, namespace, await client.list(pods, { namespace }));
  }

  async #follow(client: Client, namespace: string, from: { readonly present: Moment; readonly resourceVersion: string }): Promise<void> {
    let { present } = from;
    try {
      for await (const event of client.watch<Pod>(pods, {
        namespace,
        resourceVersion: from.resourceVersion,
        signal: this.#stop.signal,
      })) {
        if (event.type === 'BOOKMARK') continue;
        const next = new Map(present);
        if (event.type === 'DELETED') next.delete(event.object.metadata.name);
        else next.set(event.object.metadata.name, event.object);
        present = next;
        this.moments.push(present);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
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

  /** Ends it. @throws when the watch broke before, as then something may have been missed */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}
