/** Reads the text of an expression, code point by code point. */
import { Re2Error } from './syntax.ts';

export class Reader {
  readonly #points: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#points = Array.from(text);
  }

  get done(): boolean {
    return this.#at >= this.#points.length;
  }

  /** The next code point, '' at the end. */
  get next(): string {
    return this.#points[this.#at] ?? '';
  }

  /** The position of the reader, for {@link back}. */
  get mark(): number {
    return this.#at;
  }

  back(mark: number): void {
    this.#at = mark;
  }

  /** Returns the text consumed since `mark`. */
  since(mark: number): string {
    return this.#points.slice(mark, this.#at).join('');
  }

  take(): string {
    const point = this.next;
    if (point === '') throw new Re2Error('unexpected end of expression');
    this.#at += 1;
    return point;
  }

  /** Returns whether the text continues with `text`, which is ASCII. Nothing is consumed. */
  starts(text: string): boolean {
    for (let i = 0; i < text.length; i += 1) if (this.#points[this.#at + i] !== text[i]) return false;
    return true;
  }

  /** Consumes `text` if it follows. */
  skip(text: string): boolean {
    if (!this.starts(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Consumes the text before `end`, and `end`; undefined, with nothing consumed, when `end` does not follow. */
  takeUntil(end: string): string | undefined {
    const mark = this.#at;
    let text = '';
    while (!this.done) {
      if (this.skip(end)) return text;
      text += this.take();
    }
    this.#at = mark;
    return undefined;
  }

  takeWhile(pattern: RegExp, atMost = Number.POSITIVE_INFINITY): string {
    let text = '';
    while (text.length < atMost && !this.done && pattern.test(this.next)) text += this.take();
    return text;
  }
}
