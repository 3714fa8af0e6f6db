/** Patches of one object that admission tries on one template. Pure. */
import { stringifyLossless, type JsonObject } from '@kruise/objects';

/**
 * Tries each patch once, equal ones together, until templates and patches come to a number of bytes: a small object with many patches would otherwise
 * have a large template merged for each of them. The first patch is tried on a template of any size.
 */
export class PatchTrials<T> {
  readonly #template: unknown;
  readonly #mostBytes: number;
  readonly #results = new Map<string, T>();
  #templateBytes: number | undefined;
  #bytes = 0;
  #untried = 0;

  constructor(template: unknown, mostBytes: number) {
    this.#template = template;
    this.#mostBytes = mostBytes;
  }

  /** Patches that were not tried. */
  get untried(): number {
    return this.#untried;
  }

  /** Patches that were tried. */
  get tried(): number {
    return this.#results.size;
  }

  /** @returns undefined for a patch that is not tried */
  result(patch: JsonObject, attempt: () => T): T | undefined {
    const text = stringifyLossless(patch);
    const known = this.#results.get(text);
    if (known !== undefined) return known;
    this.#templateBytes ??= stringifyLossless(this.#template).length;
    const bytes = this.#bytes + this.#templateBytes + text.length;
    if (this.#results.size > 0 && bytes > this.#mostBytes) {
      this.#untried++;
      return undefined;
    }
    this.#bytes = bytes;
    const result = attempt();
    this.#results.set(text, result);
    return result;
  }
}
