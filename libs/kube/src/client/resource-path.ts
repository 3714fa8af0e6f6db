/** The URL paths of the API. */
import { apiVersionOf, type ObjectKey, type ResourceType } from '@kruise/objects';
import { badRequest } from './error-from-answer.ts';

/** Query members in the order given; undefined ones are left out. */
export type Query = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

/** `/api/v1` or `/apis/<group>/<version>`. */
export const groupVersionPath = (type: Pick<ResourceType, 'group' | 'version'>): string =>
  type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;

/** The path of all objects of a kind, or of those of one namespace; `namespace` '' or undefined means all. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const base = groupVersionPath(type);
  if (!type.namespaced || namespace === undefined || namespace === '') return `${base}/${type.plural}`;
  return `${base}/namespaces/${segment(namespace, 'namespace', type)}/${type.plural}`;
}

/**
 * The path of one object. Throws `BadRequest` for a name that would make it the path of something else: without a name a DELETE would
 * mean the whole collection.
 */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  const path = `${creationPath(type, key.namespace)}/${segment(key.name, 'name', type)}`;
  return subresource === undefined || subresource === '' ? path : `${path}/${subresource}`;
}

/** The path to create an object at; throws `BadRequest` when a namespaced one has no namespace. */
export function creationPath(type: ResourceType, namespace: string): string {
  if (type.namespaced && namespace === '') throw badRequest(`metadata.namespace: Required value: ${type.kind} is namespaced`);
  return collectionPath(type, namespace);
}

function segment(value: string | undefined, field: string, type: ResourceType): string {
  if (typeof value !== 'string' || value === '')
    throw badRequest(`metadata.${field}: Required value: a ${type.kind} is meant by its ${field}`);
  if (value === '.' || value === '..' || value.includes('/')) {
    throw badRequest(`metadata.${field}: Invalid value: ${JSON.stringify(value)}: may not be '.', '..' or contain '/'`);
  }
  return encodeURIComponent(value);
}

/** `path?name=value&...`, or `path` when every value is undefined. */
export function withQuery(path: string, query: Query): string {
  let result = path;
  let separator = path.includes('?') ? '&' : '?';
  for (const [name, value] of query) {
    if (value === undefined) continue;
    result += `${separator}${name}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return result;
}
