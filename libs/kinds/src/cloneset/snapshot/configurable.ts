/** How a pass reads and replaces the template of a CloneSet whose revision contains the hash of named ConfigMaps. @see spec/config-rollout.md 3 */
import type { CloneSet } from '@kruise/api';
import type { ConfigurableKind } from '@kruise/workloads';
import type { Snapshot } from './snapshot.ts';

export const configurable: ConfigurableKind<Snapshot, CloneSet> = {
  workloadOf: ({ cloneSet }) => cloneSet,
  revisionsOf: ({ revisions }) => revisions,
  withWorkload: (snapshot, cloneSet) => ({ ...snapshot, cloneSet }),
};
