/** From resource arguments, selectors and files to the objects that a command works on. */
import type { Call } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { findType, parseResourceArguments, typeOfObject, type ServedType } from '../objects/served-types.ts';
import type { Untyped } from '../objects/untyped.ts';
import { hasFiles, readFiles } from './read-files.ts';
import type { Session } from '../session.ts';

/** An object, or the name of one, with the kind that serves it. */
export interface Target {
  readonly type: ServedType;
  readonly namespace: string;
  readonly name: string;
}

/** A target with the object as it is now. */
export interface Selected extends Target {
  readonly object: Untyped;
}

/** What a command lets its arguments mean. */
export interface SelectRules {
  /** Whether a kind without a name means all of its objects; else `-l` or `--all` must be given. */
  readonly wholeKind?: boolean;
  /** What a single word without `/` means, when it names no kind: the name of an object of this kind. */
  readonly bareName?: string;
  /** The flag that selects objects, `selector` by default; '' for none. */
  readonly selectorFlag?: string;
}

const listed = (flags: Call['flags'], name: string): string => (flags.has(name) ? flags.text(name) : '');

/** Whether any CRD of Kruise is installed. */
export const servesKruise = (types: readonly ServedType[]): boolean => types.some(({ group }) => group.endsWith('.kruise.io'));

export const noKruise = 'the server has no kind of Kruise; kubectl kruise check --pre examines what an installation needs';

/** A second line for the message that a kind is not served: empty while any kind of Kruise is. */
export const kruiseHint = (types: readonly ServedType[]): string => (servesKruise(types) ? '' : `\n${noKruise}`);

/** The kind that a word means. @throws UserError when it is not served */
export async function servedType(session: Session, word: string): Promise<ServedType> {
  const found = findType(await session.types(), word);
  if (found !== undefined) return found;
  throw new UserError(`the server doesn't have a resource type ${JSON.stringify(word)}${kruiseHint(await session.types())}`);
}

const targetOf = (type: ServedType, name: string, namespace: string): Target => ({
  type,
  name,
  namespace: type.namespaced ? namespace : '',
});

async function fromFiles(call: Call, session: Session): Promise<readonly Target[]> {
  const types = await session.types();
  return (await readFiles(call.flags, session)).map((object) => {
    const type = typeOfObject(types, object);
    if (type === undefined)
      throw new UserError(
        `resource mapping not found for name: ${JSON.stringify(object.metadata.name)} namespace: ${JSON.stringify(object.metadata.namespace ?? '')} from the files: no matches for kind ${JSON.stringify(object.kind)} in version ${JSON.stringify(object.apiVersion)}\nensure CRDs are installed first${kruiseHint(types)}`,
      );
    return targetOf(type, object.metadata.name, namespaceOf(object, session));
  });
}

/** Of the object, else of the command line; both must be the same when both are given. */
export function namespaceOf(object: Untyped, session: Session): string {
  const own = object.metadata.namespace ?? '';
  if (own !== '' && session.namespaceGiven && own !== session.namespace())
    throw new UserError(
      `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(session.namespace())}. You must pass '--namespace=${own}' to perform this operation.`,
    );
  return own === '' ? session.namespace() : own;
}

/** All objects of the kinds that match the selector. */
async function listWhole(session: Session, words: readonly string[], selector: string): Promise<readonly Selected[]> {
  const namespace = session.namespace();
  const found: Selected[] = [];
  for (const word of words) {
    const type = await servedType(session, word);
    const { items } = await session.client().list(type, {
      signal: session.signal,
      ...(type.namespaced ? { namespace } : {}),
      ...(selector === '' ? {} : { labelSelector: selector }),
    });
    found.push(...items.map((item) => ({ ...targetOf(type, item.metadata.name, item.metadata.namespace ?? ''), object: item as Untyped })));
  }
  return found;
}

const meansAll = ({ flags }: Call, rules: SelectRules): boolean => rules.wholeKind === true || (flags.has('all') && flags.bool('all'));

/** The names that a command line gives; objects of whole kinds and selectors are listed. */
export async function selectTargets(
  call: Call,
  session: Session,
  args: readonly string[],
  rules: SelectRules = {},
): Promise<readonly (Target | Selected)[]> {
  const { flags } = call;
  if (flags.has('filename') && hasFiles(flags)) {
    if (args.length > 0)
      throw new UserError('when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well');
    return fromFiles(call, session);
  }
  const asked = parseResourceArguments(await withBareName(session, args, rules));
  const selector = listed(flags, rules.selectorFlag ?? 'selector');
  switch (asked.kind) {
    case 'Wrong':
      throw new UserError(asked.message);
    case 'Named':
      if (selector !== '') throw new UserError('name cannot be provided when a selector is specified');
      return Promise.all(asked.items.map(async ({ word, name }) => targetOf(await servedType(session, word), name, session.namespace())));
    case 'Whole':
      if (selector === '' && !meansAll(call, rules)) throw new UserError('resource(s) were provided, but no name was specified');
      return listWhole(session, asked.words, selector);
  }
}

async function withBareName(session: Session, args: readonly string[], { bareName }: SelectRules): Promise<readonly string[]> {
  const [only = ''] = args;
  if (bareName === undefined || args.length !== 1 || only.includes('/')) return args;
  return findType(await session.types(), only) === undefined ? [`${bareName}/${only}`] : args;
}

/** The object that is there now. */
export async function readTarget(session: Session, target: Target | Selected): Promise<Selected> {
  if ('object' in target) return target;
  const { type, namespace, name } = target;
  const object = await session.client().get(type, { namespace, name }, { signal: session.signal });
  return { ...target, object: object as Untyped };
}

/**
 * Does `work` to each object in order; a failure of one is kept, and the others are still done.
 *
 * @returns the failures
 */
export async function forEachTarget(
  session: Session,
  targets: readonly (Target | Selected)[],
  work: (selected: Selected) => Promise<void>,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const target of targets) {
    try {
      session.signal.throwIfAborted();
      await work(await readTarget(session, target));
    } catch (error) {
      if (session.signal.aborted) throw error;
      failures.push(error);
    }
  }
  return failures;
}
