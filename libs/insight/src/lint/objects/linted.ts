/** One object of a file. */
import { allKinds, type KindDeclaration, type VersionDeclaration } from '@kruise/api';
import { groupOf, textAt, type JsonObject } from '@kruise/objects';

/** A document of a file: `apiVersion` and `kind` are texts, everything else may have any shape. */
export interface LintedObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** One object with what is known about it. */
export interface Linted {
  /** As it is written. */
  readonly written: LintedObject;
  /** In v1beta1 if its kind is one of ours, with the defaults that the webhooks fill in. */
  readonly object: JsonObject;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** '' for a Namespace, and for a kind of ours without namespaces. */
  readonly namespace: string;
  /** Of a kind of ours. */
  readonly declaration: KindDeclaration | undefined;
  /** Of a served version. */
  readonly version: VersionDeclaration | undefined;
}

/** Groups of Kruise whose kinds this project has. */
const ourGroups: ReadonlySet<string> = new Set(allKinds.map(({ group }) => group));

/** Returns whether lint judges the object: all others are only read. */
export const isOurs = ({ group }: Pick<Linted, 'group'>): boolean => ourGroups.has(group);

const byKind = new Map(allKinds.map((declaration) => [`${declaration.group}/${declaration.kind}`, declaration]));

/** Returns the declaration of a kind of ours. */
export const declarationOf = (group: string, kind: string): KindDeclaration | undefined => byKind.get(`${group}/${kind}`);

/** Returns what is known about a document. @param namespace of objects that name none */
export function readLinted(written: LintedObject, namespace: string): Linted {
  const { apiVersion, kind } = written;
  const group = groupOf(apiVersion);
  const declaration = declarationOf(group, kind);
  const named = textAt(written, 'metadata', 'namespace');
  const isClustered = declaration?.namespaced === false || (group === '' && kind === 'Namespace');
  return {
    written,
    object: written,
    group,
    kind,
    name: textAt(written, 'metadata', 'name'),
    namespace: isClustered ? '' : named === '' ? namespace : named,
    declaration,
    version: declaration?.versions.find(({ name }) => `${group}/${name}` === apiVersion),
  };
}
