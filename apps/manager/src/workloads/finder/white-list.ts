/**
 * Kinds that number their Pods as a StatefulSet does, as the administrator lists them in the shared ConfigMap.
 * @see spec/persistentpodstate.md 3
 */
import { persistentPodStateWhiteListKey } from '@kruise/api';
import { isJsonObject, ownMember, parseJsonText, type ConfigMap, type JsonObject } from '@kruise/objects';
import { isSameKind, type GroupKind } from './found-workload.ts';

/** A listed kind, and the version in which it is read. */
export interface WhiteListedKind extends GroupKind {
  readonly version: string;
}

export type WhiteListReading =
  | { readonly kind: 'Read'; readonly kinds: readonly WhiteListedKind[] }
  /** Names the key and what is allowed. */
  | { readonly kind: 'Faulty'; readonly why: string };

const faulty = (what: string): WhiteListReading => ({
  kind: 'Faulty',
  why: `${persistentPodStateWhiteListKey} ${what}; it must be like {"workloads":[{"Group":"apps.example.com","Version":"v1","Kind":"GameServerSet"}]}`,
});

/** The member of this name, in whatever case it is written. */
function memberOf(object: JsonObject, name: string): unknown {
  const exact = ownMember(object, name);
  if (exact !== undefined) return exact;
  const written = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  return written === undefined ? undefined : ownMember(object, written);
}

function kindIn(entry: unknown): WhiteListedKind | undefined {
  if (!isJsonObject(entry)) return undefined;
  const [group, version, kind] = ['Group', 'Version', 'Kind'].map((name) => memberOf(entry, name) ?? '');
  return typeof group === 'string' && typeof version === 'string' && typeof kind === 'string' ? { group, version, kind } : undefined;
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJsonText(text) };
  } catch {
    return undefined;
  }
}

/** @param configMap the shared one; without it, or without the key in it, no kind is listed */
export function readWhiteList(configMap: ConfigMap | undefined): WhiteListReading {
  const text = configMap?.data?.[persistentPodStateWhiteListKey];
  if (text === undefined || text === '') return { kind: 'Read', kinds: [] };
  const parsed = parsedJson(text);
  if (parsed === undefined) return faulty('is no JSON');
  if (!isJsonObject(parsed.value)) return faulty('is no object');
  const entries = memberOf(parsed.value, 'workloads') ?? [];
  if (!Array.isArray(entries)) return faulty('has no list of workloads');
  const kinds = entries.map(kindIn);
  const broken = kinds.indexOf(undefined);
  if (broken >= 0) return faulty(`has an entry whose group, version and kind are no texts (number ${broken})`);
  return { kind: 'Read', kinds: kinds as readonly WhiteListedKind[] };
}

/** The first entry of this kind; its version does not count. */
export const listedKind = (kinds: readonly WhiteListedKind[], wanted: GroupKind): WhiteListedKind | undefined =>
  kinds.find((listed) => isSameKind(listed, wanted));
