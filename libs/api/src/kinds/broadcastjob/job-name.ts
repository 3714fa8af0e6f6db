/** Names of jobs: stricter than those of other objects, as Pods carry them in a label. */

const most = 63;

/** What is wrong with the name of a BroadcastJob or an AdvancedCronJob. @see spec/broadcastjob.md 4.2, spec/advancedcronjob.md 4.2 */
export const checkJobName = (name: string): readonly string[] => [
  ...(/^[a-zA-Z0-9-]+$/.test(name) ? [] : ["must consist of alphanumeric characters or '-'"]),
  ...(name.length > most ? [`must be no more than ${String(most)} characters`] : []),
];
