/**
 * Reads a list answer as a stream: splits `{"kind":"PodList",...,"items":[{...},{...}]}` into the bytes of its items while they arrive, so that
 * neither the whole text nor its parse tree is ever in memory. Fields may have any order (custom resources send `items` before `metadata`).
 *
 * States: outside -> (key "items" of the top-level object, then `[`) -> between items <-> in an item -> (`]`) -> outside.
 * The rest of the text, without the items, is kept and parsed at the end as the list's envelope.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from './json-bytes.ts';

/** Thrown for a text that is not a list, or ended too early. */
export class ListSyntaxError extends Error {
  override readonly name = 'ListSyntaxError';
}

type Where = 'Outside' | 'Between' | 'Item';

export class ListSplitter {
  #where: Where = 'Outside';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #done = false;
  /** Bytes of the current item that arrived in earlier chunks. */
  #item: Buffer[] = [];
  readonly #envelope: Buffer[] = [];
  #itemsSeen = false;
  readonly #keyTail = Buffer.alloc(7);

  /** Returns the items that `chunk` completes, in order, as views of `chunk` where possible. */
  *push(chunk: Buffer): Generator<Buffer, void, void> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#where === 'Outside') at = this.#scanEnvelope(chunk, at);
      else if (this.#where === 'Between') at = this.#scanBetween(chunk, at);
      else {
        const end = this.#scanItem(chunk, at);
        if (end < 0) {
          this.#item.push(chunk.subarray(at));
          return;
        }
        yield this.#takeItem(chunk.subarray(at, end));
        at = end;
      }
    }
  }

  /** Returns the text of the list without its items (`"items":[]`). Throws {@link ListSyntaxError} when the list did not end. */
  envelope(): Buffer {
    if (!this.#done) throw new ListSyntaxError('the list ended in the middle');
    return Buffer.concat(this.#envelope);
  }

  #takeItem(tail: Buffer): Buffer {
    if (this.#item.length === 0) return tail;
    const whole = Buffer.concat([...this.#item, tail]);
    this.#item = [];
    return whole;
  }

  /** Scans the bytes around the items. @returns where the items begin, or the end of the chunk */
  #scanEnvelope(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const opensItems = byte === OPEN_BRACKET && !this.#inString && this.#depth === 1 && !this.#itemsSeen && this.#afterItemsKey();
      this.#step(byte);
      this.#rememberKey(byte);
      if (opensItems) {
        this.#itemsSeen = true;
        this.#where = 'Between';
        at++;
        break;
      }
    }
    this.#envelope.push(chunk.subarray(from, at));
    return at;
  }

  #scanBetween(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === OPEN_BRACE) {
        this.#where = 'Item';
        return at;
      }
      if (byte === CLOSE_BRACKET) {
        this.#where = 'Outside';
        return at;
      }
      if (byte !== COMMA && byte !== undefined && byte > SPACE)
        throw new ListSyntaxError('a list contains something that is not an object');
    }
    return chunk.length;
  }

  /**
   * Scans the bytes of one item. It uses local variables, because this loop reads every byte of every object.
   * @returns the position after its last byte, or -1
   */
  #scanItem(chunk: Buffer, from: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    const length = chunk.length;
    let at = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (; at < length; at++) {
      const byte = chunk[at];
      if (inString) {
        if (byte === QUOTE) inString = false;
        else if (byte === BACKSLASH) at++;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE_BRACE && --depth === ITEM_DEPTH) {
        this.#depth = depth;
        this.#inString = false;
        this.#where = 'Between';
        return at + 1;
      }
    }
    this.#escaped = at > length;
    this.#depth = depth;
    this.#inString = inString;
    return -1;
  }

  #step(byte: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) this.#done = true;
  }

  /** Keeps the last bytes that are neither white space nor colon, to recognise `"items"` before a `[`. */
  #rememberKey(byte: number): void {
    if (byte <= SPACE || byte === COLON) return;
    this.#keyTail.copyWithin(0, 1);
    this.#keyTail[6] = byte;
  }

  #afterItemsKey(): boolean {
    return this.#keyTail.toString('latin1') === '"items"';
  }
}

/** Depth (braces and brackets) directly outside an item: the list's object and the items array. */
const ITEM_DEPTH = 2;
