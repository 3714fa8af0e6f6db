import { describe, expect, it } from '@jest/globals';
import { allowed, type AdmissionHandler } from '../review/decision.ts';
import { routeOf, routesOf } from './routing.ts';

const handlerOf = (path: string, ...aliases: readonly string[]): AdmissionHandler => ({ path, aliases, decide: () => allowed });
const pods = handlerOf('/mutate-pod', '/old-mutate-pod');
const routes = routesOf([pods, handlerOf('/healthz')]);

describe('the route of a request', () => {
  it.each([
    { url: '/mutate-pod', name: 'a path', route: { kind: 'Review', handler: pods } },
    { url: '/old-mutate-pod', name: 'an alias', route: { kind: 'Review', handler: pods } },
    { url: '/mutate-pod?timeout=10s', name: 'a path with a query', route: { kind: 'Review', handler: pods } },
    { url: '/convert?timeout=30s', name: 'the conversion', route: { kind: 'Conversion' } },
    { url: '/healthz', name: 'the probe, whatever handlers there are', route: { kind: 'Health' } },
    { url: '/mutate-pods', name: 'a longer path', route: { kind: 'Unknown' } },
    { url: undefined, name: 'no path', route: { kind: 'Unknown' } },
  ])('of $name', ({ url, route }) => {
    expect(routeOf(routes, url)).toEqual(route);
  });

  it('is that of the handler whose path is /convert', () => {
    const handler = handlerOf('/convert');
    expect(routeOf(routesOf([handler]), '/convert')).toEqual({ kind: 'Review', handler });
  });
});
