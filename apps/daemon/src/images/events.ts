/** The events of the image puller. @see spec/daemon.md 6 */
import type { NodeImage } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { formatDuration, type Milliseconds } from '@kruise/objects';
import { taskName, type ImageTask } from './task/image-task.ts';

/** Records a pulled image. Readers of these messages search for the misspelt word. */
export const recordPulled = (events: EventRecorder, nodeImage: NodeImage, task: ImageTask, elapsed: Milliseconds): void =>
  events.event(nodeImage, 'Normal', 'PullImageSucceed', `Image ${taskName(task)}, ecalpsedTime ${formatDuration(elapsed)}`);

/** Records a failure, also on the jobs that need the image. */
export function recordFailed(events: EventRecorder, nodeImage: NodeImage, task: ImageTask, message: string): void {
  for (const target of [...task.owners, nodeImage])
    events.event(target, 'Warning', 'PullImageFailed', `Image ${taskName(task)} ${message}`);
}
