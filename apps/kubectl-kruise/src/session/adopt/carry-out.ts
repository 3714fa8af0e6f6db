/** Carries out the writes of one step of a move. */
import { isFailure, type ApiError } from '@kruise/kube';
import {
  controllerRevisions,
  persistentVolumeClaims,
  pods,
  unreachable,
  type JsonObject,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import type { MoveLog } from '../../adopt/move-log.ts';
import type { Write } from '../../adopt/step.ts';
import { withMember, type Untyped } from '../../objects/untyped.ts';
import type { Session } from '../../session.ts';
import type { Ends } from './observe.ts';

const fieldManager = 'kubectl-adopt';
/** Pods are patched this many at a time. */
const atOnce = 8;

/** The kind of an object of a list, which has no `kind` of its own, follows from its place; it is one of the two ends otherwise. */
export type TypeOf = (object: Untyped) => ResourceType;

const builtinTypes: Readonly<Record<string, ResourceType>> = {
  Pod: pods,
  ReplicaSet: replicaSets,
  ControllerRevision: controllerRevisions,
  PersistentVolumeClaim: persistentVolumeClaims,
};

/** Returns the type of an object that was observed. */
export const typeOfObserved =
  ({ source, target }: Ends): TypeOf =>
  ({ apiVersion = '', kind = '' }) => {
    const ends = [source.type, target.type];
    const isOf = (type: ResourceType): boolean => type.kind === kind && (apiVersion === '' || apiVersion.startsWith(`${type.group}/`));
    return ends.find(isOf) ?? builtinTypes[kind] ?? source.type;
  };

const keyOf = ({ metadata: { namespace = '', name } }: Untyped): ObjectKey => ({ namespace, name });

/** Returns whether a webhook supports no dry run: then the reason is BadRequest; a denial has none. */
export const isUntriable = (error: unknown): error is ApiError => isFailure(error, 'BadRequest') && error.reason === 'BadRequest';

type PatchWrite = Extract<Write, { readonly kind: 'Patch' }>;

async function carryOutPatch(session: Session, { object, patch, tried }: PatchWrite, type: ResourceType): Promise<void> {
  const send = async (members: JsonObject, dryRun: boolean): Promise<void> => {
    const body = withMember(members, ['metadata', 'resourceVersion'], object.metadata.resourceVersion);
    await session.client().patch(type, keyOf(object), body, { type: 'merge', fieldManager, dryRun, signal: session.signal });
  };
  try {
    if (tried !== undefined) await send(tried, true);
  } catch (error) {
    if (!isUntriable(error)) throw error;
  }
  await send(patch, false);
}

async function carryOutOne(session: Session, write: Write, type: ResourceType): Promise<void> {
  const client = session.client();
  const { signal } = session;
  const { object } = write;
  const { uid, resourceVersion } = object.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  switch (write.kind) {
    case 'Create':
      return void (await client.create(type, object, { fieldManager, signal }));
    case 'Patch':
      return carryOutPatch(session, write, type);
    case 'Orphan':
      return void (await client.delete(type, keyOf(object), { propagationPolicy: 'Orphan', preconditions, signal }));
    case 'Delete':
      return void (await client.delete(type, keyOf(object), { propagationPolicy: 'Background', preconditions, signal }));
    default:
      return unreachable(write);
  }
}

/** A write that another client was faster than is decided again. An aborted one has no answer. */
async function carryOutOrLeave(session: Session, write: Write, typeOf: TypeOf, log: MoveLog): Promise<void> {
  log.sent();
  try {
    await carryOutOne(session, write, typeOf(write.object));
    log.confirmed(write);
  } catch (error) {
    if (!isFailure(error, 'Aborted', 'Unreachable')) log.refused();
    if (!isFailure(error, 'Conflict', 'NotFound', 'AlreadyExists')) throw error;
  }
}

/** Carries out the writes of a step; a failure of one ends it after those that run beside it. */
export async function carryOut(session: Session, writes: readonly Write[], typeOf: TypeOf, log: MoveLog): Promise<void> {
  for (let at = 0; at < writes.length; at += atOnce) {
    session.signal.throwIfAborted();
    const results = await Promise.allSettled(writes.slice(at, at + atOnce).map((write) => carryOutOrLeave(session, write, typeOf, log)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
