/**
 * Whether the jobs that want a task still exist. The store of jobs may be older than the NodeImage that names one, so a job that it lacks is
 * read from the API server once; a deleted UID never returns and is remembered.
 */
import { imagePullJobs, type ImagePullJob, type NodeImage } from '@kruise/api';
import { isActive, imagesOf, ownersOf, tagsOf } from '@kruise/kinds/images';
import { isFailure, type Client, type StoreReader } from '@kruise/kube';
import { refersToKind, type ObjectKey } from '@kruise/objects';

/** UIDs that are remembered; the oldest leave first, and are looked up again when they are requested. */
const remembered = 10_000;

type Owner = ReturnType<typeof ownersOf>[number];

/** @returns undefined for an owner that is no ImagePullJob */
function jobKeyOf({ apiVersion = '', kind = '', namespace = '', name = '' }: Owner): ObjectKey | undefined {
  return refersToKind({ apiVersion, kind }, imagePullJobs) && name !== '' ? { namespace, name } : undefined;
}

export class OwnerLookup {
  readonly #client: Pick<Client, 'get'>;
  readonly #jobs: StoreReader<ImagePullJob>;
  /** Namespaces that the store covers; '' for all. */
  readonly #namespace: string;
  readonly #deleted = new Set<string>();

  constructor(client: Pick<Client, 'get'>, jobs: StoreReader<ImagePullJob>, namespace: string) {
    this.#client = client;
    this.#jobs = jobs;
    this.#namespace = namespace;
  }

  /** Takes in that a job was deleted. */
  forget(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#deleted.add(uid);
    if (this.#deleted.size <= remembered) return;
    const [oldest] = this.#deleted;
    if (oldest !== undefined) this.#deleted.delete(oldest);
  }

  /** UIDs of deleted owners of tags. An owner of another kind, or one that cannot be read, counts as existing. */
  async deletedOwners(nodeImage: NodeImage, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const owners = Object.values(imagesOf(nodeImage)).flatMap((image) => tagsOf(image).flatMap(ownersOf));
    const deleted = new Set<string>();
    for (const [uid, owner] of new Map(owners.map((owner) => [owner.uid ?? '', owner]))) {
      if (uid !== '' && (await this.#isGone(uid, owner, signal))) deleted.add(uid);
    }
    return deleted;
  }

  /** UIDs of the owners of tags that still run, as far as the store of jobs shows. */
  runningOwners(nodeImage: NodeImage): ReadonlySet<string> {
    const owners = Object.values(imagesOf(nodeImage)).flatMap((image) => tagsOf(image).flatMap(ownersOf));
    const running = new Set<string>();
    for (const owner of owners) {
      const key = jobKeyOf(owner);
      const job = key === undefined ? undefined : this.#jobs.get(key);
      if (job !== undefined && job.metadata.uid === owner.uid && isActive(job)) running.add(job.metadata.uid ?? '');
    }
    return running;
  }

  async #isGone(uid: string, owner: Owner, signal: AbortSignal): Promise<boolean> {
    const key = jobKeyOf(owner);
    if (key === undefined) return false;
    if (this.#deleted.has(uid)) return true;
    const isCovered = this.#namespace === '' || this.#namespace === key.namespace;
    if (isCovered && this.#jobs.get(key)?.metadata.uid === uid) return false;
    const isThere = await this.#isAtServer(uid, key, signal);
    if (!isThere) this.forget(uid);
    return !isThere;
  }

  /** Also true when the API server does not answer. */
  async #isAtServer(uid: string, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#client.get(imagePullJobs, key, { signal })).metadata.uid === uid;
    } catch (error) {
      return !isFailure(error, 'NotFound');
    }
  }
}
