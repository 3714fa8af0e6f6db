/** Jest's sequencer of the end-to-end tests. */
import { basename } from 'node:path';
import { longestFirst } from '../../tools/tasks/longest-first.ts';

/** As measured with six workers, down to half a minute. The first one waits for five minutes on purpose. */
const longest = [
  'workloadspread-adaptive',
  'daemonset-update',
  'podunavailablebudget-workloads',
  'broadcastjob',
  'workloadspread',
  'podunavailablebudget-operations',
  'statefulset-scale',
  'statefulset-update',
  'uniteddeployment-spread',
  'uniteddeployment-update',
  'statefulset-lifecycle',
  'persistentpodstate',
  'daemonset-create',
  'advancedcronjob',
  'podunavailablebudget-rollouts',
  'cloneset-update',
  'inplace-update',
  'cloneset-strategies',
  'cloneset-standstill',
  'applied-twice',
  'cloneset-availability',
  'cloneset-lifecycle',
  'container-recreate',
  'container-launch-priority',
  'daemon-env-restart',
  'deletion-protection',
  'image-pull-job',
  'ephemeral-job',
].map((name) => `${name}.e2e.test.ts`);

/** Installs again with other gates. */
const last = 'uninstall.e2e.test.ts';

function rankOf(path: string): number {
  const name = basename(path);
  if (name === last) return -1;
  const place = longest.indexOf(name);
  return place === -1 ? 0 : longest.length - place;
}

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default longestFirst(rankOf);
