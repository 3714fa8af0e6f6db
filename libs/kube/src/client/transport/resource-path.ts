/** The URL paths of the API. Every path is built here, so no part of one is sent without being checked and escaped. */
import { isApiPathPart, isPathSegmentName, type ObjectKey, type ResourceType } from '@kruise/objects';
import { badRequest } from './error-from-answer.ts';

/** Query parameters in the given order; undefined ones are omitted. */
export type Query = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

declare const isUrlPath: unique symbol;

/** A path that this file built. Calls accept no other text. */
export type UrlPath = string & { readonly [isUrlPath]: true };

/**
 * Builds a path. The program writes its fixed parts; each value is escaped as one segment or a part of one:
 * `` urlPath`/api/v1/namespaces/${namespace}` ``. Throws `BadRequest` for a value that is empty, '.' or '..', or contains '/'.
 */
export const urlPath = (fixed: TemplateStringsArray, ...values: readonly string[]): UrlPath =>
  fixed.reduce((path, text, index) => path + segment(values[index - 1], 'path') + text) as UrlPath;

/** Returns `/api/v1` or `/apis/<group>/<version>`. Throws `BadRequest` for a group or version that the API server cannot serve. */
export function groupVersionPath({ group, version }: Pick<ResourceType, 'group' | 'version'>): UrlPath {
  return group === ''
    ? urlPath`/api/${fixedPart(version, 'version')}`
    : urlPath`/apis/${fixedPart(group, 'group')}/${fixedPart(version, 'version')}`;
}

/** Returns the path of all objects of a kind, or of those of one namespace; `namespace` '' or undefined means all. */
export function collectionPath(type: ResourceType, namespace: string | undefined): UrlPath {
  const base = groupVersionPath(type);
  const plural = fixedPart(type.plural, 'resource');
  if (!type.namespaced || namespace === undefined || namespace === '') return `${base}/${plural}` as UrlPath;
  return `${base}/namespaces/${segment(namespace, 'namespace', type)}/${plural}` as UrlPath;
}

/**
 * Returns the path of one object. Throws `BadRequest` for a name that would make it another path: without a name, a DELETE would affect the whole
 * collection.
 */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): UrlPath {
  const path = `${creationPath(type, key.namespace)}/${segment(key.name, 'name', type)}`;
  return (subresource === undefined || subresource === '' ? path : `${path}/${fixedPart(subresource, 'subresource')}`) as UrlPath;
}

/** Returns the path to create an object at. Throws `BadRequest` when a namespaced object has no namespace. */
export function creationPath(type: ResourceType, namespace: string): UrlPath {
  if (type.namespaced && namespace === '') throw badRequest(`metadata.namespace: Required value: ${type.kind} is namespaced`);
  return collectionPath(type, namespace);
}

/** Returns a part of the path that comes from a kind's definition. */
function fixedPart(text: string, what: string): string {
  if (!isApiPathPart(text))
    throw badRequest(`${what}: Invalid value: ${JSON.stringify(text)}: no API server serves a ${what} of this name`);
  return text;
}

function segment(value: string | undefined, field: string, type?: ResourceType): string {
  const of = type === undefined ? field : `metadata.${field}`;
  if (typeof value !== 'string' || value === '')
    throw badRequest(`${of}: Required value: a ${type?.kind ?? 'path'} is meant by its ${field}`);
  if (!isPathSegmentName(value))
    throw badRequest(`${of}: Invalid value: ${JSON.stringify(value)}: may not be '.', '..' or contain '/' or '%'`);
  return encodeURIComponent(value);
}

/** Returns the path below the one that the server's URL contains. */
export const belowBase = (base: string, path: UrlPath): UrlPath => (base === '' ? path : ((base + path) as UrlPath));

/** Returns `path?name=value&...`, or `path` when every value is undefined. */
export function withQuery(path: UrlPath, query: Query): UrlPath {
  let result: string = path;
  let separator = path.includes('?') ? '&' : '?';
  for (const [name, value] of query) {
    if (value === undefined) continue;
    result += `${separator}${name}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return result as UrlPath;
}
