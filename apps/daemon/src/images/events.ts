/** What the image puller tells of. @see spec/daemon.md 6 */
import type { NodeImage } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { formatDuration, type Milliseconds } from '@kruise/objects';
import { taskName, type ImageTask } from './image-task.ts';

/** The misspelt word is what those who read these messages look for. */
export const recordPulled = (events: EventRecorder, nodeImage: NodeImage, task: ImageTask, elapsed: Milliseconds): void =>
  events.event(nodeImage, 'Normal', 'PullImageSucceed', `Image ${taskName(task)}, ecalpsedTime ${formatDuration(elapsed)}`);

/** Told of the jobs that want the image, too. */
export function recordFailed(events: EventRecorder, nodeImage: NodeImage, task: ImageTask, message: string): void {
  for (const target of [...task.owners, nodeImage])
    events.event(target, 'Warning', 'PullImageFailed', `Image ${taskName(task)} ${message}`);
}
