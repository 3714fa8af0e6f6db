/**
 * UnitedDeployment v1alpha1 <-> v1beta1 (spec/uniteddeployment.md 1): only the status differs, of which v1alpha1 keeps some numbers in maps by
 * subset. A v1alpha1 spec may also contain a CloneSet template in the form of v1alpha1, which is converted to that of v1beta1.
 */
import { changeMember, isJsonObject, membersAt, withMembers, type JsonObject } from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { normalizeCloneSetTemplate } from '../cloneset/cloneset-to-hub.ts';

function toHub(object: JsonObject): Conversion {
  const spec = object['spec'];
  const status = object['status'];
  return converted(
    withMembers(object, {
      ...(isJsonObject(spec) ? { spec: normalizedSpec(spec) } : {}),
      ...(isJsonObject(status) ? { status: hubStatus(status) } : {}),
    }),
  );
}

const normalizedSpec = (spec: JsonObject): JsonObject =>
  isJsonObject(membersAt(spec, 'template')['cloneSetTemplate'])
    ? changeMember(spec, 'template', (template) => changeMember(template, 'cloneSetTemplate', normalizeCloneSetTemplate))
    : spec;

function hubStatus(status: JsonObject): JsonObject {
  const { subsetReplicas, updateStatus, ...rest } = status;
  const { updatedRevision, currentPartitions, ...unknown } = isJsonObject(updateStatus) ? updateStatus : {};
  const subsetStatuses = [
    { member: 'replicas', values: subsetReplicas },
    { member: 'partition', values: currentPartitions },
  ].reduce((list, { member, values }) => mergeBySubset(list, member, values), rest['subsetStatuses']);
  return withMembers(rest, {
    subsetStatuses,
    ...(updatedRevision === undefined ? {} : { updatedRevision }),
    ...(Object.keys(unknown).length === 0 ? {} : { updateStatus: unknown }),
  });
}

/** Returns the entry with a number. @param entry null or absent: a new one is created */
function withNumber(
  entry: unknown,
  { name, member, value }: { readonly name: string; readonly member: string; readonly value: unknown },
): unknown {
  if (!isJsonObject(entry)) return { name, [member]: value };
  return value === (entry[member] ?? 0) ? entry : { ...entry, [member]: value };
}

/** Returns the name of an entry: '' without a name, also for null; undefined for a value that is no entry. */
function nameOf(entry: unknown): unknown {
  if (entry === null) return '';
  return isJsonObject(entry) ? (entry['name'] ?? '') : undefined;
}

/**
 * Writes the map's numbers into the entries of the subsets that it names. Subsets without an entry get one, in the order of their names. 0 and null
 * mean absence there, so they add nothing to an entry without a number. Of two entries with one name the first is used, as in the other direction, so
 * the list is unchanged after both.
 */
function mergeBySubset(statuses: unknown, member: string, values: unknown): unknown {
  if (!isJsonObject(values) || (statuses !== undefined && statuses !== null && !Array.isArray(statuses))) return statuses;
  const merged: unknown[] = [...((statuses as readonly unknown[] | null | undefined) ?? [])];
  // The first of two entries with one name is inserted last, and remains.
  const places = new Map(merged.map((entry, at) => [nameOf(entry), at] as const).reverse());
  for (const name of Object.keys(values).sort()) {
    const at = places.get(name) ?? merged.length;
    merged[at] = withNumber(merged[at], { name, member, value: values[name] ?? 0 });
  }
  return merged.length === 0 ? statuses : merged;
}

function fromHub(object: JsonObject): Conversion {
  const status = object['status'];
  return converted(isJsonObject(status) ? withMembers(object, { status: alphaStatus(status) }) : object);
}

function alphaStatus(status: JsonObject): JsonObject {
  const { updatedRevision, ...rest } = status;
  const statuses: readonly unknown[] = Array.isArray(status['subsetStatuses']) ? status['subsetStatuses'] : [];
  const subsetReplicas = bySubset(statuses, 'replicas');
  const currentPartitions = bySubset(statuses, 'partition');
  const withoutUpdate = statuses.length === 0 && (updatedRevision === undefined || updatedRevision === '');
  const updateStatus = withMembers(membersAt(rest, 'updateStatus'), { updatedRevision, currentPartitions });
  return withMembers(rest, { subsetReplicas, ...(withoutUpdate ? {} : { updateStatus }) });
}

/** Returns one key for every entry with a name, of two entries with one name that of the first; undefined when there is none. */
function bySubset(statuses: readonly unknown[], member: string): JsonObject | undefined {
  const named = statuses.filter(
    (entry): entry is JsonObject => isJsonObject(entry) && typeof entry['name'] === 'string' && entry['name'] !== '',
  );
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.toReversed().map((entry) => [entry['name'] as string, entry[member] ?? 0]));
}

/** Converts UnitedDeployments between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'UnitedDeployment', toHub, fromHub };
