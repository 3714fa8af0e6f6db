/**
 * Splits a ConversionReview without parsing it as a whole, which would block everything else and take ten times its memory: finds where the objects
 * of `request.objects` are, and what surrounds them.
 */

/** The position of one object in the body, up to but not including `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type SplitReview =
  | {
      readonly kind: 'Split';
      readonly objects: readonly Range[];
      /** The review, with an empty list of objects. */ readonly envelope: string;
    }
  /** It is no JSON of this form, or nested too deeply. */
  | { readonly kind: 'Faulty' }
  | { readonly kind: 'TooLarge'; readonly why: string };

export interface SplitLimits {
  readonly objects: number;
  readonly objectBytes: number;
  readonly nesting: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const listBegin = 0x5b;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === listBegin;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The review, its request and the list are around an object. */
const depthOfList = 3;
/** Maximum of everything that is not an object. */
const mostEnvelopeBytes = 64 * 1024;

/** Scans the bytes once, in steps as long as the caller wants. */
export class ReviewSplitter {
  readonly #body: Buffer;
  readonly #limits: SplitLimits;
  #at = 0;
  #depth = 0;
  /** The keys that lead to the current position, at depths 1 and 2. */
  readonly #path: string[] = [];
  #text = '';
  #objects: Range[] = [];
  /** The range of the list, without its brackets. */
  #list: { readonly start: number; end: number } | undefined;
  #inList = false;
  #element: number | undefined;
  #failure: SplitReview | undefined;

  constructor(body: Buffer, limits: SplitLimits) {
    this.#body = body;
    this.#limits = limits;
  }

  /** Scans further bytes. @returns undefined as long as there is more to scan */
  advance(bytes: number): SplitReview | undefined {
    const end = Math.min(this.#body.length, this.#at + bytes);
    while (this.#at < end && this.#failure === undefined) this.#next();
    if (this.#failure !== undefined) return this.#failure;
    return this.#at < this.#body.length ? undefined : this.#finished();
  }

  #next(): void {
    const at = this.#at;
    const byte = this.#body[at] as number;
    this.#at = at + 1;
    if (isBlank(byte)) return;
    if (this.#inList && this.#depth === depthOfList) {
      if (byte === comma) return this.#endElement(at, true);
      if (isClosing(byte)) return this.#endList(at);
      this.#element ??= at;
    }
    if (byte === quote) this.#string(at);
    else if (isOpening(byte)) this.#open(byte);
    else if (isClosing(byte)) this.#depth--;
    else if (byte === colon && this.#depth < depthOfList) this.#path[this.#depth] = this.#text;
  }

  #string(at: number): void {
    let end = this.#body.indexOf(quote, at + 1);
    while (end !== -1 && this.#isEscaped(end)) end = this.#body.indexOf(quote, end + 1);
    this.#at = end === -1 ? this.#body.length : end + 1;
    if (this.#depth < depthOfList) this.#text = this.#body.toString('latin1', at + 1, Math.min(this.#at - 1, at + 20));
  }

  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#body[first - 1] === backslash) first--;
    return (at - first) % 2 === 1;
  }

  #open(byte: number): void {
    this.#depth++;
    if (this.#depth > this.#limits.nesting) this.#failure = { kind: 'Faulty' };
    if (this.#inList || this.#depth !== depthOfList || byte !== listBegin) return;
    if (this.#path[1] !== 'request' || this.#path[2] !== 'objects') return;
    // The key occurs twice: another reader may use the other.
    if (this.#list !== undefined) this.#failure = { kind: 'Faulty' };
    this.#inList = true;
    this.#list = { start: this.#at, end: this.#at };
  }

  #endElement(end: number, isMoreToCome: boolean): void {
    if (this.#element === undefined) {
      if (isMoreToCome || this.#objects.length > 0) this.#failure = { kind: 'Faulty' };
      return;
    }
    const { objects, objectBytes } = this.#limits;
    if (end - this.#element > objectBytes) this.#failure = { kind: 'TooLarge', why: `an object has more than ${objectBytes} bytes` };
    if (this.#objects.length >= objects) this.#failure = { kind: 'TooLarge', why: `it has more than ${objects} objects` };
    this.#objects.push({ start: this.#element, end });
    this.#element = undefined;
  }

  #endList(at: number): void {
    this.#endElement(at, false);
    this.#inList = false;
    this.#depth--;
    if (this.#list !== undefined) this.#list.end = at;
  }

  #finished(): SplitReview {
    if (this.#list === undefined || this.#inList || this.#depth !== 0) return { kind: 'Faulty' };
    const { start, end } = this.#list;
    if (this.#body.length - (end - start) > mostEnvelopeBytes)
      return { kind: 'TooLarge', why: `it has more than ${mostEnvelopeBytes} bytes beside its objects` };
    return {
      kind: 'Split',
      objects: this.#objects,
      envelope: `${this.#body.toString('utf8', 0, start)}${this.#body.toString('utf8', end)}`,
    };
  }
}
