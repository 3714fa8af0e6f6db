/** Jest's sequencer of the end-to-end tests. */
import { basename } from 'node:path';
import { longestFirst } from '../../tools/tasks/longest-first.ts';

/** As measured with five workers. The first one waits for five minutes on purpose. */
const longest = [
  'workloadspread-adaptive',
  'daemonset-update',
  'workloadspread',
  'statefulset-lifecycle',
  'statefulset-update',
  'podunavailablebudget-operations',
  'cloneset-claims',
  'podunavailablebudget-workloads',
  'statefulset-scale',
  'broadcastjob',
  'uniteddeployment-update',
  'uniteddeployment-spread',
  'advancedcronjob',
  'sidecarset-injection',
  'cloneset-resources',
  'daemonset-create',
  'deletion-protection',
  'podunavailablebudget-rollouts',
  'persistentpodstate',
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
