/** The history of a SidecarSet: ControllerRevisions in the manager's namespace. @see spec/sidecarset.md 5.1, spec/manager.md 5.8 */
import { newestWith, revisionReferenceOf } from './revision-reference.ts';
import { sidecarSetLabels, sidecarSets, type SidecarSet } from '@kruise/api';
import { controllerOf, newControllerRef, type ControllerRevision } from '@kruise/objects';
import { planHistory, planRevisions, type RevisionAction } from '@kruise/pods';
import { storedVersionBytes, versionBytes } from './revision-data.ts';

export interface HistorySeen {
  readonly sidecarSet: SidecarSet;
  /** Oldest first. */
  readonly listed: readonly ControllerRevision[];
  readonly namespace: string;
}

/** The user's name of the present version changed. */
export interface NameRevision {
  readonly kind: 'NameRevision';
  readonly revision: ControllerRevision;
  readonly customVersion: string;
  readonly because: string;
}

export interface History {
  /** The revision of the present version, as it will be after the actions. */
  readonly latest: ControllerRevision;
  /** At most one; it has to be done before anything else. */
  readonly actions: readonly (RevisionAction | NameRevision)[];
}

const customVersionOf = ({ spec }: SidecarSet): string => (typeof spec.customVersion === 'string' ? spec.customVersion : '');

/** Of two labels of one name that which a version brings along wins over one of the SidecarSet. */
const labelsOf = (sidecarSet: SidecarSet): Readonly<Record<string, string>> => ({
  ...sidecarSet.metadata.labels,
  [sidecarSetLabels.name]: sidecarSet.metadata.name,
  ...(customVersionOf(sidecarSet) === '' ? {} : { [sidecarSetLabels.customVersion]: customVersionOf(sidecarSet) }),
});

/** Registers the present version: found as the last revision, brought back from an older one, or new. */
export function planRevision({ sidecarSet, listed, namespace }: HistorySeen): History {
  const { update, actions } = planRevisions({
    listed,
    currentName: '',
    collisionCount: sidecarSet.status?.collisionCount ?? 0,
    source: {
      namespace,
      parent: sidecarSet.metadata.name,
      owner: newControllerRef(sidecarSet, sidecarSets),
      template: {
        of: sidecarSet.spec,
        bytes: () => versionBytes(sidecarSet.spec),
        labels: labelsOf(sidecarSet),
        storedBytes: storedVersionBytes,
      },
      annotations: sidecarSet.metadata.annotations ?? {},
    },
  });
  if (actions.length > 0) return { latest: update, actions };
  const customVersion = customVersionOf(sidecarSet);
  const isNamed = customVersion === '' || update.metadata.labels?.[sidecarSetLabels.customVersion] === customVersion;
  const because = `the current version is called ${customVersion}`;
  return { latest: update, actions: isNamed ? [] : [{ kind: 'NameRevision', revision: update, customVersion, because }] };
}

/** The revisions that new Pods may be injected from. */
function injectedNames(sidecarSet: SidecarSet, listed: readonly ControllerRevision[]): readonly string[] {
  const asked = revisionReferenceOf(sidecarSet);
  if (asked === undefined) return [];
  const newest = asked.customVersion === '' ? undefined : newestWith(asked.customVersion, listed);
  return [asked.revisionName, ...(newest === undefined ? [] : [newest.metadata.name])];
}

/**
 * Surplus revisions of the history. The last revision stays, and so does one that a Pod or the injection strategy names.
 *
 * @param carried names of the revisions that matched Pods were injected or updated from
 * @returns those to delete, oldest first
 */
export function planTruncation({ sidecarSet, listed }: HistorySeen, carried: ReadonlySet<string>): readonly ControllerRevision[] {
  const last = listed.at(-1)?.metadata.name ?? '';
  const inUse = new Set([...carried, ...injectedNames(sidecarSet, listed), last]);
  const isLive = ({ metadata }: ControllerRevision): boolean => inUse.has(metadata.name);
  return planHistory(listed, isLive, { all: Math.max(1, sidecarSet.spec.revisionHistoryLimit ?? 10) });
}

/** Revisions of the history without an owner, which would outlive the SidecarSet. */
export const planAdoption = (listed: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  listed.filter((revision) => controllerOf(revision) === undefined && revision.metadata.deletionTimestamp === undefined);
