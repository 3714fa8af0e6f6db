/** Which kinds a server serves, and which one a user means by a word such as `clone`, `sts` or `statefulset.apps.kruise.io`. */
import { isJsonObject, listAt, objectsAt, textAt, type JsonObject, type ResourceType } from '@kruise/objects';

/** One kind in one version, as discovery lists it. */
export interface ServedType extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** Returns a kind that is named as most kinds are, and of which nothing else is known. */
export const plainType = ({ group, version, kind }: Pick<ResourceType, 'group' | 'version' | 'kind'>): ServedType => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  namespaced: true,
  shortNames: [],
  verbs: [],
  subresources: [],
});

const textsAt = (object: JsonObject, name: string): readonly string[] => listAt(object, name).filter((item) => typeof item === 'string');

/** The kinds of an APIGroupDiscoveryList, in its order: preferred groups and versions first. */
export const typesOfDiscovery = (answer: unknown): readonly ServedType[] =>
  objectsAt(answer, 'items').flatMap((group) =>
    objectsAt(group, 'versions').flatMap((version) =>
      objectsAt(version, 'resources').map((resource) => ({
        group: isJsonObject(group['metadata']) ? textAt(group['metadata'], 'name') : '',
        version: textAt(version, 'version'),
        kind: isJsonObject(resource['responseKind']) ? textAt(resource['responseKind'], 'kind') : '',
        plural: textAt(resource, 'resource'),
        namespaced: resource['scope'] === 'Namespaced',
        singular: textAt(resource, 'singularResource'),
        shortNames: textsAt(resource, 'shortNames'),
        verbs: textsAt(resource, 'verbs'),
        subresources: objectsAt(resource, 'subresources').map((one) => textAt(one, 'subresource')),
      })),
    ),
  );

/** The kinds of an APIResourceList, which servers before 1.30 answer for each group version. */
export function typesOfResourceList(
  answer: unknown,
  groupVersion: { readonly group: string; readonly version: string },
): readonly ServedType[] {
  const resources = objectsAt(answer, 'resources');
  return resources
    .filter((resource) => !textAt(resource, 'name').includes('/'))
    .map((resource) => ({
      ...groupVersion,
      kind: textAt(resource, 'kind'),
      plural: textAt(resource, 'name'),
      namespaced: resource['namespaced'] === true,
      singular: textAt(resource, 'singularName'),
      shortNames: textsAt(resource, 'shortNames'),
      verbs: textsAt(resource, 'verbs'),
      subresources: resources.flatMap((one) => {
        const [of, sub] = textAt(one, 'name').split('/');
        return of === textAt(resource, 'name') && sub !== undefined ? [sub] : [];
      }),
    }));
}

/** Versions of a group in the order of preference, from an APIGroupList. */
export const groupVersionsOf = (answer: unknown): readonly { readonly group: string; readonly version: string }[] =>
  objectsAt(answer, 'groups').flatMap((group) => {
    const preferred = isJsonObject(group['preferredVersion']) ? textAt(group['preferredVersion'], 'version') : '';
    const versions = objectsAt(group, 'versions').map((one) => textAt(one, 'version'));
    const ordered = [...versions.filter((one) => one === preferred), ...versions.filter((one) => one !== preferred)];
    return ordered.map((version) => ({ group: textAt(group, 'name'), version }));
  });

/** Words that mean one kind whatever else is installed (spec/kubectl-kruise.md 1.2). */
const fixedWords: Readonly<Record<string, readonly [plural: string, group: string]>> = {
  sts: ['statefulsets', 'apps'],
  statefulset: ['statefulsets', 'apps'],
  statefulsets: ['statefulsets', 'apps'],
  ds: ['daemonsets', 'apps'],
  daemonset: ['daemonsets', 'apps'],
  daemonsets: ['daemonsets', 'apps'],
  clone: ['clonesets', 'apps.kruise.io'],
  asts: ['statefulsets', 'apps.kruise.io'],
  ads: ['daemonsets', 'apps.kruise.io'],
  daemon: ['daemonsets', 'apps.kruise.io'],
  bcj: ['broadcastjobs', 'apps.kruise.io'],
  acj: ['advancedcronjobs', 'apps.kruise.io'],
  crr: ['containerrecreaterequests', 'apps.kruise.io'],
  ud: ['uniteddeployments', 'apps.kruise.io'],
  ws: ['workloadspreads', 'apps.kruise.io'],
  pub: ['podunavailablebudgets', 'policy.kruise.io'],
  rollout: ['rollouts', 'rollouts.kruise.io'],
  rollouts: ['rollouts', 'rollouts.kruise.io'],
};

const isNamed = (type: ServedType, word: string): boolean =>
  type.plural === word || type.singular === word || type.shortNames.includes(word) || type.kind.toLowerCase() === word;

/**
 * The kind that a word means: a plural, singular, short name or kind in any case, alone or as `word.group` or `word.version.group`.
 *
 * @param served in the order of preference
 */
export function findType(served: readonly ServedType[], word: string): ServedType | undefined {
  const lower = word.toLowerCase();
  const fixed = Object.hasOwn(fixedWords, lower) ? fixedWords[lower] : undefined;
  if (fixed !== undefined) return served.find(({ plural, group }) => plural === fixed[0] && group === fixed[1]);
  const dot = lower.indexOf('.');
  if (dot < 0) return exact(served, lower) ?? served.find((type) => type.shortNames.includes(lower));
  const [name, rest] = [lower.slice(0, dot), lower.slice(dot + 1)];
  const [version = ''] = rest.split('.', 1);
  const group = rest.slice(version.length + 1);
  return (
    served.find((type) => type.version === version && type.group === group && isNamed(type, name)) ??
    served.find((type) => type.group === rest && isNamed(type, name)) ??
    served.find((type) => type.group !== '' && rest !== '' && type.group.startsWith(`${rest}.`) && isNamed(type, name))
  );
}

const exact = (served: readonly ServedType[], word: string): ServedType | undefined =>
  served.find(({ plural, singular, kind }) => plural === word || singular === word || kind.toLowerCase() === word);

/** The kind of an object by its `apiVersion` and `kind`; a version that is not served gives the preferred one of the kind. */
export function typeOfObject(
  served: readonly ServedType[],
  { apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string },
): ServedType | undefined {
  const slash = (apiVersion ?? '').indexOf('/');
  const group = slash < 0 ? '' : (apiVersion ?? '').slice(0, slash);
  const version = (apiVersion ?? '').slice(slash + 1);
  const ofKind = served.filter((type) => type.kind === kind && type.group === group);
  return ofKind.find((type) => type.version === version);
}

/** What a user requests by name: `TYPE/NAME`, or `TYPE NAME...`. */
export type Asked =
  | { readonly kind: 'Named'; readonly items: readonly { readonly word: string; readonly name: string }[] }
  | { readonly kind: 'Whole'; readonly words: readonly string[] }
  | { readonly kind: 'Wrong'; readonly message: string };

/** Reads resource arguments as kubectl does. */
export function parseResourceArguments(args: readonly string[]): Asked {
  if (args.length === 0) return { kind: 'Wrong', message: 'required resource not specified' };
  if (args.some((arg) => arg.includes('/'))) {
    if (!args.every((arg) => arg.includes('/')))
      return {
        kind: 'Wrong',
        message:
          "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
      };
    const items = args.map((arg) => ({ word: arg.slice(0, arg.indexOf('/')), name: arg.slice(arg.indexOf('/') + 1) }));
    const wrong = items.findIndex(({ word, name }) => word === '' || name === '' || name.includes('/'));
    if (wrong >= 0)
      return {
        kind: 'Wrong',
        message: `arguments in resource/name form must have a single resource and name, but found ${JSON.stringify(args[wrong])}`,
      };
    return { kind: 'Named', items };
  }
  const [types = '', ...names] = args;
  const words = types.split(',').filter((word) => word !== '');
  if (names.length === 0) return { kind: 'Whole', words };
  return { kind: 'Named', items: words.flatMap((word) => names.map((name) => ({ word, name }))) };
}
