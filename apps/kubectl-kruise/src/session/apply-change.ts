/** Get, change, send the smallest patch: what every `set` command does to each object. */
import { isFailure } from '@kruise/kube';
import {
  createMergePatch,
  createStrategicMergePatch,
  deepEqual,
  isJsonObject,
  memberAt,
  patchSchemaOf,
  type JsonObject,
} from '@kruise/objects';
import { joined, UserError } from '../failure.ts';
import type { Call } from '../cli/command.ts';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { isBuiltin, podSpecPath, quotedName, workloadKindOf } from '../objects/workload-kind.ts';
import { plainType, type ServedType } from '../objects/served-types.ts';
import { hasFiles, readFiles } from './read-files.ts';
import { dryRun, printResult } from './print-result.ts';
import { forEachTarget, selectTargets, type Selected, type Target } from './select-objects.ts';
import type { Session } from '../session.ts';

/** The object as it should be; the same object for no change. */
export type ChangeObject = (object: Untyped, type: ServedType) => Untyped;

/** A change of the Pod spec of whatever has one. @throws UserError for what has none */
export const changePodSpec =
  (change: (podSpec: JsonObject) => JsonObject): ChangeObject =>
  (object, type) => {
    const path = podSpecPath(workloadKindOf(type), object);
    const podSpec = path === undefined ? undefined : memberAt(object, ...path);
    if (path === undefined || !isJsonObject(podSpec))
      throw new UserError(`the object is not a pod or does not have a pod template: ${type.kind}`);
    const changed = change(podSpec);
    return deepEqual(changed, podSpec) ? object : (withMember(object, path, changed) as Untyped);
  };

/** A merge patch with the version that it was made for; of built-in kinds a strategic one. */
function patchOf(type: ServedType, before: Untyped, after: Untyped): { readonly patch: JsonObject; readonly kind: 'merge' | 'strategic' } {
  if (isBuiltin(type)) {
    const patch = createStrategicMergePatch(before, after, patchSchemaOf(type.group, type.kind));
    return { patch: patch, kind: 'strategic' };
  }
  const patch = createMergePatch(before, after);
  return { patch: withMember(patch, ['metadata', 'resourceVersion'], before.metadata.resourceVersion), kind: 'merge' };
}

interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

async function write(session: Session, selected: Selected, change: ChangeObject, options: WriteOptions): Promise<Untyped | undefined> {
  const { type, namespace, name, object } = selected;
  const after = change(object, type);
  if (after === object) return undefined;
  const { patch, kind } = patchOf(type, object, after);
  return (await session.client().patch(type, { namespace, name }, patch, { ...options, type: kind, signal: session.signal })) as Untyped;
}

/** Once more on the newest object when another client wrote in between. */
async function writeOrRetry(
  session: Session,
  selected: Selected,
  change: ChangeObject,
  options: WriteOptions,
): Promise<Untyped | undefined> {
  try {
    return await write(session, selected, change, options);
  } catch (error) {
    if (!isFailure(error, 'Conflict')) throw error;
    const { type, namespace, name } = selected;
    const object = (await session.client().get(type, { namespace, name }, { signal: session.signal })) as Untyped;
    return write(session, { ...selected, object }, change, options);
  }
}

/** The kind of an object that no server is asked about. */
function localType({ apiVersion = '', kind = '' }: Untyped): ServedType {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return plainType({ group: group ?? '', version: version ?? '', kind });
}

async function changeLocal(call: Call, session: Session, args: readonly string[], { change, operation }: ObjectChange): Promise<undefined> {
  if (args.length > 0) throw new UserError('when the --local flag is given, resource arguments are not allowed');
  if (!hasFiles(call.flags)) throw new UserError('one or more files must be specified as -f when --local is set');
  if (dryRun(call, session) === 'server')
    throw new UserError('cannot specify --local and --dry-run=server - did you mean --dry-run=client?');
  for (const object of await readFiles(call.flags, session)) {
    const type = localType(object);
    await printResult(call, session, { type, object: change(object, type), operation });
  }
  return undefined;
}

/** What a `set` command does to each object. */
export interface ObjectChange {
  readonly change: ChangeObject;
  /** e.g. `image updated`. */
  readonly operation: string;
}

/** Changes each object that the arguments name; the failures of some do not keep the others from being changed. */
export async function changeObjects(
  call: Call,
  session: Session,
  args: readonly string[],
  { change, operation }: ObjectChange,
): Promise<undefined> {
  const { flags } = call;
  if (flags.bool('all') && flags.text('selector') !== '') throw new UserError('cannot set --all and --selector at the same time');
  if (flags.bool('local')) return changeLocal(call, session, args, { change, operation });
  const how = dryRun(call, session);
  const targets: readonly (Target | Selected)[] = await selectTargets(call, session, args);
  const failures = await forEachTarget(session, targets, async (selected) => {
    const { type, name, object } = selected;
    const named: ChangeObject = (seen, of) => {
      try {
        return change(seen, of);
      } catch (error) {
        throw error instanceof UserError && targets.length > 1 ? new UserError(`${quotedName(type, name)}: ${error.message}`) : error;
      }
    };
    if (how === 'client') return await printResult(call, session, { type, object: named(object, type), operation, dryRun: how });
    const written = await writeOrRetry(session, selected, named, { dryRun: how === 'server', fieldManager: flags.text('field-manager') });
    if (written !== undefined) await printResult(call, session, { type, object: written, operation, dryRun: how });
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
}
