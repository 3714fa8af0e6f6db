/** The apps that are bundled: where each starts and what the bundle's files are called. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What a thread of an app starts with. */
interface ThreadEntry {
  readonly file: string;
  /** Paths, as an `import()` names them, of modules that the thread never imports: their code is not in its bundle. */
  readonly without: RegExp;
}

export interface App {
  /** Also the folder below `dist/`. */
  readonly name: string;
  /** Bundle name (`main` becomes `main.mjs`) to source file, from the root. All of one app land in one folder, where they find each other. */
  readonly entries: Readonly<Record<string, string>>;
  /**
   * Threads, by bundle name. Each is bundled on its own: in chunks that it shared with the entries, it would hold all of their code, as it
   * has a V8 heap of its own.
   */
  readonly threads?: Readonly<Record<string, ThreadEntry>>;
}

/** Every app of the project, in the order they are built. */
export const apps: readonly App[] = [
  {
    name: 'manager',
    entries: { main: 'apps/manager/src/main.ts' },
    threads: { 'webhook-thread': { file: 'apps/manager/src/webhook-thread.ts', without: /\/controller\.ts$/ } },
  },
  { name: 'daemon', entries: { main: 'apps/daemon/src/main.ts' } },
  { name: 'helm-hook', entries: { main: 'apps/helm-hook/src/main.ts' } },
  { name: 'state-metrics', entries: { main: 'apps/state-metrics/src/main.ts' } },
  {
    name: 'kubectl-kruise',
    entries: {
      main: 'apps/kubectl-kruise/src/main.ts',
      'kubectl_complete-kruise': 'apps/kubectl-kruise/src/kubectl-complete.ts',
      resourcedistributiongenerator: 'apps/kubectl-kruise/src/resourcedistributiongenerator.ts',
    },
  },
];

/** Whether all entry points of an app are there. */
export const isWritten = (app: App, root: string): boolean => Object.values(app.entries).every((file) => existsSync(join(root, file)));

export type Choice =
  | { readonly kind: 'Chosen'; readonly apps: readonly App[]; readonly absent: readonly string[] }
  | { readonly kind: 'Wrong'; readonly message: string };

/**
 * Which apps a command line requests.
 *
 * @param names names of apps, or `all`; none means `all`. An app requested by name must exist, `all` omits what does not and says so.
 */
export function chooseApps(names: readonly string[], exists: (app: App) => boolean): Choice {
  const all = names.length === 0 || names.includes('all');
  const known = [...apps.map(({ name }) => name), 'all'];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { kind: 'Wrong', message: `unknown app ${JSON.stringify(unknown)}: must be one of ${known.join(', ')}` };
  const asked = apps.filter(({ name }) => all || names.includes(name));
  const absent = asked.filter((app) => !exists(app)).map(({ name }) => name);
  if (!all && absent.length > 0) return { kind: 'Wrong', message: `apps/${absent[0]} has no entry point to build` };
  return { kind: 'Chosen', apps: asked.filter(exists), absent };
}
