/** Runs the health checks and actions of `integrations/argocd` in Debian's Lua 5.1, the dialect that Argo CD runs, with the libraries that it offers. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCommand } from '../cluster/host/host-commands.ts';

const root = join(import.meta.dirname, '../../../..');
const customizations = join(root, 'integrations/argocd/generated/resource_customizations');
const command = 'lua5.1';

/** An object of any kind and version. */
export interface ArgoObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What Argo CD shows for an object. */
export interface ArgoHealth {
  readonly status: string;
  readonly message?: string;
}

/** One process at a time: test files run beside each other, and apt refuses a second one. */
function install(): void {
  const apt = 'apt-get -qq -o DPkg::Lock::Timeout=300';
  const add = `${apt} install -y --no-install-recommends ${command}`;
  const script = `command -v ${command} || ${add} || { ${apt} update && ${add}; }`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('flock', [join(tmpdir(), `kruise-${command}.lock`), 'sh', '-c', script], { stdio: 'pipe', env });
}

/**
 * Returns undefined when scripts can be run, otherwise what is missing. Installs Debian's lua5.1 where that is allowed, as the programs for real nodes
 * are installed.
 */
export function whyNoLua(): string | undefined {
  if (findCommand(command) !== undefined) return undefined;
  if (process.env['KRUISE_NO_INSTALL'] === '1' || process.getuid?.() !== 0 || findCommand('apt-get') === undefined)
    return `needs ${command} (apt-get install ${command})`;
  try {
    install();
    return undefined;
  } catch (error) {
    return `needs ${command}, and apt-get failed: ${String((error as { readonly stderr?: unknown }).stderr ?? error).trim()}`;
  }
}

const escaped: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\0': '\\000', '"': '\\"', '\\': '\\\\' };
const luaText = (text: string): string => `"${text.replaceAll(/[\n\r\0"\\]/g, (char) => escaped[char] ?? char)}"`;

/** Returns a JSON value as a Lua expression; null is nil, as in Argo CD. */
function luaValue(value: unknown): string {
  if (typeof value === 'string') return luaText(value);
  if (Array.isArray(value)) return `{${value.map(luaValue).join(',')}}`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => `[${luaText(name)}]=${luaValue(one)}`)
      .join(',')}}`;
  return value === null || value === undefined ? 'nil' : JSON.stringify(value);
}

/** Path of a script of a kind below `resource_customizations`, such as `health.lua`. */
const scriptOf = ({ apiVersion, kind }: ArgoObject, script: string): string =>
  join(customizations, apiVersion.split('/', 1)[0] ?? '', kind, script);

/** Runs the same script of the kind of each object. @returns the results, in order; throws when one of them is an error */
export function runArgoScript(script: string, objects: readonly ArgoObject[]): readonly unknown[] {
  if (objects.length === 0) return [];
  const input = objects.map((object) => `return {script=${luaText(scriptOf(object, script))},obj=${luaValue(object)}}`).join('\n');
  const options = { input: `${input}\n`, encoding: 'utf8', maxBuffer: 256 << 20 } as const;
  const lines = execFileSync(findCommand(command) ?? command, [join(import.meta.dirname, 'run.lua')], options)
    .trimEnd()
    .split('\n');
  return lines.map((line, at) => {
    if (line.startsWith('ok ')) return JSON.parse(line.slice(3)) as unknown;
    throw new Error(`${line}\n${JSON.stringify(objects[at])}`);
  });
}

/** Returns what Argo CD shows for each object. */
export const argoHealth = (objects: readonly ArgoObject[]): readonly ArgoHealth[] =>
  runArgoScript('health.lua', objects) as readonly ArgoHealth[];
