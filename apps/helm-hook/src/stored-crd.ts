/** A CRD as far as migrations read it. */
import { unlessDeleted } from '@kruise/kube';
import { customResourceDefinitions, type KubeObject, type ResourceType } from '@kruise/objects';
import type { MigrationParts } from './write-each.ts';

export interface StoredCrd extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

export const crdType = customResourceDefinitions as ResourceType<StoredCrd>;

const versions = ['v1alpha1', 'v1beta1'] as const;
export type Version = (typeof versions)[number];

/** Returns the CRD of this name; undefined when it is not installed. */
export const readCrd = ({ client, signal }: MigrationParts, name: string): Promise<StoredCrd | undefined> =>
  unlessDeleted(client.get(crdType, { namespace: '', name }, { signal }));

/** Returns the version in which objects are stored from now on. */
export const storageVersionOf = ({ spec }: StoredCrd): Version | undefined =>
  versions.find((version) => spec.versions.some(({ name, storage }) => storage && name === version));
