/** Decides which revision is the update revision, and which write creates it. */
import { annotations, labels } from '@kruise/api';
import {
  type ControllerRevision,
  type OwnerReference,
  type PodTemplateSpec,
  canonicalJson,
  controllerOf,
  deepEqual,
  memoizedWith,
  parseLossless,
  parseTime,
} from '@kruise/objects';
import { byUtf8 } from './normalize.ts';
import { revisionHash, revisionName, workloadNaming, type RevisionNaming } from './revision-name.ts';
import { knownRevisionBytes, revisionBytes, templateBytes } from './template-data.ts';

/** The content of a kind's revisions, in the one form that is hashed, and what it is compared by. */
export interface RevisionContent {
  /** The source of the content. An object of a store, which is frozen, identifies its content from pass to pass. */
  readonly of: object;
  /** Returns the data in canonical form. */
  readonly bytes: () => string;
  /** Labels of the revision besides that of its hash. */
  readonly labels: Readonly<Record<string, string>>;
  /** Returns what stored revisions and the new one are compared by: equal for equal content, whichever program wrote it. */
  readonly storedBytes: (revision: ControllerRevision) => string;
  /** Returns the same without the members that the original drops. Absent for content of which it drops nothing that matters. */
  readonly knownBytes?: (revision: ControllerRevision) => string;
}

/** Returns the content of a revision with a pod template. */
export const templateContent = (template: PodTemplateSpec): RevisionContent => ({
  of: template,
  bytes: () => templateBytes(template),
  labels: template.metadata?.labels ?? {},
  storedBytes: revisionBytes,
  knownBytes: knownRevisionBytes,
});

/** The parts of a revision, except for its number. */
export interface RevisionSource {
  readonly namespace: string;
  /** Name of the workload; begins the revision's name. */
  readonly parent: string;
  /** The controller reference to the workload. */
  readonly owner: OwnerReference;
  /** The pod template, or what the kind stores instead. */
  readonly template: PodTemplateSpec | RevisionContent;
  /** All annotations of the workload, and those that the kind adds. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The naming of most workloads when absent. */
  readonly naming?: RevisionNaming;
}

/** One attempt to create a revision. `collisionCount` belongs into the workload's status once it succeeds. */
export interface RevisionAttempt {
  readonly revision: ControllerRevision;
  readonly parent: string;
  readonly collisionCount: number;
  /** The revision's data in canonical form. */
  readonly bytes: string;
  readonly storedBytes: RevisionContent['storedBytes'];
  readonly knownBytes?: RevisionContent['storedBytes'];
  readonly naming: RevisionNaming;
}

/** The one write that creates the update revision, with its reason. */
export type RevisionAction =
  /** Create; when the name is in use, read the holder and continue with {@link afterNameCollision}. */
  | { readonly kind: 'CreateRevision'; readonly attempt: RevisionAttempt; readonly because: string }
  /** Update to this object (its resourceVersion is the precondition): a rollback, or a note of which template the revision represents. */
  | { readonly kind: 'BumpRevision'; readonly revision: ControllerRevision; readonly because: string };

/** The revisions of this pass, and the write that must precede anything that relies on them. */
export interface RevisionPlan {
  /** The update revision after the actions. */
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  readonly actions: readonly RevisionAction[];
}

/** The input of the plan: the stored revisions and the workload's status. */
export interface RevisionsSeen {
  /** As {@link listRevisions} returns them. */
  readonly listed: readonly ControllerRevision[];
  readonly source: RevisionSource;
  /** `status.currentRevision`, '' when not set yet. */
  readonly currentName: string;
  /** `status.collisionCount`, 0 when not set. */
  readonly collisionCount: number;
  /** Annotations that are updated when an older revision is reused (CloneSet: the claim template hash). */
  readonly refreshed?: Readonly<Record<string, string>>;
  /** As {@link settledRevision} returns it. Undefined: every change of the template counts. */
  readonly settledName?: string | undefined;
}

/** The fields of a workload that show for which spec its status was written. */
interface SettledWorkload {
  readonly metadata: { readonly generation?: number };
  readonly status?: { readonly observedGeneration?: number; readonly updateRevision?: string } | undefined;
}

/**
 * Returns the name of the update revision that was chosen for exactly the present spec, by any program.
 *
 * @returns undefined when the spec has changed since, or there is no such status
 * @see spec/inplace-update.md 3.4
 */
export const settledRevision = ({ metadata, status }: SettledWorkload): string | undefined =>
  status?.observedGeneration !== undefined && status.observedGeneration === metadata.generation ? status.updateRevision : undefined;

const compareRevisions = (a: ControllerRevision, b: ControllerRevision): number =>
  a.revision - b.revision ||
  (parseTime(a.metadata.creationTimestamp) ?? 0) - (parseTime(b.metadata.creationTimestamp) ?? 0) ||
  byUtf8((revision: ControllerRevision) => revision.metadata.name)(a, b);

/**
 * Returns the workload's history, oldest first: revisions that match its selector and have no other controller.
 *
 * @param all of the namespace, any order
 * @see spec/inplace-update.md 3.4
 */
export const listRevisions = (
  all: readonly ControllerRevision[],
  workload: { readonly uid: string; readonly selects: (labels: Readonly<Record<string, string>>) => boolean },
): readonly ControllerRevision[] =>
  all
    .filter((revision) => workload.selects(revision.metadata.labels ?? {}))
    .filter((revision) => [undefined, workload.uid].includes(controllerOf(revision)?.uid))
    .sort(compareRevisions);

/**
 * Returns a new revision.
 *
 * @param number the new revision's `revision`
 * @see spec/inplace-update.md 3.1, 3.3
 */
export function newRevision(source: RevisionSource, number: number, collisionCount: number): RevisionAttempt {
  const content = 'storedBytes' in source.template ? source.template : templateContent(source.template);
  const { labels: ownLabels, storedBytes, knownBytes } = content;
  const bytes = content.bytes();
  const { naming = workloadNaming } = source;
  const hash = naming.hash(bytes, collisionCount);
  return {
    parent: source.parent,
    collisionCount,
    bytes,
    storedBytes,
    naming,
    ...(knownBytes === undefined ? {} : { knownBytes }),
    revision: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: revisionName(source.parent, hash),
        namespace: source.namespace,
        labels: { ...ownLabels, [naming.label]: hash },
        annotations: source.annotations,
        ownerReferences: [source.owner],
      },
      data: parseLossless(bytes),
      revision: number,
    },
  };
}

const smallestInt32 = -2147483648;
const largestInt32 = 2147483647;

function numericHash(revision: ControllerRevision): number | undefined {
  const text = revision.metadata.labels?.[labels.revisionDataHash] ?? '';
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= smallestInt32 && value <= largestInt32 ? value : undefined;
}

/**
 * Returns whether two revisions contain the same template. They are compared after normalising, so that the output of a build for another Kubernetes
 * version counts as equal. Hash labels only matter when both are numbers.
 *
 * @see spec/inplace-update.md 3.4
 */
export const isEqualRevision = (a: ControllerRevision, b: ControllerRevision): boolean =>
  !hasOtherHash(a, b) && revisionBytes(a) === revisionBytes(b);

function hasOtherHash(a: ControllerRevision, b: ControllerRevision): boolean {
  const left = numericHash(a);
  const right = numericHash(b);
  return left !== undefined && right !== undefined && left !== right;
}

function bumped(revision: ControllerRevision, number: number, refreshed: Readonly<Record<string, string>> | undefined): ControllerRevision {
  const metadata =
    refreshed === undefined ? revision.metadata : { ...revision.metadata, annotations: { ...revision.metadata.annotations, ...refreshed } };
  return { ...revision, metadata, revision: number };
}

/**
 * Returns whether a revision that lacks members of the template still represents it, because that was noted when the workload was adopted. The note
 * is of the whole template, so a change of these members is a change.
 */
const standsFor = ({ metadata }: ControllerRevision, noted: string): boolean =>
  metadata.annotations?.[annotations.revisionStandsFor] === noted;

/** Returns whether the revision was created for the present template by a program that does not know all of its members. */
const isSettledOn = (
  revision: ControllerRevision,
  { knownBytes, storedBytes, revision: wanted }: RevisionAttempt,
  seen: RevisionsSeen,
): boolean => revision.metadata.name === seen.settledName && knownBytes !== undefined && storedBytes(revision) === knownBytes(wanted);

type UpdatePlan = Omit<RevisionPlan, 'current'>;

const change = (update: ControllerRevision, because: string): UpdatePlan => ({
  update,
  actions: [{ kind: 'BumpRevision', revision: update, because }],
});

const created = (attempt: RevisionAttempt): UpdatePlan => {
  const because = `no revision contains the template; the next number is ${String(attempt.revision.revision)}`;
  return { update: attempt.revision, actions: [{ kind: 'CreateRevision', attempt, because }] };
};

/** The latest revision, which a template is compared with. */
interface Compared {
  readonly last: ControllerRevision;
  readonly seen: RevisionsSeen;
}

/** A template that the latest revision does not represent. */
interface Change {
  /** To create a revision of it. */
  readonly attempt: RevisionAttempt;
  /** Its hash, which a revision notes that represents it without some of its members. */
  readonly noted: string;
  readonly isEqual: (revision: ControllerRevision) => boolean;
}

function compare({ last, seen }: Compared): Change | undefined {
  const attempt = newRevision(seen.source, last.revision + 1, seen.collisionCount);
  // Most often the latest one is our own, with the same data: normalising both would give the same result.
  if (!hasOtherHash(last, attempt.revision) && deepEqual(last.data, attempt.revision.data)) return undefined;
  const wanted = attempt.storedBytes(attempt.revision);
  const noted = revisionHash(wanted);
  const isEqual = (revision: ControllerRevision): boolean =>
    standsFor(revision, noted) || (!hasOtherHash(revision, attempt.revision) && attempt.storedBytes(revision) === wanted);
  return isEqual(last) ? undefined : { attempt, noted, isEqual };
}

/** What of the latest revision decides whether it represents the template. */
interface Match {
  /** The revision's `data`. */
  readonly data: unknown;
  readonly hash: string | undefined;
  readonly collisionCount: number;
}

const dataHashOf = ({ metadata }: ControllerRevision): string | undefined => metadata.labels?.[labels.revisionDataHash];

/**
 * Returns how a template has changed since the latest revision; undefined when it has not. That is remembered by template of a store, which is frozen and
 * the same object in every pass: normalising, hashing and comparing a template would be the larger part of a pass that changes nothing.
 */
const changeOf = memoizedWith<object, Compared, Match, Change | undefined>((_template, compared) => compare(compared), {
  inputsOf: ({ last, seen: { collisionCount } }) => ({ data: last.data, hash: dataHashOf(last), collisionCount }),
  hasInputs: ({ last, seen }, { data, hash, collisionCount }) =>
    last.data === data && dataHashOf(last) === hash && seen.collisionCount === collisionCount,
  isKept: (changed, template, { last }) => changed === undefined && Object.isFrozen(template) && Object.isFrozen(last.data),
});

const templateOfStore = ({ source: { template } }: RevisionsSeen): object => ('storedBytes' in template ? template.of : template);

function planUpdateRevision(seen: RevisionsSeen): UpdatePlan {
  const last = seen.listed.at(-1);
  if (last === undefined) return created(newRevision(seen.source, 1, seen.collisionCount));
  const changed = changeOf(templateOfStore(seen), { last, seen });
  if (changed === undefined) return { update: last, actions: [] };
  const { attempt, noted, isEqual } = changed;
  if (isSettledOn(last, attempt, seen)) {
    const because = 'the workload was taken over with this revision, whose writer dropped some members of the template';
    return change(bumped(last, last.revision, { [annotations.revisionStandsFor]: noted }), because);
  }
  const equal = seen.listed.findLast(isEqual);
  if (equal !== undefined) {
    const because = `the template equals that of revision ${String(equal.revision)} again; the latest is ${String(last.revision)}`;
    return change(bumped(equal, last.revision + 1, seen.refreshed), because);
  }
  return created(attempt);
}

/**
 * Chooses the update revision (of the present template) and the current one (where the last completed rollout ended).
 *
 * @returns at most one action; none when the latest revision already contains the template
 * @see spec/inplace-update.md 3.4
 */
export function planRevisions(seen: RevisionsSeen): RevisionPlan {
  const { update, actions } = planUpdateRevision(seen);
  const listedCurrent = seen.listed.find((revision) => revision.metadata.name === seen.currentName);
  const current = listedCurrent === undefined || listedCurrent.metadata.name === update.metadata.name ? update : listedCurrent;
  return { update, current, actions };
}

/** The next step when the name of a new revision is in use: use its holder, or try the next name. */
export type CollisionStep =
  | { readonly kind: 'UseExisting'; readonly revision: ControllerRevision }
  | { readonly kind: 'TryAgain'; readonly attempt: RevisionAttempt };

/**
 * Returns the next step when the name of a new revision is in use: use the holder if it has the same data (with any owner), otherwise try the next
 * name. The kind's naming decides whether the hash label keeps the first value.
 *
 * @param holder the object that has the name, read from the API server
 * @see spec/inplace-update.md 3.3
 */
export function afterNameCollision(attempt: RevisionAttempt, holder: ControllerRevision): CollisionStep {
  if (attempt.storedBytes(holder) === attempt.storedBytes(attempt.revision)) return { kind: 'UseExisting', revision: holder };
  const collisionCount = attempt.collisionCount + 1;
  const { naming, revision, parent, bytes } = attempt;
  const hash = naming.hash(bytes, collisionCount);
  const ownLabels = naming.labelIs === 'HashOfName' ? { ...revision.metadata.labels, [naming.label]: hash } : revision.metadata.labels;
  const metadata = { ...revision.metadata, name: revisionName(parent, hash), ...(ownLabels === undefined ? {} : { labels: ownLabels }) };
  return { kind: 'TryAgain', attempt: { ...attempt, collisionCount, revision: { ...revision, metadata } } };
}

/**
 * Returns the exact text to send when a revision is created. `JSON.stringify` would differ for templates with keys that look like integers
 * (JavaScript moves them to the front), and a later reader that compares raw bytes would see another revision.
 */
export const revisionBody = (revision: ControllerRevision): string => canonicalJson(revision);
