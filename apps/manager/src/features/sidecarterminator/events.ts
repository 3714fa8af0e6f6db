/** What a Pod is told of the end of its sidecars. Warnings come once for each Pod and topic in the life of the process. */
import { controllerNames, eventReasons } from '@kruise/api';
import { formatKey, keyOf, unreachable, type Pod } from '@kruise/objects';
import type { EventRecorder } from '@kruise/kube';
import type { Warning } from '@kruise/kinds/sidecarterminator';

export const eventSource = controllerNames.sidecarTerminator;

const reasonOf = (topic: Warning['topic']): string => {
  switch (topic) {
    case 'unsupported':
      return eventReasons.sidecarTerminatorUnsupported;
    case 'unanswered':
    case 'gave up':
    case 'refused':
      return eventReasons.sidecarTerminatorFailed;
    default:
      return unreachable(topic);
  }
};

export class SidecarEvents {
  readonly #recorder: EventRecorder;
  /** Topics told, by Pod; a Pod's leave with {@link forget}. */
  readonly #told = new Map<string, { readonly uid: string; readonly topics: Set<Warning['topic']> }>();

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  terminating(pod: Pod, sidecars: readonly string[], how: 'crr' | 'in-place update'): void {
    const message = `Kruise SidecarTerminator is trying to terminate sidecar [${sidecars.join(' ')}] using ${how}`;
    this.#recorder.event(pod, 'Normal', eventReasons.sidecarTerminator, message);
  }

  warn(pod: Pod, { topic, message }: Warning): void {
    const key = formatKey(keyOf(pod));
    const { uid = '' } = pod.metadata;
    const held = this.#told.get(key);
    const { topics } = held?.uid === uid ? held : { topics: new Set<Warning['topic']>() };
    this.#told.set(key, { uid, topics });
    if (topics.has(topic)) return;
    topics.add(topic);
    this.#recorder.event(pod, 'Warning', reasonOf(topic), message);
  }

  /** The Pod is gone. */
  forget(pod: Pod): void {
    this.#told.delete(formatKey(keyOf(pod)));
  }
}
