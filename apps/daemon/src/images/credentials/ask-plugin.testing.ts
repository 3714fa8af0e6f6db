/** A program that asks the plugins of a configuration for an image, as the agent does, and prints the user names of their answers. */
import { SystemClock, type Logger } from '@kruise/kube';
import { loadPlugins } from './pull-credentials.ts';

const [, , configFile = '', folder = '', image = ''] = process.argv;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;
const plugins = loadPlugins(configFile, { folder, clock: new SystemClock(), logger: silent });
const answers = await Promise.all(plugins.map((plugin) => plugin.credentials(image, new AbortController().signal)));
console.log(
  answers
    .flat()
    .map(({ credential }) => ('username' in credential ? credential.username : ''))
    .join(),
);
