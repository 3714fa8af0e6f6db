/** Whether a test that controls the clock may let time pass. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pullImage } from './verbs/pull-image.ts';
import { CountingChannel, isQuiet, ScriptedRuntime } from './testing.ts';

let folder: string;
let runtime: ScriptedRuntime;
let channel: CountingChannel;

/** Ends the pulls that the script delays. */
let release: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'is-quiet-'));
  runtime = new ScriptedRuntime({ socket: join(folder, 'run.sock') });
  channel = new CountingChannel(runtime.socket);
  await runtime.start();
  const released = Promise.withResolvers<object>();
  release = () => released.resolve({ imageRef: 'sha256:1' });
  runtime.on('PullImage', () => released.promise);
});
afterEach(async () => {
  release();
  channel.close();
  await runtime.stop();
  rmSync(folder, { recursive: true });
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Begins a pull. @returns how to abort it, and its end */
function pull(imageRef: string): { readonly abort: () => void; readonly ended: Promise<unknown> } {
  const abort = new AbortController();
  const ended = pullImage(channel, { imageRef, sandbox: { labels: {}, annotations: {} } }, { signal: abort.signal }).catch(
    (error: unknown) => error,
  );
  return { abort: () => abort.abort(), ended };
}

/** Returns the answers of `isQuiet` in each turn until `holds`. */
async function untilThen(holds: () => boolean): Promise<ReadonlySet<boolean>> {
  const answers = new Set<boolean>();
  while (!holds()) {
    answers.add(isQuiet(runtime, [channel]));
    await turn();
  }
  return answers;
}

const arrived = (count: number): boolean => runtime.callsOf('PullImage').length === count;

describe('a runtime and its clients', () => {
  it('are not quiet before a request has arrived, and are while a script delays it', async () => {
    const { ended } = pull('nginx:1');
    expect(await untilThen(() => arrived(1))).toEqual(new Set([false]));
    expect(isQuiet(runtime, [channel])).toBe(true);
    release();
    await ended;
    await untilThen(() => isQuiet(runtime, [channel]));
    expect(runtime.waiting.size).toBe(0);
  });

  it('are not quiet before an abort has arrived', async () => {
    const { abort, ended } = pull('nginx:1');
    await untilThen(() => arrived(1));
    abort();
    await ended;
    expect(await untilThen(() => runtime.waiting.size === 0)).toEqual(new Set([false]));
    expect(isQuiet(runtime, [channel])).toBe(true);
  });

  it('are not quiet while a request follows the abort of another one', async () => {
    const first = pull('nginx:1');
    await untilThen(() => arrived(1));
    first.abort();
    pull('nginx:2');
    await first.ended;
    expect(await untilThen(() => arrived(2) && runtime.waiting.size === 1)).toEqual(new Set([false]));
    expect(isQuiet(runtime, [channel])).toBe(true);
  });

  it('are quiet when the runtime is stopped while a script delays a call', async () => {
    const { ended } = pull('nginx:1');
    await untilThen(() => arrived(1));
    await runtime.stop();
    await ended;
    expect(isQuiet(runtime, [channel])).toBe(true);
  });
});
