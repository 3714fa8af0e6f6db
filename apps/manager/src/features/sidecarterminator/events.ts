/** Events of a Pod about the end of its sidecars. A process sends each warning once for each Pod and topic. */
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
  /** Reported topics, by Pod; {@link forget} removes those of a Pod. */
  readonly #reported = new Map<string, { readonly uid: string; readonly topics: Set<Warning['topic']> }>();

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
    const held = this.#reported.get(key);
    const { topics } = held?.uid === uid ? held : { topics: new Set<Warning['topic']>() };
    this.#reported.set(key, { uid, topics });
    if (topics.has(topic)) return;
    topics.add(topic);
    this.#recorder.event(pod, 'Warning', reasonOf(topic), message);
  }

  /** For a deleted Pod. */
  forget(pod: Pod): void {
    this.#reported.delete(formatKey(keyOf(pod)));
  }
}
