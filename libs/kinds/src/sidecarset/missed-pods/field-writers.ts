/**
 * What of an object is still as it was created, by what the API server notes about its writers. Pure.
 *
 * The server keeps an entry for each writer with the fields whose present values are that writer's, and when it last wrote any of them. So a
 * label is known to be as old as the oldest entry that has it; whether it is older is not known. A label that was taken away leaves no trace:
 * what is absent counts as having been so.
 */
import { isJsonObject, memberAt, type Instant } from '@kruise/objects';

export interface FieldWriters {
  /** Whether these labels have the values that they had then. */
  labelsStoodAt(keys: readonly string[], then: Instant): boolean;
  /** Whether the owners are those that the object was created with, or had then. */
  ownersStoodAt(then: Instant): boolean;
}

interface Entry {
  /** Not a number when the entry does not say. */
  readonly at: number;
  readonly fields: unknown;
}

/** The server itself sees to it that it is the name of the namespace. */
const fixedLabel = 'kubernetes.io/metadata.name';

/** Pods always have it and keep it: the writer whose it is created the Pod. */
const markOfCreator = ['f:spec', 'f:restartPolicy'] as const;

function entriesOf(object: unknown): readonly Entry[] {
  const list = memberAt(object, 'metadata', 'managedFields');
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).map((entry) => ({ at: Date.parse(String(entry['time'])), fields: entry['fieldsV1'] }));
}

/** @param object as the server sends it, with `managedFields`; without those nothing is known of labels that are there */
export function fieldWritersOf(object: unknown): FieldWriters {
  const entries = entriesOf(object);
  const stoodAt = (then: Instant, path: readonly string[]): boolean =>
    entries.some(({ at, fields }) => at <= then && memberAt(fields, ...path) !== undefined);
  const isKnown = (key: string, then: Instant): boolean =>
    key === fixedLabel ||
    (entries.length > 0 && memberAt(object, 'metadata', 'labels', key) === undefined) ||
    stoodAt(then, ['f:metadata', 'f:labels', `f:${key}`]);
  const owners = ['f:metadata', 'f:ownerReferences'];
  return {
    labelsStoodAt: (keys, then) => keys.every((key) => isKnown(key, then)),
    ownersStoodAt: (then) =>
      stoodAt(then, owners) ||
      entries.some(({ fields }) => memberAt(fields, ...markOfCreator) !== undefined && memberAt(fields, ...owners) !== undefined),
  };
}
