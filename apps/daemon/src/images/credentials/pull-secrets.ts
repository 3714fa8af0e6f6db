/**
 * The pull secrets that the NodeImage names, each read by its name alone, when it is needed, and kept for 5 to 10 minutes. One that cannot be
 * read is told once and left out. Entries leave when the NodeImage no longer names them, and when a pull failed with what they hold.
 *
 * What is in a secret never gets into a log or a message.
 *
 * @see spec/daemon.md 5.3
 */
import type { Client, Clock, Logger } from '@kruise/kube';
import { agentLimits, milliseconds, seconds, secrets, type Milliseconds, type Secret } from '@kruise/objects';
import { FairSlots } from '@kruise/process';
import type { SecretReference } from '../image-task.ts';

export interface PullSecretsParts {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** From 0 to below 1; Math.random when absent. */
  readonly random?: () => number;
}

interface Entry {
  /** Undefined when it could not be read. */
  readonly secret: Promise<Secret | undefined>;
  readonly readAt: Milliseconds;
  expiresAt: Milliseconds;
  isUnreadable: boolean;
  /** Of its data; 0 until it is read. */
  bytes: number;
}

const callTimeoutMs = 5_000;
/** A copy may still be under way when a NodeImage names it already. */
const unreadableFor = seconds(10);

const dataBytes = ({ data = {} }: Secret): number => Object.values(data).reduce((sum, text) => sum + text.length, 0);
const never = new AbortController().signal;

const keyOfReference = ({ namespace, name }: SecretReference): string => `${namespace}/${name}`;

export class PullSecrets {
  readonly #parts: PullSecretsParts;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** The time limit of a read counts from its turn on: one client with a rate limit reads for all pulls. */
  readonly #reads = new FairSlots(agentLimits.secretReads.value);
  /** References whose failure has been logged. */
  readonly #told = new Set<string>();

  constructor(parts: PullSecretsParts) {
    this.#parts = parts;
  }

  /** Those of `references` that can be read, in their order. Never rejects. @param tenants whose turn it is when reads wait */
  async read(references: readonly SecretReference[], tenants: readonly string[] = []): Promise<readonly Secret[]> {
    const read = await Promise.all(references.map((reference) => this.#entry(reference, tenants).secret));
    return read.filter((secret) => secret !== undefined);
  }

  /** Drops everything that the NodeImage does not name any more. */
  retain(references: readonly SecretReference[]): void {
    const named = new Set(references.map(keyOfReference));
    for (const key of this.#entries.keys()) if (!named.has(key)) this.#entries.delete(key);
    for (const key of this.#told) if (!named.has(key)) this.#told.delete(key);
  }

  /** Drops what was read before `moment`: a pull that began then was refused with it. */
  forgetOlder(references: readonly SecretReference[], moment: Milliseconds): void {
    for (const key of references.map(keyOfReference)) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && entry.readAt <= moment) this.#entries.delete(key);
    }
  }

  /** Drops those that could not be read: the next try looks for them again. */
  forgetUnreadable(references: readonly SecretReference[]): void {
    for (const key of references.map(keyOfReference)) if (this.#entries.get(key)?.isUnreadable === true) this.#entries.delete(key);
  }

  #entry(reference: SecretReference, tenants: readonly string[]): Entry {
    const { clock, random = Math.random } = this.#parts;
    const key = keyOfReference(reference);
    const known = this.#entries.get(key);
    if (known !== undefined && known.expiresAt > clock.monotonic()) return known;
    const readAt = clock.monotonic();
    const minutes = 5 + Math.floor(random() * 6);
    const expiresAt = milliseconds(readAt + seconds(60 * minutes));
    const entry: Entry = { secret: this.#inTurn(reference, tenants), readAt, expiresAt, isUnreadable: false, bytes: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    void entry.secret.then((secret) => {
      if (secret !== undefined) return this.#note(entry, dataBytes(secret));
      entry.expiresAt = milliseconds(clock.monotonic() + unreadableFor);
      entry.isUnreadable = true;
    });
    return entry;
  }

  /** Lets the oldest go while all together hold too much. */
  #note(entry: Entry, bytes: number): void {
    entry.bytes = bytes;
    let held = [...this.#entries.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [key, one] of this.#entries) {
      if (held <= agentLimits.heldSecretBytes.value) break;
      held -= one.bytes;
      if (one.bytes > 0) this.#entries.delete(key);
    }
  }

  async #inTurn(reference: SecretReference, tenants: readonly string[]): Promise<Secret | undefined> {
    await this.#reads.take(tenants, never);
    try {
      return await this.#fetch(reference);
    } finally {
      this.#reads.release();
    }
  }

  async #fetch(reference: SecretReference): Promise<Secret | undefined> {
    const key = keyOfReference(reference);
    try {
      const secret = await this.#parts.client.get(secrets, reference, { resourceVersion: '0', timeoutMs: callTimeoutMs });
      this.#told.delete(key);
      return secret;
    } catch (error) {
      if (!this.#told.has(key))
        this.#parts.logger.warn({ secret: key, error }, 'A pull secret cannot be read; images are pulled without it');
      this.#told.add(key);
      return undefined;
    }
  }
}
