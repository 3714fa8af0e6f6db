/**
 * What is made while it watches, and keeps the process alive: timers, sockets, servers, child processes, watchers, worker threads. Each is reported with
 * the place that made it. What was unreferenced keeps nothing alive and is not reported.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';

interface SocketName {
  readonly address?: string;
  readonly port?: number;
}

/** What Node gives to those who watch: a timer, or the native side of a handle. */
interface Referenced {
  readonly hasRef: () => boolean;
  readonly getsockname?: (out: SocketName) => number;
}

interface Made {
  readonly type: string;
  readonly resource: Referenced;
  /** Its stack is made into text only when it is read. */
  readonly where: Error;
}

/** Enough to get out of Node's own frames. */
const stackDepth = 20;
const framesShown = 3;
const pollMs = 20;

/** Over by the next turn of the loop, and made in great numbers. */
const endsByItself = 'Immediate';

const isReferenced = (resource: object): resource is Referenced => typeof (resource as Partial<Referenced>).hasRef === 'function';

function whereNow(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = stackDepth;
  const where = new Error();
  Error.stackTraceLimit = limit;
  return where;
}

/** Frames that are not of Node itself, the innermost first. */
const framesOf = ({ stack = '' }: Error): readonly string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at .*[(/]/.test(line) && !line.includes('node:') && !line.includes(import.meta.filename))
    .map((line) => line.trim());

const isOfJest = (frame = ''): boolean => /[/\\]node_modules[/\\](@jest[/\\]|jest-)/.test(frame);

/**
 * A connection that a server has accepted. Its server and its client are reported where they were made; of one that HTTP/2 has taken over, Node
 * may never say that it was closed.
 */
const isAccepted = ({ type, where }: Made): boolean => type === 'TCPWRAP' && framesOf(where).length === 0;

/** e.g. ` at 127.0.0.1:8443`; '' for what has no address. */
function addressOf(resource: Referenced): string {
  const name: SocketName = {};
  resource.getsockname?.(name);
  return name.port === undefined ? '' : ` at ${name.address}:${name.port}`;
}

function inWords({ type, resource, where }: Made): string {
  const frames = framesOf(where).filter((frame) => !/[/\\]node_modules[/\\]/.test(frame));
  return `${type}${addressOf(resource)} made ${frames.length === 0 ? 'by Node itself' : frames.slice(0, framesShown).join(' ')}`;
}

export class OpenHandles {
  readonly #made = new Map<number, Made>();
  readonly #hook: AsyncHook;
  #isPaused = false;

  /** Watches from now on. */
  constructor() {
    // Node makes these when they are first requested, which may be in the middle of a test, and never closes them.
    void [process.stdout, process.stderr];
    this.#hook = createHook({
      init: (id: number, type: string, _trigger: number, resource: object): void => {
        if (!this.#isPaused && type !== endsByItself && isReferenced(resource)) this.#made.set(id, { type, resource, where: whereNow() });
      },
      destroy: (id: number): void => void this.#made.delete(id),
      // Promises keep no process alive, and watching them takes ten times as long as running them.
      trackPromises: false,
    });
    this.#hook.enable();
  }

  /** What is open at this moment, in the order in which it was made: e.g. `Timeout made at wait (libs/x/src/wait.ts:3:9)`. */
  open(): readonly string[] {
    return [...this.#made.values()]
      .filter((made) => made.resource.hasRef() && !isAccepted(made) && !isOfJest(framesOf(made.where)[0]))
      .map(inWords);
  }

  /** {@link open}, after what is being closed has had `graceMs` for it; sooner when nothing is open. */
  async openAfter(graceMs: number): Promise<readonly string[]> {
    const deadline = performance.now() + graceMs;
    for (;;) {
      const open = this.open();
      if (open.length === 0 || performance.now() > deadline) return open;
      await new Promise((resolve) => this.#unwatched(() => setTimeout(resolve, pollMs)));
    }
  }

  #unwatched(make: () => unknown): void {
    this.#isPaused = true;
    make();
    this.#isPaused = false;
  }

  stop(): void {
    this.#hook.disable();
    this.#made.clear();
  }
}
