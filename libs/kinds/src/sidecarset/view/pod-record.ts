/**
 * The annotations of a Pod about the SidecarSets injected into it: parsed, and formatted byte for byte as OpenKruise does.
 *
 * Reading never throws: these annotations can be edited by anyone, so what cannot be read counts as absent unless the caller asks.
 * @see spec/sidecarset.md 3
 */
import { annotations, sidecarSetAnnotations, type SidecarSetSpec } from '@kruise/api';
import { canonicalJson, goString, isJsonObject, sortUtf8, textAt, type ObjectMeta, type Pod } from '@kruise/objects';
import { formatUpdateState, parseObject, structJson, updateStateFrom, type InPlaceUpdateState, type Parsed } from '@kruise/pods';
import { isNativeSidecar } from '../revisions/hash.ts';

/** One entry of `kruise.io/sidecarset-hash` or `kruise.io/sidecarset-hash-without-image`. */
export interface InjectionRecord {
  /** RFC 3339 in UTC with whole seconds; '' when it is not known (legacy form). */
  readonly updateTimestamp: string;
  readonly hash: string;
  readonly sidecarSetName: string;
  /** Sorted names as in the SidecarSet. */
  readonly sidecarList: readonly string[];
  /** Only in the entry with images; '' or absent when not known. */
  readonly controllerRevision?: string;
}

/** By name of the SidecarSet. */
export type InjectionRecords = ReadonlyMap<string, InjectionRecord>;
export type UpdateStates = ReadonlyMap<string, InPlaceUpdateState>;
/** By name of the sidecar as in the SidecarSet: the container of the Pod that works. */
export type WorkingContainers = ReadonlyMap<string, string>;

type Annotations = Readonly<Record<string, string>> | undefined;

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);

/** The legacy form of an entry is the hash alone. */
function recordFrom(name: string, value: unknown): readonly (readonly [string, InjectionRecord])[] {
  if (typeof value === 'string') return [[name, { updateTimestamp: '', hash: value, sidecarSetName: name, sidecarList: [] }]];
  if (!isJsonObject(value)) return [];
  const controllerRevision = textAt(value, 'controllerRevision');
  const record: InjectionRecord = {
    updateTimestamp: textAt(value, 'updateTimestamp'),
    hash: textAt(value, 'hash'),
    sidecarSetName: textAt(value, 'sidecarSetName'),
    sidecarList: textsOf(value['sidecarList']),
    ...(controllerRevision === '' ? {} : { controllerRevision }),
  };
  return [[name, record]];
}

/** A map out of an annotation; an absent or empty text is an empty map, entries of wrong types are omitted. */
function parseMap<T>(
  text: string | undefined,
  entryFrom: (name: string, value: unknown) => readonly (readonly [string, T])[],
): Parsed<ReadonlyMap<string, T>> {
  if (text === undefined || text === '') return { kind: 'Parsed', value: new Map() };
  const parsed = parseObject(text);
  if (parsed.kind === 'Malformed') return parsed;
  return { kind: 'Parsed', value: new Map(Object.entries(parsed.value).flatMap(([name, value]) => entryFrom(name, value))) };
}

const orEmpty = <T>(parsed: Parsed<ReadonlyMap<string, T>>): ReadonlyMap<string, T> =>
  parsed.kind === 'Parsed' ? parsed.value : new Map<string, T>();

function formatMap<T>(map: ReadonlyMap<string, T>, valueJson: (value: T) => string): string {
  return structJson(sortUtf8([...map.keys()]).map((name) => [name, valueJson(map.get(name) as T)]));
}

/** `sidecarList` of a SidecarSet: its containers and native sidecars, by the names they have there. */
export const sidecarListOf = ({ containers, initContainers }: Pick<SidecarSetSpec, 'containers' | 'initContainers'>): readonly string[] =>
  sortUtf8([...(initContainers ?? []).filter(isNativeSidecar), ...(containers ?? [])].flatMap((sidecar) => sidecar?.name ?? []));

/** The value of a hash annotation, both keys and both forms. */
export const parseInjectionRecords = (text: string | undefined): Parsed<InjectionRecords> => parseMap(text, recordFrom);

const recordJson = (record: InjectionRecord): string => {
  const { updateTimestamp, hash, sidecarSetName, sidecarList, controllerRevision = '' } = record;
  return structJson([
    ['updateTimestamp', updateTimestamp === '' ? 'null' : goString(updateTimestamp)],
    ['hash', goString(hash)],
    ['sidecarSetName', goString(sidecarSetName)],
    ['sidecarList', canonicalJson(sidecarList)],
    ['controllerRevision', controllerRevision === '' ? undefined : goString(controllerRevision)],
  ]);
};

/** Inverse of {@link parseInjectionRecords} for the present form: SidecarSets sorted, members in the order of the wire. */
export const formatInjectionRecords = (records: InjectionRecords): string => formatMap(records, recordJson);

/** What the Pod has of which SidecarSet; empty when the annotation is absent or cannot be read. */
export const injectionRecordsOf = (metadata: Pick<ObjectMeta, 'annotations'>): InjectionRecords =>
  orEmpty(parseInjectionRecords(metadata.annotations?.[annotations.sidecarSetHash]));

/** As {@link injectionRecordsOf}, for the hashes that leave images out. */
export const imagelessRecordsOf = (metadata: Pick<ObjectMeta, 'annotations'>): InjectionRecords =>
  orEmpty(parseInjectionRecords(metadata.annotations?.[sidecarSetAnnotations.hashWithoutImage]));

/** The SidecarSets named in the Pod's injected list, in its order, each once; undefined when the Pod has no such annotation. */
export function injectedListOf(held: Annotations): readonly string[] | undefined {
  const text = held?.[sidecarSetAnnotations.injectedList];
  return text === undefined ? undefined : [...new Set(text.split(',').filter((name) => name !== ''))];
}

/** The SidecarSets that were injected into the Pod: those of its list; Pods of very old versions have none, there it is those with a hash. */
export const injectedSetsOf = (pod: Pod): readonly string[] =>
  injectedListOf(pod.metadata.annotations) ?? [...injectionRecordsOf(pod.metadata).keys()];

/** The value of the injected list: sorted, each once. */
export const formatInjectedList = (names: Iterable<string>): string => sortUtf8([...new Set(names)]).join(',');

/** The value of `kruise.io/sidecarset-inplace-update-state`. */
export const parseUpdateStates = (text: string | undefined): Parsed<UpdateStates> =>
  parseMap(text, (name, value) => (isJsonObject(value) ? [[name, updateStateFrom(value)]] : []));

/** Inverse of {@link parseUpdateStates}. */
export const formatUpdateStates = (states: UpdateStates): string => formatMap(states, formatUpdateState);

/** Which containers of hot-upgrade sidecars work; empty when the annotation is absent or cannot be read. */
export const workingContainersOf = (held: Annotations): WorkingContainers =>
  orEmpty(
    parseMap(held?.[sidecarSetAnnotations.workingHotUpgradeContainer], (name, value) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** The value of `kruise.io/sidecarset-working-hotupgrade-container`. */
export const formatWorkingContainers = (working: WorkingContainers): string => formatMap(working, goString);
