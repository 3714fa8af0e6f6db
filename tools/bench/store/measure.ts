/** What each measured program reports, one JSON object a line: after its first list, and after it has seen the changes. */
export interface Filled {
  readonly objects: number;
  /** Of the process since its start, user and system. */
  readonly cpuSeconds: number;
  /** After a garbage collection. */
  readonly heapMB: number;
  readonly peakRssMB: number;
}

export interface Watched {
  readonly cpuMicrosPerEvent: number;
}

const MB = 1024 * 1024;

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

const report = (line: Filled | Watched): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Reads the command line `<kubeconfig> <objects> <events>`. */
export function parameters(): { readonly kubeconfig: string; readonly objects: number; readonly events: number } {
  const [kubeconfig = '', objects = '10000', events = '1500'] = process.argv.slice(2);
  return { kubeconfig, objects: Number(objects), events: Number(events) };
}

/** The same measurements in each Node program. `filled` once the list is in; then `event` per change, the program ends with the last. */
export class Measurement {
  readonly #events: number;
  #seen = 0;
  #cpuAtStart = 0;
  readonly done = Promise.withResolvers<void>();

  constructor(events: number) {
    this.#events = events;
  }

  filled(objects: number): void {
    const cpuSeconds = cpuMicros() / 1e6;
    const peakRssMB = (process.resourceUsage().maxRSS * 1024) / MB;
    const { gc: collect } = globalThis;
    if (collect === undefined) throw new Error('run with --expose-gc');
    void collect();
    void collect();
    report({ objects, cpuSeconds, heapMB: process.memoryUsage().heapUsed / MB, peakRssMB });
    this.#cpuAtStart = cpuMicros();
  }

  event(): void {
    if (++this.#seen !== this.#events) return;
    report({ cpuMicrosPerEvent: (cpuMicros() - this.#cpuAtStart) / this.#events });
    this.done.resolve();
  }
}
