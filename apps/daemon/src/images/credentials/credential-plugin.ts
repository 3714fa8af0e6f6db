/**
 * One credential provider plugin: asks it for an image by the kubelet's exec protocol and caches the answer for as long and for as many images as the
 * plugin specifies.
 *
 * The output of a plugin never appears in a log or a message: it may be a password.
 *
 * @see spec/daemon.md 5.3
 */
import { join } from 'node:path';
import { orAborted, type Clock, type Logger } from '@kruise/kube';
import {
  agentLimits,
  isJsonObject,
  milliseconds,
  parseDuration,
  parseJsonText,
  unreachable,
  type JsonObject,
  type Milliseconds,
} from '@kruise/objects';
import type { RegistryCredential } from './keyring.ts';
import type { PluginConfig } from './plugin-config.ts';
import { matchesRepository } from './registry-match.ts';
import { runPlugin } from './run-plugin.ts';

export interface PluginParts {
  readonly folder: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** How long one run may take; 60 s when absent. */
  readonly timeout?: Milliseconds;
}

type CacheKeyType = 'Image' | 'Registry' | 'Global';

interface Answer {
  readonly cacheKeyType: CacheKeyType;
  readonly cacheFor: Milliseconds;
  readonly credentials: readonly RegistryCredential[];
}

interface Cached {
  readonly credentials: readonly RegistryCredential[];
  readonly expiresAt: Milliseconds;
}

/** A running plugin, and how many callers wait for it: without any it is ended. */
interface Run {
  readonly answer: Promise<readonly RegistryCredential[]>;
  readonly end: AbortController;
  waiting: number;
}

const defaultTimeout = milliseconds(agentLimits.pluginRun.value);

function cacheKey(type: CacheKeyType, repository: string): string {
  switch (type) {
    case 'Image':
      return `image ${repository}`;
    case 'Registry':
      return `registry ${repository.split('/')[0] ?? ''}`;
    case 'Global':
      return 'global';
    default:
      return unreachable(type);
  }
}

export class CredentialPlugin {
  readonly config: PluginConfig;
  readonly #parts: PluginParts;
  /** Entries are removed at the first call after their end. */
  readonly #cache = new Map<string, Cached>();
  /** Running plugins, by repository. */
  readonly #running = new Map<string, Run>();

  constructor(config: PluginConfig, parts: PluginParts) {
    this.config = config;
    this.#parts = parts;
  }

  /**
   * Returns nothing for an image that the plugin is not for, and when it fails.
   *
   * @throws when `signal` aborts, immediately, whatever the plugin does
   */
  async credentials(repository: string, signal: AbortSignal): Promise<readonly RegistryCredential[]> {
    signal.throwIfAborted();
    if (!this.config.matchImages.some((pattern) => matchesRepository(pattern, repository))) return [];
    const cached = this.#cached(repository);
    if (cached !== undefined) return cached;
    const run = this.#running.get(repository) ?? this.#begin(repository);
    run.waiting++;
    try {
      return await orAborted(run.answer, signal);
    } finally {
      run.waiting--;
      if (run.waiting === 0) {
        run.end.abort(new Error('no pull waits for it'));
        if (this.#running.get(repository) === run) this.#running.delete(repository);
      }
    }
  }

  #begin(repository: string): Run {
    const end = new AbortController();
    const run = { answer: this.#ask(repository, end.signal), end, waiting: 0 };
    this.#running.set(repository, run);
    return run;
  }

  #cached(repository: string): readonly RegistryCredential[] | undefined {
    const now = this.#parts.clock.monotonic();
    for (const [key, { expiresAt }] of this.#cache) if (expiresAt <= now) this.#cache.delete(key);
    const types: readonly CacheKeyType[] = ['Image', 'Registry', 'Global'];
    return types.map((type) => this.#cache.get(cacheKey(type, repository))?.credentials).find((found) => found !== undefined);
  }

  async #ask(repository: string, signal: AbortSignal): Promise<readonly RegistryCredential[]> {
    const { clock, logger } = this.#parts;
    try {
      const { cacheKeyType, cacheFor, credentials } = parseAnswer(await this.#run(repository, signal), this.config);
      if (cacheFor > 0)
        this.#cache.set(cacheKey(cacheKeyType, repository), { credentials, expiresAt: milliseconds(clock.monotonic() + cacheFor) });
      return credentials;
    } catch (error) {
      if (signal.aborted) return [];
      logger.warn({ plugin: this.config.name, image: repository, error }, 'A credential provider plugin failed');
      return [];
    }
  }

  #run(image: string, signal: AbortSignal): Promise<string> {
    const { folder, timeout = defaultTimeout } = this.#parts;
    const { name, args, env, apiVersion } = this.config;
    const question = JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image });
    return runPlugin({ file: join(folder, name), args, env, question, timeout }, signal);
  }
}

function parseAnswer(output: string, { apiVersion, defaultCacheDuration }: PluginConfig): Answer {
  const answer = parseObject(output);
  if (answer['kind'] !== 'CredentialProviderResponse' || answer['apiVersion'] !== apiVersion)
    throw new Error(`the answer is not a CredentialProviderResponse of ${apiVersion}`);
  const { cacheKeyType, cacheDuration, auth } = answer;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global')
    throw new Error('cacheKeyType must be Image, Registry or Global');
  const cacheFor = cacheDuration === undefined || cacheDuration === null ? defaultCacheDuration : durationOf(cacheDuration);
  return { cacheKeyType, cacheFor, credentials: isJsonObject(auth) ? credentialsOf(auth) : [] };
}

function parseObject(output: string): JsonObject {
  let answer: unknown;
  try {
    answer = parseJsonText(output);
  } catch {
    answer = undefined; // The parser's message would quote the output.
  }
  if (!isJsonObject(answer)) throw new Error('the answer is not a JSON object');
  return answer;
}

function durationOf(value: unknown): Milliseconds {
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  if (parsed === undefined || parsed < 0) throw new Error('cacheDuration must be a duration of 0 or more');
  return parsed;
}

const credentialsOf = (auth: JsonObject): readonly RegistryCredential[] =>
  Object.entries(auth).flatMap(([location, entry]) => {
    if (!isJsonObject(entry)) return [];
    const { username, password } = entry;
    if (typeof username !== 'string' || typeof password !== 'string') return [];
    return [{ location, credential: { username, password } }];
  });
