/** The objects around one object, as they were read, and how they belong together. */
import {
  addToList,
  compareUtf8,
  controllerOf,
  groupOf,
  labelMatcherOf,
  memberAt,
  stringAt,
  type Instant,
  type JsonObject,
  type KubeObject,
  type Node,
  type Pod,
} from '@kruise/objects';

/** An object of any kind and version. `apiVersion` and `kind` are set. */
export type AnyObject = KubeObject & JsonObject;

/** What was read, at one moment. */
export interface Snapshot {
  readonly root: AnyObject;
  /** In any order; the root may be among them. */
  readonly objects: readonly AnyObject[];
  readonly now: Instant;
}

/** Returns `group/Kind`; the group is empty for the core kinds. */
export const kindOf = ({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): string =>
  `${groupOf(apiVersion ?? '')}/${kind ?? ''}`;

/** Finds objects of a snapshot by kind, owner, reference and selector. */
export class Seen {
  readonly root: AnyObject;
  readonly now: Instant;
  /** By name. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly #byKind = new Map<string, AnyObject[]>();
  readonly #byOwner = new Map<string, AnyObject[]>();

  constructor({ root, objects, now }: Snapshot) {
    this.root = root;
    this.now = now;
    const rest = objects.filter(({ metadata }) => metadata.uid !== root.metadata.uid || metadata.uid === undefined);
    for (const object of rest.toSorted((a, b) => compareUtf8(a.metadata.name, b.metadata.name))) {
      addToList(this.#byKind, kindOf(object), object);
      const owner = controllerOf(object)?.uid;
      if (owner !== undefined) addToList(this.#byOwner, owner, object);
    }
    this.nodes = new Map(this.all('/Node').map((node) => [node.metadata.name, node as unknown as Node]));
  }

  /** Returns the objects of a kind by name, without the root. @param kind `group/Kind` */
  all(kind: string): readonly AnyObject[] {
    return this.#byKind.get(kind) ?? [];
  }

  get pods(): readonly Pod[] {
    return this.all('/Pod') as unknown as readonly Pod[];
  }

  /** Returns what the object controls, by name. */
  ownedBy({ metadata }: Pick<AnyObject, 'metadata'>): readonly AnyObject[] {
    return metadata.uid === undefined ? [] : (this.#byOwner.get(metadata.uid) ?? []);
  }

  /** Returns the Pods that the object controls, itself or through others. */
  podsBelow(object: Pick<AnyObject, 'metadata'>, depth = 4): readonly Pod[] {
    return this.ownedBy(object).flatMap((child) =>
      child.kind === 'Pod' ? [child as unknown as Pod] : depth === 0 ? [] : this.podsBelow(child, depth - 1),
    );
  }

  /** Returns the objects of a kind whose `spec.<member>` refers to the object. */
  referringTo(kind: string, { apiVersion, kind: of, metadata }: AnyObject, member = 'targetRef'): readonly AnyObject[] {
    return this.all(kind).filter((one) => {
      const reference = { group: groupOf(stringAt(one, 'spec', member, 'apiVersion') ?? ''), kind: stringAt(one, 'spec', member, 'kind') };
      const isOfKind = reference.kind === of && reference.group === groupOf(apiVersion ?? '');
      return isOfKind && stringAt(one, 'spec', member, 'name') === metadata.name;
    });
  }
}

/** Returns whether `spec.selector` of the object selects labels; false when it selects nothing or is no selector. */
export function selects(object: AnyObject, labels: Readonly<Record<string, string>> | undefined): boolean {
  const selector = memberAt(object, 'spec', 'selector');
  if (selector === undefined) return false;
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' && !parsed.matcher.selectsNothing && parsed.matcher.matches(labels ?? {});
}
