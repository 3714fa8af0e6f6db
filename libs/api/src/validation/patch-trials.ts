/** The patches of one object, which admission tries on one template. Pure. */
import { stringifyLossless, type JsonObject } from '@kruise/objects';

/**
 * Tries each patch once, equal ones together, until templates and patches reach a number of bytes. Otherwise a small object with many patches would
 * cause a merge of a large template for each of them. The first patch is tried on a template of any size.
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

  /** Returns the number of patches that were not tried; equal ones count separately. */
  get untried(): number {
    return this.#untried;
  }

  /** Returns the number of different patches that were tried. */
  get tried(): number {
    return this.#results.size;
  }

  /** Returns the result of a patch. @returns undefined for a patch that is not tried */
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
