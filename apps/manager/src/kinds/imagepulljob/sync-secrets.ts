/** Carries out what the pure plan for copies of secrets says. @see spec/image-pulling.md 5.5.1 */
import type { ImagePullJob } from '@kruise/api';
import { ApiError, asError, deleteUnchanged, isFailure, mostSpecificError, unlessDeleted, type Client } from '@kruise/kube';
import { formatKey, keyOf, secrets, unreachable, type ObjectKey, type Secret } from '@kruise/objects';
import type { JobEvents } from './events.ts';
import {
  isOfSameType,
  newCopy,
  planRelease,
  planSecrets,
  referenceTo,
  sourceKeyOf,
  wantedSecretsOf,
  type SecretAction,
  type WantedSecret,
  type PullSecretReference,
} from '@kruise/kinds/imagepulljob';
import type { RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import type { SecretStores } from './secret-stores.ts';

export interface SecretIo {
  readonly client: Client;
  readonly stores: SecretStores;
  /** Where the agents read. */
  readonly copiesNamespace: string;
}

/** Copies of this many sources may share the beginning of a hash; more has no chance to happen. */
const nameAttempts = 4;

/** @throws a Conflict when the first copy was just made: the watch will show it */
async function createCopy(source: Secret, user: string, { client, copiesNamespace }: SecretIo, signal: AbortSignal): Promise<Secret> {
  for (let attempt = 0; ; attempt += 1) {
    const copy = newCopy(source, user, copiesNamespace, attempt);
    try {
      return await client.create(secrets, copy, { signal });
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists') || attempt === nameAttempts) throw error;
      const held = await client.get(secrets, keyOf(copy), { signal });
      // One that is going, of another source, or of what that was before under the same name, leaves the next name.
      if (sourceKeyOf(held) === formatKey(keyOf(source)) && isOfSameType(held, source) && held.metadata.deletionTimestamp === undefined)
        throw new ApiError(`Secret ${copy.metadata.name} was made meanwhile`, { kind: 'Conflict' });
    }
  }
}

async function execute(action: SecretAction, user: string, io: SecretIo, signal: AbortSignal): Promise<Secret | undefined> {
  switch (action.kind) {
    case 'CreateCopy':
      return createCopy(action.source, user, io, signal);
    case 'UpdateCopy':
      return io.client.update(secrets, action.copy, { signal });
    case 'DeleteCopy':
      await deleteUnchanged(io.client, secrets, action.copy, { signal });
      return undefined;
    default:
      return unreachable(action);
  }
}

const isUnusable = (error: unknown): boolean => isFailure(error, 'Invalid') || isFailure(error, 'BadRequest');

interface Wanted {
  readonly secrets: readonly WantedSecret[];
  /** Those that were read just now. */
  readonly news: ReadonlySet<ObjectKey>;
}

async function readWanted(job: ImagePullJob, io: SecretIo, events: JobEvents, signal: AbortSignal): Promise<Wanted> {
  const wanted: WantedSecret[] = [];
  const news = new Set<ObjectKey>();
  for (const key of wantedSecretsOf(job)) {
    const { secret, unfit, isFresh } = await io.stores.source(key, signal);
    if (isFresh) news.add(key);
    if (isFresh && secret === undefined) events.pullSecretMissing(formatKey(key));
    wanted.push({ key, source: secret, unfit });
  }
  return { secrets: wanted, news };
}

const objectOf = (action: SecretAction): string =>
  action.kind === 'CreateCopy' ? formatKey(keyOf(action.source)) : action.copy.metadata.name;

/** The job and its pass. */
interface Pass {
  readonly job: ImagePullJob;
  readonly events: JobEvents;
  readonly refusals: RefusedObjects;
  readonly signal: AbortSignal;
}

/** Writes of copies. One that was refused waits as actions of a plan do, and is not reported again meanwhile. */
class CopyWrites {
  readonly made: Secret[] = [];
  readonly failures: Error[] = [];
  /** Of writes that wait. */
  readonly held: Error[] = [];
  readonly #io: SecretIo;
  readonly #pass: Pass;

  constructor(io: SecretIo, pass: Pass) {
    this.#io = io;
    this.#pass = pass;
  }

  async write(action: SecretAction): Promise<void> {
    const { job, events, refusals, signal } = this.#pass;
    const { uid = '', generation } = job.metadata;
    const write = { kind: action.kind, object: objectOf(action), generation };
    const waiting = refusals.waiting(uid, write);
    if (waiting !== undefined) {
      if (!isUnusable(waiting.error)) this.held.push(waiting.error);
      return;
    }
    try {
      const result = await refusals.attempt(uid, [], () => execute(action, formatKey(keyOf(job)), this.#io, signal), write);
      if (action.kind === 'CreateCopy' && result !== undefined) this.made.push(result);
    } catch (error) {
      if (isUnusable(error)) events.pullSecretRefused(error);
      else this.failures.push(asError(error));
    }
  }
}

/** `held`: why copies are missing whose writes were refused and wait. */
export interface SyncedSecrets {
  readonly references: readonly PullSecretReference[];
  readonly held?: Error;
}

/**
 * Makes sure of a copy of every pull secret that a running job names.
 *
 * @returns what the NodeImages are to say; a secret that is missing, no pull secret, or not taken by the server is omitted, with an event
 * @throws what failed otherwise, after the other secrets are done; a Conflict when another client wrote a copy at the same time
 */
export async function syncSecrets(io: SecretIo, pass: Pass): Promise<SyncedSecrets> {
  const { job, events, signal } = pass;
  const wanted = await readWanted(job, io, events, signal);
  const next = planSecrets(formatKey(keyOf(job)), wanted.secrets, io.stores.copies);
  for (const refused of next.refused) if (wanted.news.has(refused.key)) events.pullSecretUnfit(refused);
  const writes = new CopyWrites(io, pass);
  for (const action of next.actions) await writes.write(action);
  const failure = mostSpecificError(writes.failures);
  if (failure !== undefined) throw failure;
  const held = mostSpecificError(writes.held);
  return { references: [...next.copies, ...writes.made].map(referenceTo), ...(held === undefined ? {} : { held }) };
}

/** Removes a finished, terminating or deleted job from all copies. @throws what failed, after the other copies are done */
export async function releaseSecrets(user: string, io: SecretIo, because: string, signal: AbortSignal): Promise<void> {
  const failures: Error[] = [];
  for (const action of planRelease(user, io.stores.copies, because))
    await unlessDeleted(execute(action, user, io, signal)).catch((error: unknown) => failures.push(asError(error)));
  const failure = mostSpecificError(failures);
  if (failure !== undefined) throw failure;
}
