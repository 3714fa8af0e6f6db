/**
 * Makes a bundle get Node's own modules by `process.getBuiltinModule`. An import statement, and a `require`, would first make the module's
 * facade for ES modules, which reads every export and so sets off what Node loads only when it is requested: a program that imports
 * `node:http` would load all of undici for `http.WebSocket`, in each of its threads.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

const namespace = 'node-builtin';

export const builtinsWithoutFacade: Plugin = {
  name: 'builtins-without-facade',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path }) => (isBuiltin(path) ? { path: path.replace(/^node:/, ''), namespace } : undefined));
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('node:${path}');`,
      loader: 'js',
    }));
  },
};
