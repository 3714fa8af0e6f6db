/** A terminal emulator as the screen of a test. */
import headless, { type IBufferLine, type Terminal } from '@xterm/headless';

/** Numbers of the sequences that set the color of the text, and what a test calls them. */
const colors: Readonly<Record<number, string>> = { 1: 'red', 2: 'green', 3: 'yellow' };

/** A run of characters of one color. */
interface ColoredText {
  readonly color: string;
  text: string;
}

/** What a user sees of the output of a program, and how many bytes it took. */
export class EmulatedTerminal {
  readonly #terminal: Terminal;
  #bytes = 0;

  constructor({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Resolves when the output is on the screen. */
  write(text: string): Promise<void> {
    this.#bytes += Buffer.byteLength(text);
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.#terminal.resize(columns, rows);
  }

  /** Returns the bytes that were written since the last call. */
  takeBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  /** Returns the rows of the screen, without spaces at their ends and empty rows at the end. */
  screen(): readonly string[] {
    const rows = this.#rows().map((row) => row.translateToString(true).trimEnd());
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  /** Returns the rows of the screen with colored texts as `[green:Ready]`. */
  coloredScreen(): readonly string[] {
    const rows = this.#rows().map((row) => this.#coloredRow(row));
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  /** Frees the emulator. */
  dispose(): void {
    this.#terminal.dispose();
  }

  #rows(): readonly IBufferLine[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => active.getLine(active.baseY + row)!);
  }

  #coloredRow(row: IBufferLine): string {
    const runs: ColoredText[] = [];
    for (let column = 0; column < row.length; column++) {
      const cell = row.getCell(column)!;
      if (cell.getWidth() === 0) continue;
      const color = cell.isFgPalette() ? (colors[cell.getFgColor()] ?? 'other') : '';
      const last = runs.at(-1);
      if (last?.color === color) last.text += cell.getChars() || ' ';
      else runs.push({ color, text: cell.getChars() || ' ' });
    }
    return runs
      .map(({ color, text }) => (color === '' ? text : `[${color}:${text}]`))
      .join('')
      .trimEnd();
  }
}
