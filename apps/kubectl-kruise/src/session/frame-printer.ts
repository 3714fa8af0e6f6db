/** Frames on a terminal: only the lines that changed are written. */
import { milliseconds } from '@kruise/objects';
import { frameUpdate, linesThatFit } from '../print/live-frame.ts';
import type { Session, Terminal } from '../session.ts';

/** After a change of its size, a terminal has moved the lines in its own way, and some of them off the screen. */
const clearScreen = '\u001B[2J\u001B[H';

/** Keeps what the terminal shows. */
export class FramePrinter {
  readonly #session: Pick<Session, 'out'>;
  #shown: readonly string[] = [];
  #size: Pick<Terminal, 'columns' | 'rows'> | undefined;

  constructor(session: Pick<Session, 'out'>) {
    this.#session = session;
  }

  /** @param all no wider than the terminal; those that do not fit its rows are counted in the last line */
  print(all: readonly string[], { columns, rows }: Pick<Terminal, 'columns' | 'rows'>): void {
    const lines = linesThatFit(all, rows);
    const isResized = this.#size !== undefined && (this.#size.columns !== columns || this.#size.rows !== rows);
    this.#session.out(isResized ? `${clearScreen}${frameUpdate([], lines)}` : frameUpdate(this.#shown, lines));
    this.#shown = lines;
    this.#size = { columns, rows };
  }
}

/** Changes within this time are drawn together. */
const gathering = milliseconds(100);

/** Calls `draw` after changes and new sizes of the terminal, until `follow` ends. @param follow calls `changed` at each change */
export async function gatherChanges(
  { clock, onResize }: Pick<Session, 'clock' | 'onResize'>,
  draw: () => void,
  follow: (changed: () => void) => Promise<void>,
): Promise<void> {
  let timer: { cancel(): void } | undefined;
  const changed = (): void => {
    timer ??= clock.schedule(gathering, () => {
      timer = undefined;
      draw();
    });
  };
  const endResize = onResize(changed);
  try {
    await follow(changed);
  } finally {
    endResize();
    timer?.cancel();
  }
}
