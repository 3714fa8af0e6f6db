/** What each measured informer reports, one JSON object a line: after its first list, and after it has seen the changes. */
export interface Filled {
  readonly objects: number;
  /** Of the process since its start, user and system. */
  readonly cpuSeconds: number;
  /** After a garbage collection. */
  readonly heapMB: number;
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

/**
 * The same measurement in each Node program; the command line is `<kubeconfig> <objects> <events>`. Needs --expose-gc.
 *
 * @param start lists and watches all Pods, and calls `changed` for every change; returns how many Pods it holds
 */
export async function measureInformer(start: (kubeconfig: string, changed: () => void) => Promise<number>): Promise<void> {
  const [kubeconfig = '', wanted, events] = process.argv.slice(2);
  const last = Promise.withResolvers<void>();
  let seen = 0;
  const objects = await start(kubeconfig, () => {
    if (++seen === Number(events)) last.resolve();
  });
  if (objects !== Number(wanted)) throw new Error(`${objects} of ${wanted} pods`);
  const cpuSeconds = cpuMicros() / 1e6;
  for (let collection = 0; collection < 2; collection++) void globalThis.gc?.();
  report({ objects, cpuSeconds, heapMB: process.memoryUsage().heapUsed / MB });
  const cpuAtStart = cpuMicros();
  await last.promise;
  report({ cpuMicrosPerEvent: (cpuMicros() - cpuAtStart) / Number(events) });
}
