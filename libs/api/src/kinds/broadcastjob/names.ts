/** Names on the wire that belong to BroadcastJobs alone. */

/** Label keys of BroadcastJobs alone. */
export const broadcastJobLabels = {
  /** On Pods of a BroadcastJob: its name. */
  name: 'broadcastjob-name',
  /** On Pods of a BroadcastJob: its UID. */
  controllerUid: 'broadcastjob-controller-uid',
} as const;
