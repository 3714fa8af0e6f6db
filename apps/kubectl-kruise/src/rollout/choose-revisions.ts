/** Which two revisions of a history a user means. */
import { stringAt } from '@kruise/objects';
import { UserError } from '../failure.ts';
import type { Untyped } from '../objects/untyped.ts';
import type { Revision } from './revisions.ts';

/** The names of the revisions that Pods are updated from and to. */
export interface RevisionRoles {
  readonly current: string | undefined;
  readonly update: string | undefined;
}

const nameOf = ({ object }: Revision): string => object.metadata.name;

/** Whether a revision has this name, or a name that ends with this hash. */
const isCalled = (revision: Revision, word: string): boolean =>
  nameOf(revision) === word ||
  nameOf(revision).endsWith(`-${word}`) ||
  revision.object.metadata.labels?.['controller-revision-hash'] === word;

/**
 * Returns the roles that `status` names. Where it does not, the newest revision is the update revision, and the one before is the current revision.
 *
 * @param revisions oldest first
 */
export function rolesOf(workload: Untyped, revisions: readonly Revision[]): RevisionRoles {
  const named = (member: string): string | undefined => {
    const word = stringAt(workload, 'status', member) ?? '';
    const found = word === '' ? undefined : revisions.find((revision) => isCalled(revision, word));
    return found === undefined ? undefined : nameOf(found);
  };
  const newest = revisions.at(-1);
  const update = named('updateRevision') ?? named('updatedRevision') ?? named('daemonSetHash') ?? (newest && nameOf(newest));
  const previous = revisions.findLast((revision) => nameOf(revision) !== update);
  return { update, current: named('currentRevision') ?? (previous === undefined ? update : nameOf(previous)) };
}

/**
 * Returns the revision that a word means: `current`, `update`, a number, a name or the hash at the end of a name.
 *
 * @param revisions oldest first
 * @throws UserError when there is none
 */
export function revisionCalled(workload: Untyped, revisions: readonly Revision[], word: string): Revision {
  const roles = rolesOf(workload, revisions);
  const wanted = word === 'current' || word === 'update' ? (roles[word] ?? '') : word;
  const found = revisions.find((revision) => nameOf(revision) === wanted) ?? revisions.find(({ number }) => String(number) === wanted);
  const any = found ?? revisions.findLast((revision) => isCalled(revision, wanted));
  if (any !== undefined) return any;
  const known = revisions.map((revision) => `${revision.number} (${nameOf(revision)})`).join(', ');
  throw new UserError(`revision ${JSON.stringify(word)} does not exist; ${known === '' ? 'there is no revision' : `there are ${known}`}`);
}

/**
 * Returns the revisions to compare: those of the words; one word is compared with the update revision, none is the current with the update revision.
 *
 * @throws UserError for more than two words, or a revision that does not exist
 */
export function comparedRevisions(
  workload: Untyped,
  revisions: readonly Revision[],
  words: readonly string[],
): { readonly from: Revision; readonly to: Revision } {
  if (words.length > 2) throw new UserError('name at most two revisions');
  const [from = 'current', to = 'update'] = words;
  return { from: revisionCalled(workload, revisions, from), to: revisionCalled(workload, revisions, to) };
}
