/**
 * Handles answers of ExecSync as an agent does, in a process of its own, for `exec-memory.int.test.ts`. It runs ten parallel commands that print 16
 * MiB each, and one that prints without end, at the runtime whose socket is the first argument. Prints one {@link Measured} as JSON.
 */
import { readFileSync } from 'node:fs';
import { CriChannel } from '../cri-channel.ts';
import { CriError, type CriFailure } from '../cri-error.ts';
import { execSync } from '../verbs/exec-sync.ts';

/** The results of the commands. */
export interface Measured {
  /** Resident memory before, and the maximum since the start of the process. */
  readonly before: number;
  readonly peak: number;
  /** Bytes kept of each output. */
  readonly kept: readonly number[];
  readonly areCut: readonly boolean[];
  readonly endless: CriFailure | undefined;
  /** Commands that are still running in the runtime afterwards. */
  readonly leftBehind: number;
}

const count = 10;
/** A limit for calls that hang. The endless one is aborted because of its output long before, however slow the machine is. */
const longestMs = 240_000;
const cri = new CriChannel(process.argv[2] ?? '');
/** Without a limit, as hooks are run, except for calls that hang. */
const run = (command: readonly string[], timeoutMs = 0) => execSync(cri, { containerId: 'c', command, timeoutSeconds: 0 }, { timeoutMs });

async function failureOf(work: Promise<unknown>): Promise<CriFailure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof CriError) return error.failure;
    throw error;
  }
}

/** The runtime notices an aborted call a moment later. */
async function countRunning(): Promise<number> {
  for (let asked = 0; ; asked++) {
    const { exitCode } = await run(['running']);
    if (exitCode === 0 || asked === 1000) return exitCode;
  }
}

/** `maxRSS` of `resourceUsage` would include the process that started this one: Linux keeps the maximum over `exec`. */
const peakMemory = (): number => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

await run(['running']);
const before = process.memoryUsage.rss();
const floods = Promise.all(Array.from({ length: count }, () => run(['flood', String(count)])));
const [results, endless] = await Promise.all([floods, failureOf(run(['endless'], longestMs))]);
const measured: Measured = {
  before,
  peak: peakMemory(),
  kept: results.map(({ stdout }) => stdout.length),
  areCut: results.map(({ isCut }) => isCut === true),
  endless,
  leftBehind: await countRunning(),
};
process.stdout.write(JSON.stringify(measured));
cri.close();
