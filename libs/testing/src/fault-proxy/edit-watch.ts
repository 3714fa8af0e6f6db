/** Passes on a watch event by event. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import type { Fault, WatchedEvent } from './rules.ts';

type Edit = Extract<Fault, { kind: 'WatchEvents' }>['edit'];

/** Copies the lines of `from` to `to` with the changes of `edit`. Returns `end` when the watch must end properly, `break` when it must break. */
export async function editWatch(from: Readable, to: Writable, edit: Edit): Promise<'end' | 'break'> {
  let index = 0;
  for await (const line of linesOf(from)) {
    const done = await passOn(line, to, (event) => edit(event, index));
    if (done !== undefined) return done;
    index++;
  }
  return 'end';
}

async function passOn(line: string, to: Writable, edit: (event: WatchedEvent) => ReturnType<Edit>): Promise<'end' | 'break' | undefined> {
  const what = edit(JSON.parse(line) as WatchedEvent);
  if (what === 'break' || what === 'end') return what as 'break' | 'end';
  if (what === 'drop') return undefined;
  if (typeof what === 'object' && 'delayMs' in what) await sleep(what.delayMs);
  const sent = typeof what === 'object' && 'replace' in what ? JSON.stringify(what.replace) : line;
  to.write(what === 'duplicate' ? `${line}\n${line}\n` : `${sent}\n`);
  return undefined;
}

async function* linesOf(from: Readable): AsyncGenerator<string, void, void> {
  let held = '';
  for await (const chunk of from.setEncoding('utf8')) {
    const lines = (held + (chunk as string)).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
