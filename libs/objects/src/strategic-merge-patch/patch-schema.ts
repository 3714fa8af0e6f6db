/** How the members of a built-in type merge. Without a rule here they merge as Kubernetes does by default: objects member by member, lists whole. */

export interface PatchSchema {
  readonly members: Readonly<Record<string, MemberRule>>;
}

/** The merge rule of one member of an object. A member without a rule replaces the old one; an object merges by members. */
export interface MemberRule {
  /** `merge` on a list: element by element; `replace` on an object: whole. */
  readonly strategy?: 'merge' | 'replace';
  /** The member that identifies the elements of a merged list of objects; absent for a list of scalars. */
  readonly mergeKey?: string;
  /** Whether a patch lists the kept members: for unions, where a new member must replace the old one. */
  readonly retainKeys?: boolean;
  /** Of the object, or of the list's elements. */
  readonly schema?: PatchSchema;
}

/** A type without rules. */
export const plainSchema: PatchSchema = { members: {} };

export const memberRule = (schema: PatchSchema, name: string): MemberRule =>
  (Object.hasOwn(schema.members, name) ? schema.members[name] : undefined) ?? defaultRule;

const defaultRule: MemberRule = {};
