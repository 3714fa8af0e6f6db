/** The keys and values of `literals`, `files` and `envs`, as generators of kustomize read them. */
import { UserError } from '../failure.ts';

/** Where values come from besides the configuration. */
export interface PairReads {
  /** @throws UserError for a file that cannot be read or is not below the working directory */
  readonly readFile: (path: string) => Uint8Array;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Lists of the configuration. */
export interface PairSources {
  readonly literals: readonly string[];
  readonly files: readonly string[];
  readonly envs: readonly string[];
}

type Pair = readonly [key: string, value: Uint8Array];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the text of UTF-8 bytes; undefined for other bytes. */
export function utf8Text(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return undefined;
  }
}

function literalPair(source: string): Pair {
  const at = source.indexOf('=');
  if (at < 1) throw new UserError(`literal sources: invalid literal source ${source}, expected key=value`);
  return [source.slice(0, at), bytes(source.slice(at + 1).replaceAll(/^["']+|["']+$/g, ''))];
}

function filePair(source: string, { readFile }: PairReads): Pair {
  const parts = source.split('=');
  const [key = '', path = ''] = parts.length === 1 ? [source.split('/').at(-1) ?? source, source] : parts;
  if (parts.length > 2) throw new UserError(`file sources: source ${JSON.stringify(source)} key name or file path contains '='`);
  if (key === '')
    throw new UserError(`file sources: missing key name for file path ${JSON.stringify(path)} in source ${JSON.stringify(source)}`);
  if (path === '')
    throw new UserError(`file sources: missing file path for key name ${JSON.stringify(key)} in source ${JSON.stringify(source)}`);
  return [key, readFile(path)];
}

const envName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** Lines `KEY=value`; a line with a key alone takes the value of the environment. */
function envPairs(path: string, { readFile, env }: PairReads): readonly Pair[] {
  const text = utf8Text(readFile(path));
  if (text === undefined) throw new UserError(`env source files: ${path} has invalid utf8 bytes`);
  const lines = text.replace(/^\u{FEFF}/u, '').split(/\r?\n/);
  return lines.flatMap((line): readonly Pair[] => {
    const shown = line.trimStart();
    if (shown === '' || shown.startsWith('#')) return [];
    const at = shown.indexOf('=');
    const key = at < 0 ? shown : shown.slice(0, at);
    if (!envName.test(key)) throw new UserError(`env source files: ${JSON.stringify(key)} is not a valid key name`);
    return [[key, bytes(at < 0 ? (env[key] ?? '') : shown.slice(at + 1))]];
  });
}

const isDataKey = (key: string): boolean => /^[-._a-zA-Z0-9]+$/.test(key) && key.length <= 253 && key !== '.' && !key.startsWith('..');

/**
 * Returns all pairs, by key.
 *
 * @param name of the resource, for messages
 * @throws UserError for a source that cannot be read, a key that no ConfigMap may have, and a key that occurs twice
 */
export function pairsOf(name: string, { literals, files, envs }: PairSources, reads: PairReads): readonly Pair[] {
  const all = [
    ...envs.flatMap((path) => envPairs(path, reads)),
    ...literals.map(literalPair),
    ...files.map((source) => filePair(source, reads)),
  ];
  const known = new Map<string, Pair>();
  for (const pair of all) {
    const [key] = pair;
    if (!isDataKey(key))
      throw new UserError(
        `${JSON.stringify(key)} is not a valid key name: a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
      );
    if (known.has(key)) throw new UserError(`configmap ${name} illegally repeats the key \`${key}\``);
    known.set(key, pair);
  }
  return [...known.values()].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
