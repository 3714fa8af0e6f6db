/** The object of a file as the API server would hold it, without changing anything. */
import type { Gates } from '@kruise/api';
import { withDefaults } from '@kruise/insight/plan';
import { isFailure } from '@kruise/kube';
import { UserError } from '../failure.ts';
import { applyPatch, patchedLocally } from '../objects/apply-patch.ts';
import { typeOfObject, type ServedType } from '../objects/served-types.ts';
import type { Untyped } from '../objects/untyped.ts';
import { kruiseHint, namespaceOf } from './select-objects.ts';
import type { Session } from '../session.ts';

/** A change, as a dry run or local defaults make it. */
export interface Change {
  readonly type: ServedType;
  readonly namespace: string;
  readonly before: Untyped | undefined;
  readonly after: Untyped;
  /** Why the defaults are those of this program; undefined when the server filled them in. */
  readonly localBecause?: string;
}

async function liveObject(session: Session, type: ServedType, namespace: string, name: string): Promise<Untyped | undefined> {
  try {
    return (await session.client().get(type, { namespace, name }, { signal: session.signal })) as Untyped;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The answer of the server, or undefined when the user may not write the kind. @throws what admission refuses */
async function dryRun(
  session: Session,
  type: ServedType,
  wanted: { readonly before?: Untyped; readonly file: Untyped },
): Promise<Untyped | undefined> {
  const { before, file } = wanted;
  const options = { dryRun: true, signal: session.signal, fieldManager: 'kubectl-kruise-plan' };
  try {
    if (before === undefined) return (await session.client().create(type, file, options)) as Untyped;
    const key = { namespace: file.metadata.namespace ?? '', name: file.metadata.name };
    return (await session.client().patch(type, key, applyPatch(before, file), { ...options, type: 'merge' })) as Untyped;
  } catch (error) {
    if (isFailure(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/**
 * Reads the live object, and asks the server for the object after the change.
 *
 * @param gates of the manager; called if the server cannot fill in defaults
 */
export async function dryRunApply(session: Session, object: Untyped, gates: () => Promise<Gates>): Promise<Change> {
  const types = await session.types();
  const type = typeOfObject(types, object);
  if (type === undefined)
    throw new UserError(
      `no matches for kind ${JSON.stringify(object.kind)} in version ${JSON.stringify(object.apiVersion)}\nensure CRDs are installed first${kruiseHint(types)}`,
    );
  const namespace = type.namespaced ? namespaceOf(object, session) : '';
  const file: Untyped = namespace === '' ? object : { ...object, metadata: { ...object.metadata, namespace } };
  const before = await liveObject(session, type, namespace, object.metadata.name);
  const answer = await dryRun(session, type, { ...(before === undefined ? {} : { before }), file });
  const head = { apiVersion: object.apiVersion, kind: object.kind };
  const base = { type, namespace, before: before === undefined ? undefined : ({ ...before, ...head } as Untyped) };
  if (answer !== undefined) return { ...base, after: { ...answer, ...head } as Untyped };
  const patched = before === undefined ? file : patchedLocally(before, applyPatch(before, file));
  const after = withDefaults({ ...patched, ...head } as Untyped, before, await gates());
  return { ...base, after, localBecause: `you may not ${before === undefined ? 'create' : 'patch'} ${type.plural}.${type.group}` };
}
