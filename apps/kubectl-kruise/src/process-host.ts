/** The process around a run: its streams, signals and files. */
import { writeSync } from 'node:fs';
import { pipeClosed, type Host } from './run-program.ts';
import type { Terminal } from './session.ts';

/** Ctrl-C and a closed pipe both end the run. */
function endings(): { readonly signal: AbortSignal; readonly pipeClosed: () => void; readonly end: () => void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const end = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  return { signal: controller.signal, pipeClosed: () => controller.abort(pipeClosed), end };
}

/** Writes all of a text; if the reader has closed the pipe, the program ends silently, as other programs do. */
function writeAll(descriptor: number, text: string, onBrokenPipe: () => void): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') continue;
      onBrokenPipe();
      return;
    }
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A terminal that hides its size gets the usual one. */
function terminal(): Terminal | undefined {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY ? { columns: columns || 80, rows: rows || 24, color: (process.env['NO_COLOR'] ?? '') === '' } : undefined;
}

/** Node notices the signal of a new size itself, if stdout is a terminal. */
function onResize(listener: () => void): () => void {
  process.stdout.on('resize', listener);
  return () => void process.stdout.off('resize', listener);
}

/** The host of a real run; `end` lets go of the signals. */
export function processHost(): Host & { readonly end: () => void } {
  const { signal, pipeClosed: onBrokenPipe, end } = endings();
  const warn = (line: string): void => writeAll(2, `${line}\n`, () => undefined);
  return {
    out: (text) => writeAll(1, text, onBrokenPipe),
    terminal,
    onResize,
    warn,
    stdin: readStdin,
    clock: async () => (await import('./session/system-clock.ts')).systemClock(),
    env: process.env,
    signal,
    connect: async (flags) => {
      const { connect } = await import('./session/connect.ts');
      return connect(flags, { env: process.env, warn });
    },
    discover: async (client, stop) => (await import('./session/discover.ts')).discover(client, stop),
    kubectl: async (args, how) => (await import('./session/kubectl.ts')).runKubectl(args, how),
    end,
  };
}
