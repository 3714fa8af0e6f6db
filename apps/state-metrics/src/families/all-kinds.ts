/** All kinds that can be exported, in alphabetical order: the order of the output. */
import { cloneSetKind } from './clonesets.ts';
import { daemonSetKind } from './daemonsets.ts';
import { broadcastJobKind, containerRecreateRequestKind, workloadSpreadKind } from './jobs.ts';
import { moreKinds } from './more-kinds.ts';
import type { ResourceKind } from './resource-kind.ts';
import { sidecarSetKind } from './sidecarsets.ts';
import { statefulSetKind } from './statefulsets.ts';

export const resourceKinds: readonly ResourceKind[] = [
  broadcastJobKind,
  cloneSetKind,
  containerRecreateRequestKind,
  daemonSetKind,
  sidecarSetKind,
  statefulSetKind,
  workloadSpreadKind,
  ...moreKinds,
].toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
