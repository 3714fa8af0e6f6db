/** A kind whose objects are exported. */
import { resourceTypeOf, type KindDeclaration, type VersionDeclaration } from '@kruise/api';
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { Family } from './family.ts';

type VersionName = VersionDeclaration['name'];

export interface ResourceKind {
  /** As flags name it: the plural. */
  readonly resource: string;
  /** Name of the label that holds the name of the object: the singular. */
  readonly label: string;
  readonly namespaced: boolean;
  /** In the order of preference; the first one that is served is read. */
  readonly types: readonly ResourceType[];
  /** Whether it is exported when --resources is not given. */
  readonly byDefault: boolean;
  /** With their full names, in the order in which they are written. */
  readonly families: readonly Family[];
}

export interface KindTable {
  readonly declaration: KindDeclaration;
  /** The version whose shape the specification names. */
  readonly prefers: VersionName;
  readonly byDefault: boolean;
  readonly families: readonly Family[];
}

/** Completes a table: names become `kruise_<kind>_<name>`, and every version of the kind may be read. */
export function resourceKind({ declaration, prefers, byDefault, families }: KindTable): ResourceKind {
  const versions = declaration.versions.map(({ name }) => name).toSorted((a, b) => Number(b === prefers) - Number(a === prefers));
  return {
    resource: declaration.plural,
    label: declaration.singular,
    namespaced: declaration.namespaced,
    types: versions.map((version) => resourceTypeOf<KubeObject>(declaration, version)),
    byDefault,
    families: families.map((family) => ({ ...family, name: `kruise_${declaration.singular}_${family.name}` })),
  };
}

/** As counters of lists and watches name a kind: `*v1alpha1.CloneSet`. */
export const goTypeName = ({ version, kind }: ResourceType): string => `*${version}.${kind}`;
