/**
 * Which authorities the API server trusts while one replaces the other.
 *
 *   first certificate       new
 *   new authority announced new + old      the server still presents the old certificate
 *   new one installed       either is kept where it is found: other replicas may be a little behind
 *   a minute later          new
 */
import type { Clock } from '@kruise/kube';
import type { CaBundles } from './plan-crd-conversion.ts';

const overlapMs = 60_000;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const joined = (first: string, second: string): string => `${first.trimEnd()}\n${second.trimEnd()}\n`;

export class BundleRotation {
  readonly #clock: Clock;
  #announced: string | undefined;
  #serving: string | undefined;
  #retiring: { readonly caCert: string; readonly untilMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** PEM of the authority of the certificate that the server presents; undefined before the first. */
  get serving(): string | undefined {
    return this.#serving;
  }

  /** Announces an authority. @returns whether the server presents a certificate of another authority, which has to stay until both are trusted */
  announce(caCert: string): boolean {
    this.#announced = caCert;
    if (this.#serving === undefined || this.#serving === caCert) return false;
    this.#retiring = { caCert: this.#serving, untilMs: this.#clock.now() + overlapMs };
    return true;
  }

  /** Reports that the server presents a certificate of this authority from now on. */
  installed(caCert: string): void {
    this.#serving = caCert;
  }

  /** The announced authority only. */
  get caBundle(): string {
    return base64(this.#announced ?? '');
  }

  get bundles(): CaBundles {
    const retiring = this.#retiring !== undefined && this.#retiring.untilMs > this.#clock.now() ? this.#retiring : undefined;
    if (this.#announced === undefined || retiring === undefined) return { caBundle: this.caBundle };
    const both = base64(joined(this.#announced, retiring.caCert));
    return this.#serving === this.#announced ? { caBundle: this.caBundle, toleratedBundle: both } : { caBundle: both };
  }

  /** When to remove the old authority, in milliseconds since the epoch; undefined when there is none. */
  get retiresAtMs(): number | undefined {
    const untilMs = this.#retiring?.untilMs;
    return untilMs !== undefined && untilMs > this.#clock.now() ? untilMs : undefined;
  }
}
