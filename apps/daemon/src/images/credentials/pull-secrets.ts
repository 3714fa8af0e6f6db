/**
 * The pull secrets that the NodeImage names, read for the tags that they serve. The name or the metadata shows that a secret is another namespace's, so
 * its data is not read. An entry is removed when the NodeImage no longer names the secret, and when a pull failed with its data.
 *
 * @see spec/daemon.md 5.3
 */
import { agentLimits, type Milliseconds, type Secret } from '@kruise/objects';
import { FairSlots } from '@kruise/process';
import type { SecretReference } from '../task/image-task.ts';
import { planReads, serves } from './plan-secrets.ts';
import { SecretReads, type SecretReadsParts } from './secret-reads.ts';

export class PullSecrets {
  readonly #logger: SecretReadsParts['logger'];
  readonly #whole: SecretReads;
  readonly #metadata: SecretReads;

  constructor(parts: SecretReadsParts) {
    const slots = new FairSlots(agentLimits.secretReads.value);
    this.#logger = parts.logger;
    this.#whole = new SecretReads(parts, { slots });
    this.#metadata = new SecretReads(parts, { slots, part: 'Metadata' });
  }

  /**
   * Reads the secrets of `references` that serve the tag. Never rejects.
   *
   * @param tenants namespaces of the jobs that request the tag
   * @param use extracts what is needed of a secret, so that no more is kept in memory
   * @returns the results of `use` for the secrets that can be read, in the order of `references`
   */
  async read<T>(references: readonly SecretReference[], tenants: readonly string[], use: (secret: Secret) => T): Promise<readonly T[]> {
    const { serving, unsure, leftOut } = planReads(references, tenants, (reference) => this.#known(reference));
    if (leftOut > 0) this.#logger.warn({ secrets: leftOut }, 'Skipped pull secrets beyond the bound of an image');
    const looked = await Promise.all(
      unsure.map(async (reference) => ({ reference, metadata: await this.#metadata.read(reference, tenants) })),
    );
    const found = looked.filter(({ metadata }) => metadata !== undefined && serves(tenants, metadata));
    const wanted = new Set([...serving, ...found.map(({ reference }) => reference)]);
    const used = await Promise.all(references.filter((each) => wanted.has(each)).map((each) => this.#use(each, tenants, use)));
    return used.flat();
  }

  /** Removes everything that the NodeImage no longer names. */
  retain(references: readonly SecretReference[]): void {
    const named = new Set(references.map(({ namespace, name }) => `${namespace}/${name}`));
    this.#whole.retain(named);
    this.#metadata.retain(named);
  }

  /** Removes what was read before `moment`: a pull that began then was refused with it. The metadata stays: a secret remains a copy of the same one. */
  forgetOlder(references: readonly SecretReference[], moment: Milliseconds): void {
    this.#whole.forgetOlder(references, moment);
  }

  /** Removes unreadable ones: the next attempt reads them again. */
  forgetUnreadable(references: readonly SecretReference[]): void {
    this.#whole.forgetUnreadable(references);
    this.#metadata.forgetUnreadable(references);
  }

  #known(reference: SecretReference): Secret | undefined {
    return this.#whole.kept(reference) ?? this.#metadata.kept(reference);
  }

  async #use<T>(reference: SecretReference, tenants: readonly string[], use: (secret: Secret) => T): Promise<readonly T[]> {
    const secret = await this.#whole.read(reference, tenants);
    if (secret === undefined) return [];
    if (serves(tenants, secret)) return [use(secret)];
    // It only has the name of a copy for this tag, by chance or by intent: it does not count the next time.
    this.#whole.forget(reference);
    this.#metadata.keep(reference, { apiVersion: 'v1', kind: 'Secret', metadata: secret.metadata });
    return [];
  }
}
