/**
 * Whether the Secrets still exist that tasks of older versions name; today's are shared copies, which are not looked up. Every node may name the same
 * ones, and each is passed over whenever its status changes, so an answer is believed for a while.
 */
import type { NodeImage } from '@kruise/api';
import { isFailure, type Client, type Clock } from '@kruise/kube';
import { formatKey, seconds, secrets } from '@kruise/objects';
import { imagesOf } from './node-image-tags.ts';

/** How long an answer holds; a reference to a Secret that is deleted stays as much longer. */
const believedFor = seconds(600);

interface Answer {
  readonly isGone: boolean;
  /** On the clock's monotonic scale. */
  readonly until: number;
}

export class SecretLookup {
  readonly #client: Pick<Client, 'get'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By key, in the order of their ends: one that is over leaves at the next question. */
  readonly #answers = new Map<string, Answer>();

  constructor({ client, clock }: { readonly client: Pick<Client, 'get'>; readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#client = client;
    this.#clock = clock;
  }

  /** @returns `<namespace>/<name>` of Secrets that are known to be gone; one that cannot be read counts as there */
  async goneSecrets(nodeImage: NodeImage, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const named = Object.values(imagesOf(nodeImage)).flatMap(({ pullSecrets = [] }) => pullSecrets.filter(({ mode }) => mode !== 'batch'));
    const gone = new Set<string>();
    for (const { namespace = '', name = '' } of named) {
      const text = formatKey({ namespace, name });
      if (!gone.has(text) && (await this.#isGone(text, { namespace, name }, signal))) gone.add(text);
    }
    return gone;
  }

  async #isGone(text: string, key: { readonly namespace: string; readonly name: string }, signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.monotonic();
    for (const [other, { until }] of this.#answers) {
      if (until > now) break;
      this.#answers.delete(other);
    }
    const known = this.#answers.get(text);
    if (known !== undefined) return known.isGone;
    const isGone = await this.#isMissing(key, signal);
    this.#answers.set(text, { isGone, until: this.#clock.monotonic() + believedFor });
    return isGone;
  }

  async #isMissing(key: { readonly namespace: string; readonly name: string }, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client.get(secrets, key, { signal });
      return false;
    } catch (error) {
      return isFailure(error, 'NotFound');
    }
  }
}
