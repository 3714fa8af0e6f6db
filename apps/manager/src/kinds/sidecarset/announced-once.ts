/** Events of an object are given once for each generation of it: its status has no place for what they say. */
import type { KubeObject } from '@kruise/objects';

export class AnnouncedOnce<Topic extends string> {
  /** By uid, then by topic: the generation for which the event was given. An entry leaves with its object. */
  readonly #generations = new Map<string, Map<Topic, number>>();

  /** Calls `give` unless it was called for the topic in this generation. */
  announce(object: KubeObject, topic: Topic, give: () => void): void {
    const { uid = '', generation = 0 } = object.metadata;
    const announced = this.#generations.get(uid) ?? new Map<Topic, number>();
    if (announced.get(topic) === generation) return;
    this.#generations.set(uid, announced.set(topic, generation));
    give();
  }

  /** The next {@link announce} calls again. */
  renew({ metadata }: KubeObject, topic: Topic): void {
    this.#generations.get(metadata.uid ?? '')?.delete(topic);
  }

  forget({ metadata }: KubeObject): void {
    this.#generations.delete(metadata.uid ?? '');
  }
}
