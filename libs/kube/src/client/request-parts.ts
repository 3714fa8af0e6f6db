/** Parts of requests to the API server: media types, queries, bodies and headers. Pure. */
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';
import type { Impersonation } from '../config/cluster-config.ts';
import type { DeleteOptions, ListOptions, PatchType } from './client.ts';

export const JSON_TYPE = 'application/json';
export const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Returns the query of a list or watch. */
export const selection = (
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'resourceVersion' | 'resourceVersionMatch'>,
): readonly (readonly [string, string | undefined])[] => [
  ['labelSelector', options.labelSelector],
  ['fieldSelector', options.fieldSelector],
  ['resourceVersion', options.resourceVersion],
  ['resourceVersionMatch', options.resourceVersionMatch],
];

/** Returns the object with apiVersion and kind, which objects in memory may lack. */
export const named = (object: KubeObject, type: ResourceType): KubeObject =>
  object.apiVersion === undefined || object.kind === undefined ? { ...object, apiVersion: apiVersionOf(type), kind: type.kind } : object;

/** Returns the options in the body of a DELETE. */
export const deletion = (options: DeleteOptions): object => ({
  gracePeriodSeconds: options.gracePeriodSeconds,
  propagationPolicy: options.propagationPolicy,
  preconditions: options.preconditions,
  dryRun: options.dryRun === true ? ['All'] : undefined,
});

/** Returns the headers with which the caller acts as another user. */
export function impersonationHeaders(as: Impersonation | undefined): Readonly<Record<string, string | readonly string[]>> {
  if (as === undefined) return {};
  const extra = Object.entries(as.extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values] as const,
  );
  return {
    'impersonate-user': as.user,
    ...(as.uid === undefined ? {} : { 'impersonate-uid': as.uid }),
    ...(as.groups.length === 0 ? {} : { 'impersonate-group': as.groups }),
    ...Object.fromEntries(extra),
  };
}
