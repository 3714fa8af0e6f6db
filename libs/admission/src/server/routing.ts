/** Which endpoint of the server answers which path. Pure. */
import type { AdmissionHandler } from '../review/decision.ts';

export type Route =
  | { readonly kind: 'Health' }
  | { readonly kind: 'Conversion' }
  | { readonly kind: 'Review'; readonly handler: AdmissionHandler }
  | { readonly kind: 'Unknown' };

export type Routes = ReadonlyMap<string, AdmissionHandler>;

/** Returns the handlers by their paths and aliases. */
export const routesOf = (handlers: readonly AdmissionHandler[]): Routes =>
  new Map(handlers.flatMap((handler) => [handler.path, ...(handler.aliases ?? [])].map((path) => [path, handler] as const)));

/**
 * Returns the route of a request. `/healthz` is never a handler's path; a handler for `/convert` replaces the conversion.
 *
 * @param url path and query; absent counts as `/`
 */
export function routeOf(routes: Routes, url = '/'): Route {
  const path = url.split('?', 1)[0] as string;
  if (path === '/healthz') return { kind: 'Health' };
  const handler = routes.get(path);
  if (handler !== undefined) return { kind: 'Review', handler };
  return path === '/convert' ? { kind: 'Conversion' } : { kind: 'Unknown' };
}
