/** What the actions that all workloads share do at the API server. */
import type { HistoryAction, PodAction, PreDownloadAction } from '@kruise/workloads';
import { writePodAction, type PodActionWriter } from './pod-action-writes.ts';
import { writePullAhead, type PullAheadWriter } from './pull-ahead-writes.ts';
import { writeHistory, type HistoryWriter } from './revision-writes.ts';

export type SharedAction = HistoryAction | PreDownloadAction | PodAction;

export type SharedWriter = HistoryWriter &
  Omit<PodActionWriter, 'events'> & { readonly events: PodActionWriter['events'] & PullAheadWriter['events'] };

/** Does one action; throws what the API server refused. */
export function executeShared(action: SharedAction, writer: SharedWriter, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateRevision':
    case 'BumpRevision':
    case 'DeleteRevision':
      return writeHistory(action, writer, signal);
    case 'CreateImagePullJob':
    case 'DeleteImagePullJob':
    case 'LabelRevision':
      return writePullAhead(action, writer, signal);
    default:
      return writePodAction(action, writer, signal);
  }
}
