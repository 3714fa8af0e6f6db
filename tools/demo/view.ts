/** What the demo shows while it waits: a table that is redrawn in place on a terminal, plain lines elsewhere. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { styleText } from 'node:util';

/** The state of a scenario as text. */
export interface Picture {
  readonly summary: string;
  /** The headings first. */
  readonly table: readonly string[];
}

export interface View {
  show(picture: Picture): void;
  /** Ends the current table; what follows is written below it. */
  finish(): void;
}

/** Draws over what it drew before. Colours follow NO_COLOR and FORCE_COLOR. */
function terminalView(out: NodeJS.WriteStream): View {
  let drawn = 0;
  return {
    show({ summary, table: [headings = '', ...rows] }) {
      // A line that wraps would be counted as one and leave its rest on the screen.
      const lines = [summary, headings, ...rows].map((line) => line.slice(0, Math.max(20, (out.columns || 120) - 1)));
      const [first = '', second = '', ...others] = lines;
      moveCursor(out, 0, -drawn);
      clearScreenDown(out);
      out.write(`${[styleText('bold', first, { stream: out }), styleText('dim', second, { stream: out }), ...others].join('\n')}\n`);
      drawn = lines.length;
    },
    finish: () => (drawn = 0),
  };
}

/** One line whenever the summary changes, and the table at the end. */
export function lineView(write: (line: string) => void): View {
  let last: Picture | undefined;
  return {
    show(picture) {
      if (picture.summary !== last?.summary) write(`  ${picture.summary}`);
      last = picture;
    },
    finish() {
      for (const row of last?.table ?? []) write(`    ${row}`);
      last = undefined;
    },
  };
}

export const createView = (out: NodeJS.WriteStream, write: (line: string) => void): View =>
  out.isTTY ? terminalView(out) : lineView(write);
