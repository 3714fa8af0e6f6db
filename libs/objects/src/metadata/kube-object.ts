/** The parts that every Kubernetes object has, and the ways to name a kind and an object. */

/** A parsed JSON value. Members are read-only because objects from a store are shared. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Deeply read-only: objects of a store are shared and never written to. */
export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** A reference to an owner in the same namespace or without one. At most one reference of an object has `controller: true`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The metadata of an object. Times are RFC 3339 strings as on the wire; `resourceVersion` is opaque except for `compareResourceVersions`. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Any Kubernetes object, built-in or custom. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** Namespace and name of an object; `namespace` is '' for cluster-scoped objects. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the object's key in stores and queues; `namespace` is '' for cluster-scoped objects. */
export const keyOf = (object: KubeObject): ObjectKey => ({ namespace: object.metadata.namespace ?? '', name: object.metadata.name });

/** Returns the metadata that says which object it is, and in which version: name, namespace, `uid` and `resourceVersion`, as far as given. */
export const identityIn = ({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
});

/** Returns whether the object is being deleted: the API server has set the time, and finalizers or a grace period may still hold the object. */
export const isTerminating = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** Returns `namespace/name`, or only `name` for cluster-scoped objects: the text form in queues, logs and the `ObjectRef` of events. */
export const formatKey = (key: ObjectKey): string => (key.namespace === '' ? key.name : `${key.namespace}/${key.name}`);

/** Inverse of {@link formatKey}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/**
 * One kind as the API server serves it: what a client needs to build its URLs and to fill in `apiVersion` and `kind`.
 * `group` is '' for the core group.
 */
export interface ResourceType<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural as in the URL, e.g. `clonesets`. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Used only to infer the object's type; never present at run time. */
  readonly _object?: T;
}

/** Returns the `apiVersion` of objects: `v1` for the core group, otherwise e.g. `apps/v1`. */
export const apiVersionOf = (type: Pick<ResourceType, 'group' | 'version'>): string =>
  type.group === '' ? type.version : `${type.group}/${type.version}`;

/**
 * Orders objects of one kind in one namespace, where names are unique. Names are ASCII, for which JavaScript's own order equals that of UTF-8 and is
 * much faster than a locale's.
 */
export const byName = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number => (a.name < b.name ? -1 : 1);
