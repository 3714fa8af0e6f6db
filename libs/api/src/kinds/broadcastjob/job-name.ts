/** Names of jobs: stricter than those of other objects, because Pods have them as a label. */

const most = 63;

/** Returns the faults of the name of a BroadcastJob or an AdvancedCronJob. @see spec/broadcastjob.md 4.2, spec/advancedcronjob.md 4.2 */
export const checkJobName = (name: string): readonly string[] => [
  ...(/^[a-zA-Z0-9-]+$/.test(name) ? [] : ["must consist of alphanumeric characters or '-'"]),
  ...(name.length > most ? [`must be no more than ${String(most)} characters`] : []),
];
