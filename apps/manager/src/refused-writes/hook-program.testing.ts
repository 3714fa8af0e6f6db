/** The program of a user behind the lifecycle hooks of generated runs. */
import { labels } from '@kruise/api';
import type { Pod } from '@kruise/objects';

/** The label by which the program holds a Pod. */
const hold = 'hold';

export const hookShapes = ['preDelete', 'inPlaceUpdate', 'both'] as const;

/** What a run may have for a hook. */
export interface HookShape {
  readonly hook: 'None' | (typeof hookShapes)[number];
  readonly markPodNotReady: boolean;
}

export function lifecycleOf({ hook, markPodNotReady }: HookShape): object {
  const handler = { labelsHandler: { [hold]: 'yes' }, markPodNotReady };
  if (hook === 'None') return {};
  return { lifecycle: hook === 'both' ? { preDelete: handler, inPlaceUpdate: handler } : { [hook]: handler } };
}

/** Labels of the template, by which Pods are held from their creation on. */
export const heldLabels = ({ hook }: HookShape): Readonly<Record<string, string>> => (hook === 'None' ? {} : { [hold]: 'yes' });

/** The program lets go of every Pod that waits for it, and takes hold of those that are updated. @param put writes the Pod */
export function answerHooks(pods: readonly Pod[], put: (pod: Pod) => void): void {
  for (const pod of pods) {
    const state = pod.metadata.labels?.[labels.lifecycleState];
    const { [hold]: _held, ...others } = pod.metadata.labels ?? {};
    if (state === 'PreparingUpdate' || state === 'PreparingDelete') put({ ...pod, metadata: { ...pod.metadata, labels: others } });
    if (state === 'Updated') put({ ...pod, metadata: { ...pod.metadata, labels: { ...others, [hold]: 'yes' } } });
  }
}
