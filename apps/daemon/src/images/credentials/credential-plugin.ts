/**
 * One credential provider plugin: asks it for an image by the kubelet's exec protocol and keeps the answer for as long and for as many images
 * as the plugin says.
 *
 * What a plugin prints never gets into a log or a message: it may be a password.
 *
 * @see spec/daemon.md 5.3
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Clock, Logger } from '@kruise/kube';
import {
  isJsonObject,
  milliseconds,
  parseDuration,
  parseJsonText,
  seconds,
  unreachable,
  type JsonObject,
  type Milliseconds,
} from '@kruise/objects';
import type { RegistryCredential } from './keyring.ts';
import type { PluginConfig } from './plugin-config.ts';
import { matchesRepository } from './registry-match.ts';

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

const longestOutput = 1024 * 1024;
const defaultTimeout = seconds(60);

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
  /** Entries leave at the first question after their end. */
  readonly #cache = new Map<string, Cached>();
  /** Runs that go on, by repository. */
  readonly #running = new Map<string, Promise<readonly RegistryCredential[]>>();

  constructor(config: PluginConfig, parts: PluginParts) {
    this.config = config;
    this.#parts = parts;
  }

  /** Nothing for an image that the plugin is not for, and when it fails. Never rejects. */
  async credentials(repository: string): Promise<readonly RegistryCredential[]> {
    if (!this.config.matchImages.some((pattern) => matchesRepository(pattern, repository))) return [];
    const cached = this.#cached(repository);
    if (cached !== undefined) return cached;
    const running = this.#running.get(repository) ?? this.#ask(repository).finally(() => this.#running.delete(repository));
    this.#running.set(repository, running);
    return await running;
  }

  #cached(repository: string): readonly RegistryCredential[] | undefined {
    const now = this.#parts.clock.monotonic();
    for (const [key, { expiresAt }] of this.#cache) if (expiresAt <= now) this.#cache.delete(key);
    const types: readonly CacheKeyType[] = ['Image', 'Registry', 'Global'];
    return types.map((type) => this.#cache.get(cacheKey(type, repository))?.credentials).find((found) => found !== undefined);
  }

  async #ask(repository: string): Promise<readonly RegistryCredential[]> {
    const { clock, logger } = this.#parts;
    try {
      const { cacheKeyType, cacheFor, credentials } = parseAnswer(await this.#run(repository), this.config);
      if (cacheFor > 0)
        this.#cache.set(cacheKey(cacheKeyType, repository), { credentials, expiresAt: milliseconds(clock.monotonic() + cacheFor) });
      return credentials;
    } catch (error) {
      logger.warn({ plugin: this.config.name, image: repository, error }, 'A credential provider plugin failed');
      return [];
    }
  }

  #run(repository: string): Promise<string> {
    const { name, args, env, apiVersion } = this.config;
    return new Promise((resolve, reject) => {
      const child = spawn(join(this.#parts.folder, name), args, {
        env: { ...process.env, ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: this.#parts.timeout ?? defaultTimeout,
        killSignal: 'SIGKILL',
      });
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > longestOutput) child.kill('SIGKILL');
        else chunks.push(chunk);
      });
      // It may end without having read the question.
      child.stdin.on('error', () => undefined);
      child.on('error', (error: NodeJS.ErrnoException) => reject(new Error(`cannot be started: ${error.code ?? 'failed'}`)));
      child.on('close', (code, signal) => {
        if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error(`ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`));
      });
      child.stdin.end(JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image: repository }));
    });
  }
}

function parseAnswer(output: string, { apiVersion, defaultCacheDuration }: PluginConfig): Answer {
  const answer = parseObject(output);
  if (answer['kind'] !== 'CredentialProviderResponse' || answer['apiVersion'] !== apiVersion)
    throw new Error(`the answer is no CredentialProviderResponse of ${apiVersion}`);
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
