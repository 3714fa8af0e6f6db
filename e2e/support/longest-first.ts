/** Jest's sequencer of the end-to-end tests. */
import { basename } from 'node:path';
import { longestFirst } from '../../tools/tasks/jest/longest-first.ts';

/** As measured with six workers, down to half a minute. */
const longest = [
  'daemonset-update',
  'statefulset-update',
  'workloadspread',
  'advancedcronjob',
  'podunavailablebudget-operations',
  'broadcastjob',
  'uniteddeployment-spread',
  'statefulset-scale',
  'podunavailablebudget-workloads',
  'statefulset-lifecycle',
  'uniteddeployment-update',
  'daemonset-create',
  'podunavailablebudget-rollouts',
  'container-recreate',
  'persistentpodstate',
  'cloneset-update',
  'cloneset-standstill',
  'container-launch-priority',
  'cloneset-availability',
  'cloneset-strategies',
  'ephemeral-job',
  'daemon-env-restart',
  'inplace-update',
  'inplace-batches',
  'pod-probe-marker',
  'image-pull-job',
  'resource-distribution',
  'cloneset-lifecycle',
  'sidecarset-update',
].map((name) => `${name}.e2e.test.ts`);

/** Installs again with other gates. */
const last = 'uninstall.e2e.test.ts';

function rankOf(path: string): number {
  const name = basename(path);
  if (name === last) return -1;
  const place = longest.indexOf(name);
  return place === -1 ? 0 : longest.length - place;
}

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default longestFirst(rankOf);
