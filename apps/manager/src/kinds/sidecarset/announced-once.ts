/** Events of an object are given once for each generation of it: its status has no place for what they say. */
import type { EventRecorder } from '@kruise/kube';
import type { KubeObject } from '@kruise/objects';
import type { Announcement } from '@kruise/kinds/sidecarset';

export class AnnouncedOnce {
  readonly #recorder: EventRecorder;
  /** By uid, then by reason: the generation for which the event was given. An entry leaves with its object. */
  readonly #generations = new Map<string, Map<string, number>>();

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  announce(object: KubeObject, announcements: readonly Announcement[]): void {
    const { uid = '', generation = 0 } = object.metadata;
    const announced = this.#generations.get(uid) ?? new Map<string, number>();
    for (const { type, reason, message, isNews = false } of announcements) {
      if (!isNews && announced.get(reason) === generation) continue;
      this.#generations.set(uid, announced.set(reason, generation));
      this.#recorder.event(object, type, reason, message);
    }
  }

  /** Called for every object that is deleted. */
  forget(uid: string): void {
    this.#generations.delete(uid);
  }
}
