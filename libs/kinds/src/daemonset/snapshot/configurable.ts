/** How a pass reads and replaces the template of a DaemonSet whose revision contains the hash of named ConfigMaps. @see spec/config-rollout.md 3 */
import type { DaemonSet } from '@kruise/api';
import type { ConfigurableKind } from '@kruise/workloads';
import type { Snapshot } from './snapshot.ts';

export const configurable: ConfigurableKind<Snapshot, DaemonSet> = {
  workloadOf: ({ set }) => set,
  revisionsOf: ({ revisions }) => revisions,
  withWorkload: (snapshot, set) => ({ ...snapshot, set }),
};
