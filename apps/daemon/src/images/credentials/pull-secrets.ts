/**
 * The pull secrets that the NodeImage names, read for the tags that they serve: another namespace's secrets are known by name or metadata, and what they hold is
 * not read. Entries leave when the NodeImage no longer names them, and when a pull failed with what they hold.
 *
 * @see spec/daemon.md 5.3
 */
import { agentLimits, type Milliseconds, type Secret } from '@kruise/objects';
import { FairSlots } from '@kruise/process';
import type { SecretReference } from '../image-task.ts';
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
   * Never rejects.
   *
   * @param tenants namespaces of the jobs that ask for the tag
   * @param use takes from each secret what is needed of it, so that no more is held
   * @returns of those of `references` that serve the tag and can be read, in their order
   */
  async read<T>(references: readonly SecretReference[], tenants: readonly string[], use: (secret: Secret) => T): Promise<readonly T[]> {
    const { serving, unsure, leftOut } = planReads(references, tenants, (reference) => this.#known(reference));
    if (leftOut > 0) this.#logger.warn({ secrets: leftOut }, 'Left out pull secrets beyond the bound of an image');
    const looked = await Promise.all(
      unsure.map(async (reference) => ({ reference, metadata: await this.#metadata.read(reference, tenants) })),
    );
    const found = looked.filter(({ metadata }) => metadata !== undefined && serves(tenants, metadata));
    const wanted = new Set([...serving, ...found.map(({ reference }) => reference)]);
    const used = await Promise.all(references.filter((each) => wanted.has(each)).map((each) => this.#use(each, tenants, use)));
    return used.flat();
  }

  /** Drops everything that the NodeImage no longer names. */
  retain(references: readonly SecretReference[]): void {
    const named = new Set(references.map(({ namespace, name }) => `${namespace}/${name}`));
    this.#whole.retain(named);
    this.#metadata.retain(named);
  }

  /** Drops what was read before `moment`: a pull that began then was refused with it. Whose copy a secret is does not change. */
  forgetOlder(references: readonly SecretReference[], moment: Milliseconds): void {
    this.#whole.forgetOlder(references, moment);
  }

  /** Drops unreadable ones: the next attempt reads them again. */
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
    // Its name is that of a copy for this tag by chance, or by intent: it does not count the next time.
    this.#whole.forget(reference);
    this.#metadata.keep(reference, { apiVersion: 'v1', kind: 'Secret', metadata: secret.metadata });
    return [];
  }
}
