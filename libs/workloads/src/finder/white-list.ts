/**
 * Kinds of workloads that the administrator lists in the shared ConfigMap, each list under a key of its own. Names of members are read in
 * whatever case they are written.
 * @see spec/manager.md 5.9
 */
import { isJsonObject, ownMember, parseJsonText, type ConfigMap, type JsonObject } from '@kruise/objects';
import { isSameKind, type GroupKind } from './found-workload.ts';

/** A listed kind, and the version in which it is read. */
export interface WhiteListedKind extends GroupKind {
  readonly version: string;
  /** Kinds between such a workload and its Pods. */
  readonly subResources?: readonly GroupKind[];
  /** Dotted path to the number of its Pods; '' when none is given. */
  readonly replicasPath?: string;
}

/** The list of kinds in the manager's ConfigMap, or why it cannot be read. */
export type WhiteListReading =
  | { readonly kind: 'Read'; readonly kinds: readonly WhiteListedKind[] }
  /** Names the key and what is allowed. */
  | { readonly kind: 'Faulty'; readonly why: string };

/** The member of this name, in whatever case it is written. */
function memberOf(object: JsonObject, name: string): unknown {
  const exact = ownMember(object, name);
  if (exact !== undefined) return exact;
  const written = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  return written === undefined ? undefined : ownMember(object, written);
}

function groupVersionKindIn(entry: unknown): WhiteListedKind | undefined {
  if (!isJsonObject(entry)) return undefined;
  const [group, version, kind] = ['Group', 'Version', 'Kind'].map((name) => memberOf(entry, name) ?? '');
  return typeof group === 'string' && typeof version === 'string' && typeof kind === 'string' ? { group, version, kind } : undefined;
}

const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

/** The kind, with what is given besides; undefined for what is neither. */
function kindIn(entry: unknown): WhiteListedKind | undefined {
  const listed = groupVersionKindIn(entry);
  if (listed === undefined || !isJsonObject(entry)) return undefined;
  const replicasPath = memberOf(entry, 'replicasPath') ?? undefined;
  const subResources = memberOf(entry, 'subResources') ?? [];
  const between = Array.isArray(subResources) ? subResources.map(groupVersionKindIn) : [undefined];
  if (!isTextOrAbsent(replicasPath) || between.includes(undefined)) return undefined;
  return {
    ...listed,
    ...(between.length === 0 ? {} : { subResources: between as readonly GroupKind[] }),
    ...(replicasPath === undefined ? {} : { replicasPath }),
  };
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJsonText(text) };
  } catch {
    return undefined;
  }
}

/**
 * @param configMap the shared one; without it, or without the key in it, no kind is listed
 * @param key of the list
 */
export function readWhiteList(configMap: ConfigMap | undefined, key: string): WhiteListReading {
  const text = configMap?.data?.[key];
  if (text === undefined || text === '') return { kind: 'Read', kinds: [] };
  const faulty = (what: string): WhiteListReading => ({
    kind: 'Faulty',
    why: `${key} ${what}; expected a value like {"workloads":[{"Group":"apps.example.com","Version":"v1","Kind":"GameServerSet"}]}`,
  });
  const parsed = parsedJson(text);
  if (parsed === undefined) return faulty('is not JSON');
  if (!isJsonObject(parsed.value)) return faulty('is not an object');
  const entries = memberOf(parsed.value, 'workloads') ?? [];
  if (!Array.isArray(entries)) return faulty('has no list of workloads');
  const kinds = entries.map(kindIn);
  const broken = kinds.indexOf(undefined);
  if (broken >= 0)
    return faulty(`has an entry whose group, version and kind are no texts, or whose other members are wrong (number ${broken})`);
  return { kind: 'Read', kinds: kinds as readonly WhiteListedKind[] };
}

/** The first entry of this kind; its version does not count. */
export const listedKind = (kinds: readonly WhiteListedKind[], wanted: GroupKind): WhiteListedKind | undefined =>
  kinds.find((listed) => isSameKind(listed, wanted));
