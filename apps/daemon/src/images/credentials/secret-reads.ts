/**
 * Reads of Secrets by name, whole or their metadata alone, each made when it is needed and kept for 5 to 10 minutes. One that cannot be read is logged
 * once and left out.
 *
 * What is in a secret never gets into a log or a message.
 *
 * @see spec/daemon.md 5.3
 */
import type { Client, Clock, Logger } from '@kruise/kube';
import { agentLimits, milliseconds, seconds, secrets, type Milliseconds, type Secret } from '@kruise/objects';
import type { FairSlots } from '@kruise/process';
import type { SecretReference } from '../image-task.ts';

export interface SecretReadsParts {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** From 0 to below 1; Math.random when absent. */
  readonly random?: () => number;
}

/** The time limit of a read counts from its turn on: one client with a rate limit reads for all pulls. */
export interface ReadHow {
  readonly slots: FairSlots;
  readonly part?: 'Metadata';
}

interface Entry {
  /** Undefined when it could not be read. */
  readonly secret: Promise<Secret | undefined>;
  readonly readAt: Milliseconds;
  expiresAt: Milliseconds;
  isUnreadable: boolean;
  /** Undefined until it is read. */
  read: Secret | undefined;
}

const callTimeoutMs = 5_000;
/** A copy may still be under way when a NodeImage names it already. */
const unreadableFor = seconds(10);

const dataBytes = ({ data = {} }: Secret): number => Object.values(data).reduce((sum, text) => sum + text.length, 0);
const bytesOf = ({ read }: Entry): number => (read === undefined ? 0 : dataBytes(read));
const never = new AbortController().signal;

const keyOfReference = ({ namespace, name }: SecretReference): string => `${namespace}/${name}`;

export class SecretReads {
  readonly #parts: SecretReadsParts;
  readonly #how: ReadHow;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** References whose failure has been logged. */
  readonly #announced = new Set<string>();

  constructor(parts: SecretReadsParts, how: ReadHow) {
    this.#parts = parts;
    this.#how = how;
  }

  /** What was read and is still kept. */
  kept(reference: SecretReference): Secret | undefined {
    const entry = this.#entries.get(keyOfReference(reference));
    return entry !== undefined && entry.expiresAt > this.#parts.clock.monotonic() ? entry.read : undefined;
  }

  /** Undefined for one that cannot be read. Never rejects. @param tenants whose turn it is when reads wait */
  read(reference: SecretReference, tenants: readonly string[]): Promise<Secret | undefined> {
    const { clock } = this.#parts;
    const known = this.#entries.get(keyOfReference(reference));
    if (known !== undefined && known.expiresAt > clock.monotonic()) return known.secret;
    const entry = this.#put(reference, this.#inTurn(reference, tenants));
    void entry.secret.then((secret) => {
      entry.read = secret;
      if (secret !== undefined) return this.#makeRoom();
      entry.expiresAt = milliseconds(clock.monotonic() + unreadableFor);
      entry.isUnreadable = true;
    });
    return entry.secret;
  }

  /** Keeps what is known without a read. */
  keep(reference: SecretReference, secret: Secret): void {
    this.#put(reference, Promise.resolve(secret)).read = secret;
  }

  /** Drops what `named` does not have any more, and what was kept for its time. @param named keys */
  retain(named: ReadonlySet<string>): void {
    const now = this.#parts.clock.monotonic();
    for (const [key, { expiresAt }] of this.#entries) if (!named.has(key) || expiresAt <= now) this.#entries.delete(key);
    for (const key of this.#announced) if (!named.has(key)) this.#announced.delete(key);
  }

  forget(reference: SecretReference): void {
    this.#entries.delete(keyOfReference(reference));
  }

  /** Drops what was read before `moment`. */
  forgetOlder(references: readonly SecretReference[], moment: Milliseconds): void {
    this.#forget(references, ({ readAt }) => readAt <= moment);
  }

  /** Drops those that could not be read. */
  forgetUnreadable(references: readonly SecretReference[]): void {
    this.#forget(references, ({ isUnreadable }) => isUnreadable);
  }

  #forget(references: readonly SecretReference[], isMeant: (entry: Entry) => boolean): void {
    for (const key of references.map(keyOfReference)) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && isMeant(entry)) this.#entries.delete(key);
    }
  }

  #put(reference: SecretReference, secret: Promise<Secret | undefined>): Entry {
    const { clock, random = Math.random } = this.#parts;
    const readAt = clock.monotonic();
    const minutes = 5 + Math.floor(random() * 6);
    const entry: Entry = { secret, readAt, expiresAt: milliseconds(readAt + seconds(60 * minutes)), isUnreadable: false, read: undefined };
    const key = keyOfReference(reference);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Drops the oldest while all together hold too much. */
  #makeRoom(): void {
    let held = [...this.#entries.values()].reduce((sum, one) => sum + bytesOf(one), 0);
    for (const [key, one] of this.#entries) {
      if (held <= agentLimits.heldSecretBytes.value) break;
      const bytes = bytesOf(one);
      held -= bytes;
      if (bytes > 0) this.#entries.delete(key);
    }
  }

  async #inTurn(reference: SecretReference, tenants: readonly string[]): Promise<Secret | undefined> {
    const { slots } = this.#how;
    await slots.take(tenants, never);
    try {
      return await this.#fetch(reference);
    } finally {
      slots.release();
    }
  }

  async #fetch(reference: SecretReference): Promise<Secret | undefined> {
    const { part } = this.#how;
    const key = keyOfReference(reference);
    const options = { resourceVersion: '0', timeoutMs: callTimeoutMs, ...(part === undefined ? {} : { part }) };
    try {
      const secret = await this.#parts.client.get(secrets, reference, options);
      this.#announced.delete(key);
      return secret;
    } catch (error) {
      if (!this.#announced.has(key))
        this.#parts.logger.warn({ secret: key, error }, 'A pull secret cannot be read; images are pulled without it');
      this.#announced.add(key);
      return undefined;
    }
  }
}
