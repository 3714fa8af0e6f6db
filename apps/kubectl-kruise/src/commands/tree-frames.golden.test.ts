/** What `tree -w` shows on a terminal, frame by frame, and how many bytes each frame takes. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { eventually, goldenText } from '@kruise/testing';
import { displayWidth } from '../print/display-width.ts';
import { EmulatedTerminal } from '../print/emulated-terminal.testing.ts';
import { kruiseRun, type RunResult } from '../testing.ts';
import { cluster, setLifecycle, pulling, removePod, setStatus, stopContainer, type Cluster } from './cluster.testing.ts';

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** One run of `tree -w` in front of a screen. */
class Watched {
  readonly screen: EmulatedTerminal;
  readonly #clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #resized = new Set<() => void>();
  readonly #running: Promise<RunResult>;
  #out = '';
  #shown = 0;
  #text = '';

  constructor({ api }: Cluster, line: string, { color = false, ...size }: Size & { readonly color?: boolean }) {
    this.screen = new EmulatedTerminal(size);
    this.#running = kruiseRun(api, line, {
      clock: this.#clock,
      signal: this.#stop.signal,
      terminal: () => ({ ...this.screen.size, color }),
      onResize: (listener) => {
        this.#resized.add(listener);
        return () => void this.#resized.delete(listener);
      },
      onOut: (text) => void (this.#out = text),
    });
  }

  /** Waits until the next frame is on the screen. @param title of the frame in the text @returns the bytes that it took */
  async frame(title: string): Promise<number> {
    await eventually(async () => {
      await this.#clock.step(milliseconds(100));
      return this.#out.length > this.#shown;
    });
    await this.screen.write(this.#out.slice(this.#shown));
    this.#shown = this.#out.length;
    const { columns, rows } = this.screen.size;
    const bytes = this.screen.takeBytes();
    this.#text += `${title}: ${columns} columns, ${rows} rows, ${bytes} bytes\n`;
    this.#text += this.screen
      .screen()
      .map((row) => `  ${row}\n`)
      .join('');
    return bytes;
  }

  resize(size: Size): void {
    this.screen.resize(size);
    for (const listener of this.#resized) listener();
  }

  /** Ctrl-C. @returns all frames as a text */
  async end(): Promise<string> {
    this.#stop.abort();
    expect((await this.#running).code).toBe(130);
    expect(this.#resized.size).toBe(0);
    this.screen.dispose();
    return this.#text;
  }
}

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/frames/${name}.txt`, import.meta.url), text));

/** `ESC[nnA`, `ESC[2K` and the end of the line. */
const moveBytes = 11;

/** A cause in characters of two columns each. */
const blocked = (reason: string, message: string): object => ({
  conditions: [{ type: 'Blocked', status: 'True', reason, message, lastTransitionTime: '2020-01-01T00:00:00Z' }],
});

describe('tree -w', () => {
  let watched: Watched | undefined;
  afterEach(() => watched?.screen.dispose());

  it.each([40, 120])('in %i columns shows a list that grows, shrinks and changes', async (columns) => {
    const served = cluster();
    served.addPod('web-1');
    served.addPod('web-3', pulling, { revision: 'web-b' });
    watched = new Watched(served, 'tree clone/web -w', { columns, rows: 30 });
    await watched.frame('First');
    served.addPod('web-2');
    await watched.frame('A Pod more');
    await stopContainer(served, 'web-2');
    await watched.frame('A Pod changes');
    await removePod(served, 'web-2');
    await removePod(served, 'web-1');
    await watched.frame('Two Pods fewer');
    golden(`list-${columns}`, await watched.end());
  });

  it.each([40, 120])('in %i columns cuts wide characters where a row ends', async (columns) => {
    const served = cluster(
      blocked(
        '等待确认新版本正常运行',
        '请先确认新版本在第一批节点上正常运行，然后把字段 spec.updateStrategy.paused 改为 false，更新才会继续',
      ),
    );
    served.addPod('web-1');
    watched = new Watched(served, 'tree clone/web -w', { columns, rows: 30 });
    await watched.frame('First');
    await setStatus(served, blocked('暂停', '更新已暂停'));
    await watched.frame('A shorter message');
    for (const row of watched.screen.screen()) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
    golden(`wide-${columns}`, await watched.end());
  });

  it('has colors, and none with NO_COLOR', async () => {
    const screens: (readonly string[])[] = [];
    for (const color of [true, false]) {
      const served = cluster();
      served.addPod('web-1');
      served.addPod('web-3', pulling, { revision: 'web-b' });
      watched = new Watched(served, 'tree clone/web -w', { columns: 60, rows: 30, color });
      await watched.frame('First');
      screens.push(watched.screen.coloredScreen(), watched.screen.screen());
      await watched.end();
    }
    const [colored, plainOfColored, uncolored, plain] = screens;
    golden('colors', `${(colored ?? []).join('\n')}\n`);
    expect(uncolored).toEqual(plain);
    expect(plainOfColored).toEqual(plain);
  });

  it('is drawn again as soon as the terminal has another size', async () => {
    const served = cluster();
    for (const name of ['web-1', 'web-2', 'web-4', 'web-5']) served.addPod(name);
    served.addPod('web-3', pulling, { revision: 'web-b' });
    watched = new Watched(served, 'tree clone/web -w', { columns: 80, rows: 20 });
    await watched.frame('First');
    watched.resize({ columns: 40, rows: 20 });
    await watched.frame('Narrower');
    watched.resize({ columns: 40, rows: 6 });
    await watched.frame('Lower');
    await setStatus(served, { readyReplicas: 3 });
    await watched.frame('The status changes');
    watched.resize({ columns: 100, rows: 20 });
    await watched.frame('Larger');
    golden('resized', await watched.end());
  });

  it('counts the lines that the screen has no room for', async () => {
    const served = cluster();
    for (let index = 10; index < 30; index++) served.addPod(`web-${index}`);
    watched = new Watched(served, 'tree clone/web -w --all', { columns: 60, rows: 10 });
    await watched.frame('First');
    served.addPod('web-30');
    await watched.frame('A Pod below the screen');
    await setLifecycle(served, 'web-11', 'PreparingUpdate');
    await watched.frame('A Pod on the screen');
    golden('more-lines', await watched.end());
  });

  it('rewrites changed lines alone: the bytes of a frame are those of its changed lines and of one move of the cursor for each', async () => {
    const served = cluster();
    for (let index = 10; index < 50; index++) served.addPod(`web-${index}`);
    watched = new Watched(served, 'tree clone/web -w --all', { columns: 100, rows: 100 });
    await watched.frame('First');
    const first = watched.screen.screen();
    for (const pods of [['web-20'], ['web-12', 'web-30', 'web-49']]) {
      const before = watched.screen.screen();
      for (const pod of pods) await setLifecycle(served, pod, 'PreparingUpdate');
      const bytes = await watched.frame('Changed');
      const changed = watched.screen.screen().filter((row, index) => row !== before[index]);
      expect(changed).toHaveLength(pods.length);
      const lineBytes = changed.reduce((sum, row) => sum + Buffer.byteLength(row), 0);
      expect(bytes).toBeLessThanOrEqual(lineBytes + changed.length * moveBytes + moveBytes);
    }
    expect(first.length).toBeGreaterThan(80);
    await watched.end();
  });
});
