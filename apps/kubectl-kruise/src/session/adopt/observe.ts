/** Reads all that concerns a move. */
import { isFailure } from '@kruise/kube';
import { controllerRevisions, persistentVolumeClaims, pods, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { wordOf, type AdoptableKind, type Direction } from '../../adopt/observed/directions.ts';
import { ownsClaims, type Observed } from '../../adopt/observed/observed.ts';
import type { FollowedMember } from '../../adopt/observed/observed-event.ts';
import { neededRights, rightsOnClaims } from '../../adopt/needed-rights.ts';
import { referringKinds, type Referrer } from '../../adopt/references.ts';
import { UserError } from '../../failure.ts';
import { findType, type ServedType } from '../../objects/served-types.ts';
import type { Untyped } from '../../objects/untyped.ts';
import { ask } from '../check/rights.ts';
import { selectorText } from '../pods-of.ts';
import type { Target } from '../select-objects.ts';
import type { Session } from '../../session.ts';

/** The source and the target of a run. */
export interface Ends {
  readonly direction: Direction;
  readonly source: Target;
  readonly target: Target;
}

/** Returns the object; undefined when it does not exist. */
export async function readIfPresent(session: Session, { type, namespace, name }: Target): Promise<Untyped | undefined> {
  try {
    return (await session.client().get(type, { namespace, name }, { signal: session.signal })) as Untyped;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** A list, and where a watch of it begins. */
interface SeenList {
  readonly member: FollowedMember;
  readonly type: ResourceType;
  readonly resourceVersion: string;
}

/** What was observed, and what a watch needs to follow it. */
export interface Observation {
  readonly seen: Observed;
  /** That of the source, for every list. */
  readonly labelSelector: string;
  readonly lists: readonly SeenList[];
}

interface Listed extends SeenList {
  readonly items: readonly Untyped[];
}

/** The target is read before what belongs to it, so that what its status counts is in the lists. */
export async function observe(session: Session, { direction, source: from, target: to }: Ends): Promise<Observation | undefined> {
  const source = await readIfPresent(session, from);
  if (source === undefined) return undefined;
  const target = await readIfPresent(session, to);
  const labelSelector = selectorText(source);
  if (labelSelector === undefined) throw new UserError(`the selector of ${from.type.kind} ${JSON.stringify(from.name)} selects nothing`);
  const list = async (member: FollowedMember, type: ResourceType): Promise<Listed> => {
    const { items, metadata } = await session.client().list(type, { namespace: from.namespace, labelSelector, signal: session.signal });
    return { member, type, items: items as readonly Untyped[], resourceVersion: metadata.resourceVersion };
  };
  const usesReplicaSets = direction.from === 'Deployment' || direction.to === 'Deployment';
  const [claims, ...lists] = await Promise.all([
    ownsClaims(source) ? readClaims(session, from.namespace) : [],
    list('pods', pods),
    list('revisions', controllerRevisions),
    ...(usesReplicaSets ? [list('replicaSets', replicaSets)] : []),
  ]);
  const itemsOf = (wanted: FollowedMember): readonly Untyped[] => lists.find(({ member }) => member === wanted)?.items ?? [];
  const seen = {
    direction,
    targetType: to.type,
    targetName: to.name,
    source,
    target,
    replicaSets: itemsOf('replicaSets'),
    pods: itemsOf('pods'),
    revisions: itemsOf('revisions'),
    claims,
  };
  return { seen, labelSelector, lists };
}

/** Returns the ReplicaSets that the selector of a target matches; none unless it is a Deployment. */
export async function readReplicaSets(
  session: Session,
  { direction, target: { namespace } }: Ends,
  target: Untyped,
): Promise<readonly Untyped[]> {
  const labelSelector = selectorText(target);
  if (direction.to !== 'Deployment' || labelSelector === undefined) return [];
  const { items } = await session.client().list(replicaSets, { namespace, labelSelector, signal: session.signal });
  return items as readonly Untyped[];
}

async function readClaims(session: Session, namespace: string): Promise<readonly Untyped[]> {
  const { items } = await session.client().list(persistentVolumeClaims, { namespace, signal: session.signal });
  return items as readonly Untyped[];
}

/** Reads the objects that may name the source. Kinds that are not served are omitted; a kind that may not be listed is reported. */
export async function readReferrers(session: Session, namespace: string): Promise<readonly Referrer[]> {
  const types = await session.types();
  const served = referringKinds.flatMap((word) => findType(types, word) ?? []);
  const read = async (type: ServedType): Promise<readonly Referrer[]> => {
    try {
      const { items } = await session.client().list(type, { namespace, signal: session.signal });
      return items.map((object) => ({ type, object: object as Untyped }));
    } catch (error) {
      if (!isFailure(error, 'Forbidden', 'NotFound')) throw error;
      if (isFailure(error, 'Forbidden'))
        session.warn(`Warning: you may not list ${type.plural}.${type.group}; they are not searched for references`);
      return [];
    }
  };
  return (await Promise.all(served.map(read))).flat();
}

/** Returns the type of a kind in the version that the server prefers. @throws UserError when the kind is not served */
export async function preferredTypeOf(session: Session, kind: AdoptableKind): Promise<ServedType> {
  const found = findType(await session.types(), wordOf[kind]);
  if (found === undefined) throw new UserError(`the server doesn't have a resource type ${JSON.stringify(wordOf[kind])}`);
  return found;
}

/** Returns what the user lacks, such as `delete controllerrevisions.apps in shop`. A server that answers no such question lacks nothing. */
export async function missingRights(session: Session, { direction, source, target }: Ends, seen: Observed): Promise<readonly string[]> {
  const asked = [...neededRights(direction, source.type, target.type), ...(ownsClaims(seen.source) ? rightsOnClaims : [])];
  const answers = await Promise.allSettled(
    asked.map((right) => ask(session.client(), { ...right, namespace: source.namespace }, undefined, { signal: session.signal })),
  );
  session.signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' && !answer.value.allowed ? [answer.value.right] : []));
}
