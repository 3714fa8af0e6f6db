/** How a pass reads and replaces the template of a StatefulSet whose revision contains the hash of named ConfigMaps. @see spec/config-rollout.md 3 */
import type { StatefulSet } from '@kruise/api';
import type { ConfigurableKind } from '@kruise/workloads';
import type { Snapshot } from './snapshot.ts';

export const configurable: ConfigurableKind<Snapshot, StatefulSet> = {
  workloadOf: ({ set }) => set,
  revisionsOf: ({ revisions }) => revisions,
  withWorkload: (snapshot, set) => ({ ...snapshot, set }),
};
