/** How the members of a built-in type merge. What is not said here merges as Kubernetes does by default: objects member by member, lists whole. */

export interface PatchSchema {
  readonly members: Readonly<Record<string, MemberRule>>;
}

/** How one member of an object merges; a member without a rule replaces what was there, an object merges by members. */
export interface MemberRule {
  /** `merge` on a list: element by element; `replace` on an object: whole. */
  readonly strategy?: 'merge' | 'replace';
  /** The member that tells the elements of a merged list of objects apart; absent for a list of scalars. */
  readonly mergeKey?: string;
  /** A patch lists the members that stay: for unions, where a new member must drive out the old one. */
  readonly retainKeys?: boolean;
  /** Of the object, or of the list's elements. */
  readonly schema?: PatchSchema;
}

/** A type of which nothing is said. */
export const plainSchema: PatchSchema = { members: {} };

export const memberRule = (schema: PatchSchema, name: string): MemberRule =>
  (Object.hasOwn(schema.members, name) ? schema.members[name] : undefined) ?? defaultRule;

const defaultRule: MemberRule = {};
