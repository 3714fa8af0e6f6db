/** `migrate CloneSet --from Deployment`: creates the CloneSet, or moves replicas. */
import { isFailure } from '@kruise/kube';
import { apiVersionOf, milliseconds, type JsonObject } from '@kruise/objects';
import { serverMessage, UserError } from '../failure.ts';
import type { Call, Run } from '../cli/command.ts';
import { migrationInterruptionText } from '../migrate/interruption.ts';
import {
  cloneSetFromDeployment,
  migrationAnnotation,
  planMigration,
  startMigration,
  type Migration,
  type MigrationStep,
} from '../migrate/plan-migration.ts';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { readTarget, servedType, type Target } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

const pollMs = milliseconds(1000);

const isDeployment = (word: string): boolean => ['deployment', 'deployments', 'deploy'].includes(word.toLowerCase());
const isCloneSet = (word: string): boolean => ['cloneset', 'clonesets', 'clone'].includes(word.toLowerCase());

/** What one look found. */
interface Seen {
  readonly src: Untyped;
  readonly dst: Untyped;
  readonly migration: Migration;
}

interface Ends {
  readonly src: Target;
  readonly dst: Target;
}

async function endsOf(call: Call, session: Session): Promise<Ends> {
  const { flags, args } = call;
  if (args.length !== 1 || !isCloneSet(args[0] ?? ''))
    throw new UserError(`must specify the destination: migrate CloneSet --from Deployment`);
  if (flags.text('from') === '') throw new UserError('must specify --from');
  if (!isDeployment(flags.text('from'))) throw new UserError(`unsupported migration from ${flags.text('from')} to CloneSet`);
  if (!session.namespaceGiven) throw new UserError('must specify namespace by -n or --namespace');
  const name = flags.text('src-name');
  if (name === '') throw new UserError('must specify --src-name');
  const dstName = flags.text('dst-name') === '' && flags.bool('create') ? name : flags.text('dst-name');
  if (dstName === '') throw new UserError('must specify --dst-name');
  const namespace = session.namespace();
  const [src, dst] = await Promise.all([servedType(session, 'deployments.apps'), servedType(session, 'clonesets.apps.kruise.io')]);
  return { src: { type: src, namespace, name }, dst: { type: dst, namespace, name: dstName } };
}

async function create(call: Call, session: Session, { src, dst }: Ends): Promise<void> {
  const { object } = await readTarget(session, src);
  const cloneSet = cloneSetFromDeployment(object, { apiVersion: apiVersionOf(dst.type), name: dst.name, copy: call.flags.bool('copy') });
  try {
    await session.client().create(dst.type, cloneSet, { signal: session.signal });
  } catch (error) {
    if (isFailure(error, 'AlreadyExists')) throw new UserError(`cloneset ${dst.namespace}/${dst.name} already exists`);
    throw error;
  }
  session.warn(`Successfully created from Deployment/${src.name} to CloneSet/${dst.name}`);
}

/** Writes members of one object; the version that was looked at is the precondition. */
async function write(session: Session, { type, namespace, name }: Target, object: Untyped, members: JsonObject): Promise<void> {
  const patch = withMember(members, ['metadata', 'resourceVersion'], object.metadata.resourceVersion);
  await session
    .client()
    .patch(type, { namespace, name }, patch, { type: 'merge', fieldManager: 'kubectl-migrate', signal: session.signal });
}

/** The note of how many replicas there are together is on the CloneSet before it has more Pods. */
const membersOf = (step: Extract<MigrationStep, { kind: 'ScaleOut' | 'ScaleIn' }>): JsonObject => ({
  ...(step.kind === 'ScaleOut' ? { metadata: { annotations: { [migrationAnnotation]: String(step.next.sum) } } } : {}),
  spec: { replicas: step.replicas },
});

/** How far a run is, for the message of an interruption. */
interface Progress {
  /** Absent before the first look. */
  migration?: Migration;
  isWriting: boolean;
}

/** @returns the counts after the write; unchanged when another client wrote in between, so that the next look decides again */
async function carryOut(session: Session, ends: Ends, seen: Seen, step: MigrationStep): Promise<Migration> {
  if (step.kind !== 'ScaleOut' && step.kind !== 'ScaleIn') return seen.migration;
  const [target, object] = step.kind === 'ScaleOut' ? [ends.dst, seen.dst] : [ends.src, seen.src];
  try {
    await write(session, target, object, membersOf(step));
  } catch (error) {
    if (!isFailure(error, 'Conflict')) throw error;
    return seen.migration;
  }
  const { srcMoved, dstMoved } = step.next;
  session.warn(`Migration progress: Deployment/${ends.src.name} scale in ${srcMoved}, CloneSet/${ends.dst.name} scale out ${dstMoved}`);
  return step.next;
}

async function move(call: Call, session: Session, ends: Ends, progress: Progress): Promise<number> {
  const { flags } = call;
  const limit = flags.number('timeout-seconds');
  const deadline = limit < 0 ? Number.POSITIVE_INFINITY : session.clock.monotonic() + limit * 1000;
  for (;;) {
    const [{ object: src }, { object: dst }] = await Promise.all([readTarget(session, ends.src), readTarget(session, ends.dst)]);
    const migration =
      progress.migration ?? startMigration(src, dst, { replicas: flags.number('replicas'), maxSurge: flags.number('max-surge') });
    progress.migration = migration;
    const step = planMigration(migration, src, dst);
    progress.isWriting = step.kind !== 'Wait';
    if (step.kind === 'Done') {
      await write(session, ends.dst, dst, { metadata: { annotations: { [migrationAnnotation]: null } } });
      return migration.total;
    }
    progress.migration = await carryOut(session, ends, { src, dst, migration }, step);
    progress.isWriting = false;
    if (session.clock.monotonic() >= deadline) throw new UserError('timed out');
    await session.clock.sleep(pollMs, session.signal);
  }
}

const interruptionOf = ({ flags }: Call, { src, dst }: Ends, { migration, isWriting }: Required<Progress>): string =>
  migrationInterruptionText({
    names: { src: `Deployment/${src.name}`, dst: `CloneSet/${dst.name}` },
    migration,
    isUnanswered: isWriting,
    movesAll: flags.number('replicas') === -1,
  });

export const run: Run = async (call, session) => {
  const ends = await endsOf(call, session);
  if (call.flags.bool('create')) {
    await create(call, session, ends);
    return undefined;
  }
  const progress: Progress = { isWriting: false };
  try {
    const moved = await move(call, session, ends, progress);
    session.warn(`Successfully migrated ${moved} replicas from Deployment/${ends.src.name} to CloneSet/${ends.dst.name}`);
    return undefined;
  } catch (error) {
    if (session.signal.aborted) {
      const { migration } = progress;
      if (migration !== undefined) session.warn(interruptionOf(call, ends, { ...progress, migration }));
      throw error;
    }
    throw new UserError(`failed to migrate: ${error instanceof Error ? serverMessage(error) : String(error)}`);
  }
};
