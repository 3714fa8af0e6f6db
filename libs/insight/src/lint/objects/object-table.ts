/** Objects by kind and namespace, so that a file with many of them costs no comparison of each with each. */
import { conflictSubjects, type ConflictSubject, type SidecarSet } from '@kruise/api';
import { compareUtf8, type JsonObject } from '@kruise/objects';
import type { Linted } from './linted.ts';
import { namedLabelsOf, pinsOf } from './pins.ts';
import { RivalIndex, type RivalKey } from './rival-index.ts';
import { SubjectIndex } from './subject-index.ts';

interface OfKind {
  readonly byName: Map<string, Linted>;
  readonly rivals: RivalIndex<Linted>;
  /** Empty for kinds whose objects may conflict about anything. */
  readonly bySubject: SubjectIndex<Linted>;
  /** By name; undefined until it is requested. */
  sorted: readonly Linted[] | undefined;
}

const keyOf = (group: string, kind: string, namespace: string): string => `${group}/${kind}/${namespace}`;

/** Undefined for kinds whose objects may conflict about anything. */
const subjectsOf = (kind: string, object: JsonObject): readonly ConflictSubject[] | undefined =>
  kind === 'SidecarSet' ? conflictSubjects(object as unknown as SidecarSet) : undefined;

const rivalKeyOf = (kind: string, object: JsonObject): RivalKey => ({ pins: pinsOf(kind, object), ...namedLabelsOf(kind, object) });

const emptyKind = (): OfKind => ({ byName: new Map(), rivals: new RivalIndex(), bySubject: new SubjectIndex(), sorted: undefined });

const byName = (a: Linted, b: Linted): number => compareUtf8(a.name, b.name);

/** A later object of the same name takes the place of an earlier one. */
export class ObjectTable {
  readonly #kinds = new Map<string, OfKind>();

  add(linted: Linted): void {
    const key = keyOf(linted.group, linted.kind, linted.namespace);
    const held = this.#kinds.get(key) ?? emptyKind();
    held.byName.set(linted.name, linted);
    held.rivals.add(rivalKeyOf(linted.kind, linted.object), linted);
    held.bySubject.add(subjectsOf(linted.kind, linted.object) ?? [], linted);
    held.sorted = undefined;
    this.#kinds.set(key, held);
  }

  /** Returns the objects of a kind in a namespace, by name. */
  of(group: string, kind: string, namespace: string): readonly Linted[] {
    const held = this.#kinds.get(keyOf(group, kind, namespace));
    if (held === undefined) return [];
    held.sorted ??= [...held.byName.values()].sort(byName);
    return held.sorted;
  }

  /** Returns the objects of a kind in a namespace that may be about the same Pods as the given one, and conflict with it, by name. */
  rivals({ group, kind, namespace }: Pick<Linted, 'group' | 'kind' | 'namespace'>, object: JsonObject): readonly Linted[] {
    const held = this.#kinds.get(keyOf(group, kind, namespace));
    if (held === undefined) return [];
    const key = rivalKeyOf(kind, object);
    const subjects = subjectsOf(kind, object);
    const isSubjectCheaper = subjects !== undefined && held.bySubject.cost(subjects) < held.rivals.cost(key);
    const candidates = isSubjectCheaper ? held.bySubject.candidates(subjects) : held.rivals.candidates(key);
    return candidates.filter((one) => held.byName.get(one.name) === one).sort(byName);
  }

  find(group: string, kind: string, namespace: string, name: string): Linted | undefined {
    return this.#kinds.get(keyOf(group, kind, namespace))?.byName.get(name);
  }
}
