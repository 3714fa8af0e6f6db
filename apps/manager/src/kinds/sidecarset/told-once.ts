/** Events of an object are given once for each generation of it: its status has no place for what they say. */
import type { KubeObject } from '@kruise/objects';

export class ToldOnce<Topic extends string> {
  /** By uid, then by topic: the generation for which the event was given. An entry leaves with its object. */
  readonly #generations = new Map<string, Map<Topic, number>>();

  /** Calls `tell` unless it was called for the topic in this generation. */
  tell(object: KubeObject, topic: Topic, tell: () => void): void {
    const { uid = '', generation = 0 } = object.metadata;
    const told = this.#generations.get(uid) ?? new Map<Topic, number>();
    if (told.get(topic) === generation) return;
    this.#generations.set(uid, told.set(topic, generation));
    tell();
  }

  /** The next {@link tell} calls again. */
  renew({ metadata }: KubeObject, topic: Topic): void {
    this.#generations.get(metadata.uid ?? '')?.delete(topic);
  }

  forget({ metadata }: KubeObject): void {
    this.#generations.delete(metadata.uid ?? '');
  }
}
