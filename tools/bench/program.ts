/** The bundles of the image, which scenarios start. */
import { join } from 'node:path';
import { apps } from '../build/apps.ts';
import { bundle } from '../build/bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Builds the app of this name, if given into `folder`, where later builds do not change it. @returns its main file */
export async function buildProgram(name: string, folder?: string): Promise<string> {
  const app = apps.find((one) => one.name === name);
  if (app === undefined) throw new Error(`there is no app named ${name}`);
  return join((await bundle(app, root, folder)).folder, 'main.mjs');
}
