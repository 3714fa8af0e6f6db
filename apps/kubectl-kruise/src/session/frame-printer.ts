/** Frames on a terminal: only the lines that changed are written. */
import type { Clock } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import { frameUpdate, linesThatFit } from '../print/live-frame.ts';
import type { Session, Terminal } from '../session.ts';

/** Keeps what the terminal shows. */
export class FramePrinter {
  readonly #session: Pick<Session, 'out'>;
  #shown: readonly string[] = [];
  #width = 0;

  constructor(session: Pick<Session, 'out'>) {
    this.#session = session;
  }

  /** @param all no wider than the terminal; those that do not fit its rows are counted in the last line */
  print(all: readonly string[], { columns, rows }: Pick<Terminal, 'columns' | 'rows'>): void {
    const lines = linesThatFit(all, rows);
    const isResized = this.#width !== 0 && this.#width !== columns;
    this.#session.out(isResized ? `\u001B[2J\u001B[H${frameUpdate([], lines)}` : frameUpdate(this.#shown, lines));
    this.#shown = lines;
    this.#width = columns;
  }
}

/** Changes within this time are drawn together. */
const gathering = milliseconds(100);

/** Calls `draw` after changes, until `follow` ends. @param follow calls `changed` at each change */
export async function gatherChanges(
  clock: Pick<Clock, 'schedule'>,
  draw: () => void,
  follow: (changed: () => void) => Promise<void>,
): Promise<void> {
  let timer: { cancel(): void } | undefined;
  try {
    await follow(() => {
      timer ??= clock.schedule(gathering, () => {
        timer = undefined;
        draw();
      });
    });
  } finally {
    timer?.cancel();
  }
}
