/** The revisions of a UnitedDeployment's pass. Pure. @see spec/uniteddeployment.md 5.3, spec/manager.md 5.8 */
import { unitedDeployments, type UnitedDeployment } from '@kruise/api';
import { controllerOf, newControllerRef, type ControllerRevision } from '@kruise/objects';
import { planHistory, settledRevision } from '@kruise/pods';
import { planWorkloadRevisions, type HistoryAction, type WorkloadRevisions } from '@kruise/workloads';
import type { Action } from './children/action.ts';
import { childTemplateOf } from './snapshot/child-kinds.ts';
import { knownTemplateBytes, storedTemplateBytes, templateBytes } from './revision-data.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

type Seen = Pick<Snapshot, 'united' | 'kind' | 'revisions' | 'heldRevisions'>;

/** For whatever kind of child: the selector finds the revision again. */
const labelsOf = ({ united, kind }: Seen): Readonly<Record<string, string>> => ({
  ...childTemplateOf(united, kind).metadata?.labels,
  ...united.spec.selector.matchLabels,
});

/** As `settledRevision` reads it of other kinds, which have another name for the member. */
const settledName = ({ metadata, status }: UnitedDeployment): string | undefined =>
  settledRevision({ metadata, status: status === undefined ? undefined : { ...status, updateRevision: status.updatedRevision ?? '' } });

/** While one of these actions is pending, nothing else is planned. */
export function planUnitedRevisions(seen: Seen): WorkloadRevisions {
  const { united, revisions, heldRevisions } = seen;
  const { template = {} } = united.spec;
  return planWorkloadRevisions(
    {
      listed: revisions,
      currentName: united.status?.currentRevision ?? '',
      collisionCount: united.status?.collisionCount ?? 0,
      settledName: settledName(united),
      source: {
        namespace: united.metadata.namespace ?? '',
        parent: united.metadata.name,
        owner: newControllerRef(united, unitedDeployments),
        template: contentOf(template, labelsOf(seen)),
        annotations: {},
      },
    },
    heldRevisions,
  );
}

const contentOf = (template: NonNullable<UnitedDeployment['spec']['template']>, labels: Readonly<Record<string, string>>) => ({
  of: template,
  bytes: () => templateBytes(template),
  labels,
  storedBytes: storedTemplateBytes,
  knownBytes: knownTemplateBytes,
});

/** Orphans of the history would outlive the UnitedDeployment. */
export const planRevisionAdoption = ({ revisions }: Seen): readonly Action[] =>
  revisions
    .filter((revision) => controllerOf(revision) === undefined && revision.metadata.deletionTimestamp === undefined)
    .map((revision) => ({ kind: 'AdoptRevision', revision, because: 'the selector matches it and it has no controller' }));

/** What is beyond the limit, oldest first; those that the status names stay, and those that a child still carries. */
export function planOldRevisions({ united, revisions }: Seen, inUse: ReadonlySet<string>): readonly HistoryAction[] {
  const all = Math.max(united.spec.revisionHistoryLimit ?? 10, 0);
  const isLive = ({ metadata }: ControllerRevision): boolean => inUse.has(metadata.name);
  return planHistory(revisions, isLive, { all }).map((revision) => ({
    kind: 'DeleteRevision',
    revision,
    because: `more than ${all} revisions`,
  }));
}
