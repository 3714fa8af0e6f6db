/** What each action does at the API server. Every one may be repeated; an object that the distribution does not own is never changed. */
import { distributionReasons, type DistributionCondition } from '@kruise/api';
import { ApiError, deleteExactly, isFailure, unlessDeleted, type Client } from '@kruise/kube';
import { messageOf, namespaces, unreachable, type KubeObject } from '@kruise/objects';
import {
  slimCopyOf,
  type Copy,
  judgeCopy,
  changedCopy,
  newCopy,
  type Action,
  type Problem,
  typeOf,
  type Wanted,
} from '@kruise/kinds/resourcedistribution';

/** A failed call, and which condition shows it. */
export class CallFailed extends ApiError {
  readonly condition: DistributionCondition;

  constructor(condition: DistributionCondition, cause: ApiError) {
    const { code, reason, causes, details } = cause;
    super(messageOf(cause), cause.failure, { ...(code === undefined ? {} : { code }), reason, causes, details, cause });
    this.condition = condition;
  }
}

const callFailed = (condition: DistributionCondition, error: unknown): unknown =>
  error instanceof ApiError && !(error instanceof CallFailed) ? new CallFailed(condition, error) : error;

const isMissingNamespace = (error: unknown, namespace: string): boolean =>
  (isFailure(error, 'NotFound') && error.details?.kind === namespaces.plural && error.details.name === namespace) ||
  (isFailure(error, 'Forbidden') && error.causes.some(({ reason }) => reason === 'NamespaceTerminating'));

/** Another client had the name first, changed the object, or deleted it: what is there now decides. */
const isOvertaken = (error: unknown): boolean => isFailure(error, 'AlreadyExists', 'Conflict', 'NotFound');

/** Other clients write now and then; one that writes all the time gets the next pass. */
const mostTries = 3;

export interface Io {
  readonly wanted: Wanted;
  /** Its answers go into the stores of copies. */
  readonly client: Client;
  /** Called for a namespace that cannot have a copy though no call failed. */
  readonly note: (problem: Problem) => void;
  /** Called with the namespace of each copy that was created or changed. */
  readonly wrote: (namespace: string) => void;
}

/** @throws CallFailed what another try may mend */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  const { namespace } = action;
  try {
    await carryOut(action, io, signal);
  } catch (error) {
    if (!isMissingNamespace(error, namespace)) throw callFailed('GetResourceFailed', error);
    if (action.kind !== 'Delete') io.note({ namespace, condition: 'NamespaceNotExists', reason: distributionReasons.missing });
  }
}

async function carryOut(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  const { kind, namespace } = action;
  switch (kind) {
    case 'Create':
      return distribute(namespace, undefined, io, signal);
    case 'Update':
      return distribute(namespace, action.copy, io, signal);
    case 'Delete':
      return remove(action.copy, io, signal);
    default:
      return unreachable(kind);
  }
}

async function remove(copy: Copy, { client, wanted }: Io, signal: AbortSignal): Promise<void> {
  try {
    await deleteExactly(client, typeOf(wanted.of), copy as KubeObject, { signal });
  } catch (error) {
    // Another object has the name by now, which the distribution does not own.
    if (!isFailure(error, 'Conflict')) throw callFailed('DeleteResourceFailed', error);
  }
}

async function distribute(namespace: string, seen: Copy | undefined, io: Io, signal: AbortSignal): Promise<void> {
  let copy = seen;
  for (let tries = 1; ; tries++) {
    const verdict = judgeCopy(io.wanted, copy);
    if (verdict.kind === 'InLine') return;
    if (verdict.kind === 'Foreign') return io.note({ namespace, condition: 'ConflictOccurred', reason: distributionReasons.conflict });
    try {
      return await write(namespace, copy, io, signal);
    } catch (error) {
      const condition = copy === undefined ? 'CreateResourceFailed' : 'UpdateResourceFailed';
      if (!isOvertaken(error) || isMissingNamespace(error, namespace) || tries === mostTries) throw callFailed(condition, error);
    }
    copy = await readLive(namespace, io, signal);
  }
}

async function write(namespace: string, copy: Copy | undefined, { client, wanted, wrote }: Io, signal: AbortSignal): Promise<void> {
  const type = typeOf(wanted.of);
  if (copy === undefined) await client.create(type, newCopy(wanted, namespace), { signal });
  else await client.update(type, changedCopy(wanted, copy), { signal });
  wrote(namespace);
}

async function readLive(namespace: string, { client, wanted: { of, resource } }: Io, signal: AbortSignal): Promise<Copy | undefined> {
  try {
    const live = await unlessDeleted(client.get(typeOf(of), { namespace, name: resource.metadata.name }, { signal }));
    return live === undefined ? undefined : slimCopyOf(of)(live);
  } catch (error) {
    throw callFailed('GetResourceFailed', error);
  }
}
