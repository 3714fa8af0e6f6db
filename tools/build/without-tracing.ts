/**
 * Makes a bundle omit the API of OpenTelemetry: `prom-client` imports it for the exemplars of its default metrics, which no program enables. Each
 * thread would hold its 44 kB of text and the objects that it creates when it is loaded.
 */
import type { Plugin } from 'esbuild';

const namespace = 'no-tracing';

export const withoutTracing: Plugin = {
  name: 'without-tracing',
  setup(build) {
    build.onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents: '' }));
  },
};
