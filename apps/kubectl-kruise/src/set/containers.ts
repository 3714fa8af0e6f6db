/** Changes of the containers in a Pod spec; each returns a new Pod spec. */
import { canonicalQuantity, isJsonObject, objectsAt, parseQuantity, stringAt, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';

/** `nginx=nginx:2`; the name `*` means all containers. */
export interface ImagePair {
  readonly container: string;
  readonly image: string;
}

/** Splits the arguments of `set image` into resources and pairs. */
export function splitImageArguments(args: readonly string[]): {
  readonly resources: readonly string[];
  readonly pairs: readonly ImagePair[];
} {
  const isPair = (arg: string): boolean => arg.indexOf('=') > 0;
  const pairs = args.filter(isPair).map((arg) => ({ container: arg.slice(0, arg.indexOf('=')), image: arg.slice(arg.indexOf('=') + 1) }));
  if (pairs.length === 0) throw new UserError('at least one image update is required');
  if (pairs.some(({ container }) => container === '*') && pairs.length > 1)
    throw new UserError('all containers are already specified as *, but saw more than one container_name=container_image pairs');
  return { resources: args.filter((arg) => !isPair(arg)), pairs };
}

const lists = ['initContainers', 'containers'] as const;

/** A Pod spec whose containers are changed; a list that has none stays as it is. */
function mapContainers(podSpec: JsonObject, change: (container: JsonObject) => JsonObject, of: readonly string[] = lists): JsonObject {
  return of.reduce<JsonObject>(
    (spec, name) => (Array.isArray(spec[name]) ? { ...spec, [name]: objectsAt(spec, name).map(change) } : spec),
    podSpec,
  );
}

/** The images of containers and init containers. @throws UserError for a container that is not there */
export function withImages(podSpec: JsonObject, pairs: readonly ImagePair[]): JsonObject {
  const names = lists.flatMap((list) => objectsAt(podSpec, list).map((container) => stringAt(container, 'name') ?? ''));
  const missing = pairs.find(({ container }) => container !== '*' && !names.includes(container));
  if (missing !== undefined) throw new UserError(`unable to find container named ${JSON.stringify(missing.container)}`);
  return mapContainers(podSpec, (container) => {
    const pair = pairs.find((one) => one.container === '*' || one.container === container['name']);
    return pair === undefined ? container : { ...container, image: pair.image };
  });
}

/** Whether a name matches a pattern in which `*` matches any text. */
function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** Containers by a pattern of their names. */
export const containersMatching = (podSpec: JsonObject, pattern: string): readonly JsonObject[] =>
  lists.flatMap((list) => objectsAt(podSpec, list)).filter((container) => matchesPattern(stringAt(container, 'name') ?? '', pattern));

function changeMatching(podSpec: JsonObject, pattern: string, change: (container: JsonObject) => JsonObject): JsonObject {
  if (containersMatching(podSpec, pattern).length === 0) throw new UserError(`unable to find container named ${pattern}`);
  return mapContainers(podSpec, (container) =>
    matchesPattern(stringAt(container, 'name') ?? '', pattern) ? change(container) : container,
  );
}

/** Quantities by the name of the resource, as in `cpu=100m,memory=1Gi`. */
export function parseResourceList(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value, ...more] = text.split('=');
      if (value === undefined || more.length > 0) throw new UserError(`invalid argument syntax ${text}, expected <resource>=<value>`);
      const parsed = parseQuantity(value);
      if (parsed === undefined)
        throw new UserError(`quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`);
      return [name, canonicalQuantity(value) ?? value] as const;
    }),
  );
}

/** Limits and requests, merged by the name of the resource. */
export const withResources = (
  podSpec: JsonObject,
  { limits, requests }: { readonly limits: Readonly<Record<string, string>>; readonly requests: Readonly<Record<string, string>> },
  pattern: string,
): JsonObject =>
  changeMatching(podSpec, pattern, (container) => {
    const resources = isJsonObject(container['resources']) ? container['resources'] : {};
    const merged = (name: 'limits' | 'requests', more: Readonly<Record<string, string>>): JsonObject =>
      Object.keys(more).length === 0 ? {} : { [name]: { ...(isJsonObject(resources[name]) ? resources[name] : {}), ...more } };
    return { ...container, resources: { ...resources, ...merged('limits', limits), ...merged('requests', requests) } };
  });

/** What `set env` does: variables to set in this order, and names to remove. */
export interface EnvChange {
  readonly set: readonly JsonObject[];
  readonly remove: readonly string[];
  /** false: a variable that has another value is an error. */
  readonly overwrite: boolean;
}

const isEnvName = (name: string): boolean => /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name);

const isEnvArgument = (arg: string): boolean => arg.includes('=') || (arg.endsWith('-') && arg.length > 1);

/** Splits the arguments of `set env` into resources and variables: first the ones, then the others. */
export function splitEnvArguments(args: readonly string[]): { readonly resources: readonly string[]; readonly envs: readonly string[] } {
  const first = args.findIndex(isEnvArgument);
  const envs = first < 0 ? [] : args.slice(first);
  if (envs.some((arg) => !isEnvArgument(arg)))
    throw new UserError('all resources must be specified before environment changes: ' + args.join(' '));
  return { resources: first < 0 ? args : args.slice(0, first), envs };
}

/** Reads `K=V` and `K-`. @throws UserError for what is neither */
export function parseEnvs(specs: readonly string[]): Pick<EnvChange, 'set' | 'remove'> {
  const set: JsonObject[] = [];
  const remove: string[] = [];
  for (const spec of specs) {
    const equals = spec.indexOf('=');
    if (equals >= 0) set.push({ name: spec.slice(0, equals), value: spec.slice(equals + 1) });
    else if (spec.endsWith('-')) remove.push(spec.slice(0, -1));
    else throw new UserError(`unknown environment variable: ${spec}`);
  }
  const bad = [...set.map(({ name }) => name as string), ...remove].find((name) => !isEnvName(name));
  if (bad !== undefined)
    throw new UserError(
      `${JSON.stringify(bad)} is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit`,
    );
  const both = set.find(({ name }) => remove.includes(name as string));
  if (both !== undefined)
    throw new UserError(`can not both update and remove the same environment variable ${JSON.stringify(both['name'])}`);
  return { set, remove };
}

/** Lines of `-e -`: blank ones and comments are passed over. */
export const envLines = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

function changedEnv(env: readonly JsonObject[], { set, remove, overwrite }: EnvChange): readonly JsonObject[] {
  const conflict = set.find((one) => {
    const held = env.find(({ name }) => name === one['name']);
    return !overwrite && held !== undefined && !(held['value'] === one['value'] && one['valueFrom'] === undefined);
  });
  if (conflict !== undefined) {
    const held = env.find(({ name }) => name === conflict['name']);
    throw new UserError(`'${conflict['name'] as string}' already has a value (${stringAt(held, 'value') ?? ''}), and --overwrite is false`);
  }
  const byName = new Map(set.map((one) => [one['name'], one]));
  const kept = env.filter(({ name }) => !remove.includes(name as string)).map((one) => byName.get(one['name']) ?? one);
  const added = [...byName.values()].filter(({ name }) => !env.some((one) => one['name'] === name));
  return [...kept, ...added];
}

/** Variables keep their order: replaced in place, new ones at the end. */
export const withEnvs = (podSpec: JsonObject, change: EnvChange, pattern: string): JsonObject =>
  changeMatching(podSpec, pattern, (container) => {
    const env = changedEnv(objectsAt(container, 'env'), change);
    const { env: _before, ...rest } = container;
    return env.length === 0 && !Array.isArray(container['env']) ? rest : { ...container, env };
  });

/** Variables from the keys of a Secret or ConfigMap: upper case, `_` for what is no letter or digit. */
export function envsFrom(
  source: { readonly kind: 'secret' | 'configmap'; readonly name: string; readonly keys: readonly string[] },
  prefix: string,
): readonly JsonObject[] {
  const member = source.kind === 'secret' ? 'secretKeyRef' : 'configMapKeyRef';
  return source.keys
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((key) => ({
      name: `${prefix}${key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`,
      valueFrom: { [member]: { name: source.name, key } },
    }));
}

/** From where a variable takes its value, in words; undefined for one with a value of its own. */
export function envSource(env: JsonObject): string | undefined {
  const source = env['valueFrom'];
  if (!isJsonObject(source)) return undefined;
  const [secret, config] = [source['secretKeyRef'], source['configMapKeyRef']];
  if (isJsonObject(secret)) return `secret ${stringAt(secret, 'name') ?? ''}, key ${stringAt(secret, 'key') ?? ''}`;
  if (isJsonObject(config)) return `configmap ${stringAt(config, 'name') ?? ''}, key ${stringAt(config, 'key') ?? ''}`;
  if (isJsonObject(source['fieldRef'])) return `field path ${stringAt(source['fieldRef'], 'fieldPath') ?? ''}`;
  return `resource ${stringAt(source['resourceFieldRef'], 'resource') ?? ''}`;
}
