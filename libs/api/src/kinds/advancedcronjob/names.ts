/** Names on the wire that belong to AdvancedCronJobs alone. */

/** Annotation keys of AdvancedCronJobs alone. */
export const advancedCronJobAnnotations = {
  /** On a child of an AdvancedCronJob: RFC 3339 time it was scheduled for. */
  scheduledAt: 'apps.kruise.io/scheduled-at',
  /** On a child, as CronJobs of Kubernetes write it: the same time in the zone of the schedule. */
  cronJobScheduledAt: 'batch.kubernetes.io/cronjob-scheduled-timestamp',
} as const;
