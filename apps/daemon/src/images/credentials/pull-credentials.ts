/** All credentials for an image: its pull secrets, the daemon's docker configuration, the plugins. @see spec/daemon.md 5.3 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orAborted, type Logger } from '@kruise/kube';
import { agentLimits, compareUtf8, type Milliseconds, type Secret } from '@kruise/objects';
import { tenantsOf, type ImageTask, type SecretReference } from '../task/image-task.ts';
import { CredentialPlugin, type PluginParts } from './credential-plugin.ts';
import { credentialsOfSecret, UnreadableCredentials } from './docker-config.ts';
import { credentialsFor, usableFor, type Credential, type RegistryCredential } from './keyring.ts';
import { parsePluginConfig } from './plugin-config.ts';
import type { PullSecrets } from './pull-secrets.ts';

/** Provides credentials for some images in its own way. Rejects only for an aborted signal. */
export interface CredentialProvider {
  /** Returns the credentials. @param repository in full, without tag */
  credentials(repository: string, signal: AbortSignal): Promise<readonly RegistryCredential[]>;
}

/** The credentials for one image. */
export interface Candidates {
  /** In the order in which they are tried; the image is pulled anonymously after all of them have failed. */
  readonly credentials: readonly Credential[];
  /** Malformed secrets, in words for the status. */
  readonly faults: readonly string[];
}

interface SecretContents {
  readonly known: readonly RegistryCredential[];
  readonly faults: readonly string[];
}

/** Returns the credentials of a secret for an image. A secret that cannot be parsed does not affect the others. */
function contentsFor(repository: string, secret: Secret): SecretContents {
  try {
    const { credentials, isCut } = usableFor(repository, credentialsOfSecret(secret));
    const { namespace = '', name } = secret.metadata;
    const fault = `secret ${namespace}/${name}: has more than ${agentLimits.credentialsOfSecret.value} characters of credentials for the image`;
    return { known: credentials, faults: isCut ? [fault] : [] };
  } catch (error) {
    if (!(error instanceof UnreadableCredentials)) throw error;
    return { known: [], faults: [error.message] };
  }
}

export class PullCredentials {
  readonly #secrets: PullSecrets;
  readonly #providers: readonly CredentialProvider[];

  /** Creates the credentials. @param providers in the order of their names */
  constructor(secrets: PullSecrets, providers: readonly CredentialProvider[]) {
    this.#secrets = secrets;
    this.#providers = providers;
  }

  /** Returns the candidates. @throws when `signal` aborts, and never otherwise */
  async candidates(task: Pick<ImageTask, 'pullSecrets' | 'owners'>, repository: string, signal: AbortSignal): Promise<Candidates> {
    const reading = this.#secrets.read(task.pullSecrets, tenantsOf(task), (secret) => contentsFor(repository, secret));
    const secrets = await orAborted(reading, signal);
    const provided = await Promise.all(this.#providers.map((provider) => provider.credentials(repository, signal)));
    const known = secrets.flatMap((each) => each.known);
    const credentials = [...credentialsFor(repository, known), ...credentialsFor(repository, provided.flat())];
    return { credentials, faults: secrets.flatMap(({ faults }) => faults) };
  }

  /** Reports that an attempt which began at `moment` failed with what it had read: that may be outdated. */
  refused({ pullSecrets }: Pick<ImageTask, 'pullSecrets'>, moment: Milliseconds): void {
    this.#secrets.forgetOlder(pullSecrets, moment);
  }

  /** Reports that an attempt failed for which there was no credential: an unreadable secret might contain one, and is read again. */
  missed({ pullSecrets }: Pick<ImageTask, 'pullSecrets'>): void {
    this.#secrets.forgetUnreadable(pullSecrets);
  }

  /** Drops the secrets that are no longer named. */
  retain(named: readonly SecretReference[]): void {
    this.#secrets.retain(named);
  }
}

/**
 * Returns the plugins of a configuration file, in the order of their names; none without such a file, and none when it is faulty, which is logged.
 *
 * @see spec/daemon.md 2
 */
export function loadPlugins(configFile: string, parts: PluginParts): readonly CredentialPlugin[] {
  if (!existsSync(configFile)) return [];
  const failed = (error: unknown, logger: Logger): readonly CredentialPlugin[] => {
    logger.error({ file: configFile, error }, 'Failed to load the configuration of credential provider plugins; using none');
    return [];
  };
  try {
    const configs = parsePluginConfig(readFileSync(configFile, 'utf8'), configFile);
    const missing = configs.find(({ name }) => !existsSync(join(parts.folder, name)));
    if (missing !== undefined) return failed(new Error(`there is no plugin ${missing.name} in ${parts.folder}`), parts.logger);
    parts.logger.info({ plugins: configs.map(({ name }) => name).join(',') }, 'Using credential provider plugins');
    return configs.toSorted((a, b) => compareUtf8(a.name, b.name)).map((config) => new CredentialPlugin(config, parts));
  } catch (error) {
    return failed(error, parts.logger);
  }
}
