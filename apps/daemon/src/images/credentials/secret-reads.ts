/**
 * Reads Secrets by name, complete or only their metadata, when they are needed, and keeps them for 5 to 10 minutes. One that cannot be read is logged
 * once and omitted.
 *
 * The data of a secret never appears in a log or a message.
 *
 * @see spec/daemon.md 5.3
 */
import type { Client, Clock, Logger } from '@kruise/kube';
import { agentLimits, milliseconds, seconds, secrets, type Milliseconds, type Secret } from '@kruise/objects';
import type { FairSlots } from '@kruise/process';
import type { SecretReference } from '../task/image-task.ts';

export interface SecretReadsParts {
  readonly client: Pick<Client, 'get'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Returns a number from 0 to below 1. Default: Math.random. */
  readonly random?: () => number;
}

/** How secrets are read. The time limit of a read begins with its turn: one client with a rate limit reads for all pulls. */
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
/** The copy may not exist yet when a NodeImage already names it. */
const unreadableFor = seconds(10);

const dataBytes = ({ data = {} }: Secret): number => Object.values(data).reduce((sum, text) => sum + text.length, 0);
const bytesOf = ({ read }: Entry): number => (read === undefined ? 0 : dataBytes(read));
const never = new AbortController().signal;

const keyOfReference = ({ namespace, name }: SecretReference): string => `${namespace}/${name}`;

export class SecretReads {
  readonly #parts: SecretReadsParts;
  readonly #how: ReadHow;
  /** In the order in which they were read. */
  readonly #entries = new Map<string, Entry>();
  /** References whose failure has been logged. */
  readonly #announced = new Set<string>();

  constructor(parts: SecretReadsParts, how: ReadHow) {
    this.#parts = parts;
    this.#how = how;
  }

  /** Returns the secret if it was read and is still kept. */
  kept(reference: SecretReference): Secret | undefined {
    const entry = this.#entries.get(keyOfReference(reference));
    return entry !== undefined && entry.expiresAt > this.#parts.clock.monotonic() ? entry.read : undefined;
  }

  /**
   * Returns the kept secret, or reads it. Never rejects.
   *
   * @param tenants the namespaces whose turn the read uses when reads wait
   * @returns undefined when it cannot be read
   */
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

  /** Keeps a secret that is known without a read. */
  keep(reference: SecretReference, secret: Secret): void {
    this.#put(reference, Promise.resolve(secret)).read = secret;
  }

  /** Removes what `named` no longer contains, and what has expired. @param named keys */
  retain(named: ReadonlySet<string>): void {
    const now = this.#parts.clock.monotonic();
    for (const [key, { expiresAt }] of this.#entries) if (!named.has(key) || expiresAt <= now) this.#entries.delete(key);
    for (const key of this.#announced) if (!named.has(key)) this.#announced.delete(key);
  }

  forget(reference: SecretReference): void {
    this.#entries.delete(keyOfReference(reference));
  }

  /** Removes what was read before `moment`. */
  forgetOlder(references: readonly SecretReference[], moment: Milliseconds): void {
    this.#forget(references, ({ readAt }) => readAt <= moment);
  }

  /** Removes those that could not be read. */
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

  /** Removes the oldest ones while all together exceed the maximum. */
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
        this.#parts.logger.warn({ secret: key, error }, 'Failed to read a pull secret; pulling images without it');
      this.#announced.add(key);
      return undefined;
    }
  }
}
