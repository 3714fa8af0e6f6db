/** The daemon's own docker configuration, if one is mounted; searched every 5 minutes. @see spec/daemon.md 5.3 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger } from '@kruise/kube';
import { milliseconds, seconds, type Milliseconds } from '@kruise/objects';
import { parseDockerConfig, type DockerConfigFormat } from './docker-config.ts';
import type { RegistryCredential } from './keyring.ts';

const readAgainAfter = seconds(300);

interface Candidate {
  readonly path: string;
  readonly format: DockerConfigFormat;
}

/** Returns the candidates; the first readable one counts. */
function candidatesIn(home: string): readonly Candidate[] {
  const inFolders = (folders: readonly string[], format: DockerConfigFormat): readonly Candidate[] =>
    folders.map((folder) => ({ path: join(folder, format), format }));
  return [...inFolders(['.', join(home, '.docker'), '/.docker'], 'config.json'), ...inFolders(['.', home, '/'], '.dockercfg')];
}

export class DockerConfigFiles {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #logger: Logger;
  readonly #candidates: readonly Candidate[];
  #read: { readonly credentials: readonly RegistryCredential[]; readonly expiresAt: Milliseconds } | undefined;

  constructor({
    clock,
    logger,
    home = homedir(),
  }: {
    readonly clock: Pick<Clock, 'monotonic'>;
    readonly logger: Logger;
    readonly home?: string;
  }) {
    this.#clock = clock;
    this.#logger = logger;
    this.#candidates = candidatesIn(home);
  }

  /** Returns the credentials. Never rejects. Small files, read synchronously: a pull waits for no thread of the pool. */
  credentials(): Promise<readonly RegistryCredential[]> {
    const now = this.#clock.monotonic();
    if (this.#read === undefined || this.#read.expiresAt <= now)
      this.#read = { credentials: this.#load(), expiresAt: milliseconds(now + readAgainAfter) };
    return Promise.resolve(this.#read.credentials);
  }

  #load(): readonly RegistryCredential[] {
    for (const { path, format } of this.#candidates) {
      try {
        return parseDockerConfig(readFileSync(path, 'utf8'), format, path);
      } catch (error) {
        // Most do not exist; one that is malformed is logged.
        if (!(error instanceof Error && 'code' in error)) this.#logger.warn({ error }, 'Failed to read a docker configuration');
      }
    }
    return [];
  }
}
