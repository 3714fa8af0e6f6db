/** What each measured program reports, one JSON object a line: after its first list, and after it has seen the changes. */
export interface Filled {
  readonly phase: 'filled';
  readonly objects: number;
  /** Of the process since its start, user and system. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** After a garbage collection. */
  readonly heapMB: number;
  readonly rssMB: number;
  readonly peakRssMB: number;
}

export interface Watched {
  readonly phase: 'watched';
  readonly events: number;
  readonly cpuMicrosPerEvent: number;
  readonly heapMB: number;
  readonly rssMB: number;
  readonly peakRssMB: number;
}

const MB = 1024 * 1024;

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function memory(): { readonly heapMB: number; readonly rssMB: number; readonly peakRssMB: number } {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  const peakRssMB = (process.resourceUsage().maxRSS * 1024) / MB;
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMB: heapUsed / MB, rssMB: rss / MB, peakRssMB };
}

const report = (line: Filled | Watched): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Reads the command line `<kubeconfig> <objects> <events>`. */
export function parameters(): { readonly kubeconfig: string; readonly objects: number; readonly events: number } {
  const [kubeconfig = '', objects = '10000', events = '1500'] = process.argv.slice(2);
  return { kubeconfig, objects: Number(objects), events: Number(events) };
}

/** The same measurements in each Node program. `filled` once the list is in; then `event` per change, the program ends with the last. */
export class Measurement {
  readonly #began = performance.now();
  readonly #events: number;
  #seen = 0;
  #cpuAtStart = 0;
  readonly done = Promise.withResolvers<void>();

  constructor(events: number) {
    this.#events = events;
  }

  filled(objects: number): void {
    const wallSeconds = (performance.now() - this.#began) / 1000;
    const cpu = cpuSeconds();
    report({ phase: 'filled', objects, cpuSeconds: cpu, wallSeconds, ...memory() });
    this.#cpuAtStart = cpuSeconds();
  }

  event(): void {
    if (++this.#seen !== this.#events) return;
    const cpuMicrosPerEvent = ((cpuSeconds() - this.#cpuAtStart) * 1e6) / this.#events;
    report({ phase: 'watched', events: this.#events, cpuMicrosPerEvent, ...memory() });
    this.done.resolve();
  }
}
