/** Our store of all pods. Run with --expose-gc --max-semi-space-size=4. */
import { createClient, Informers, loadClusterConfig, SystemClock, type Logger } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { Measurement, parameters } from './measure.ts';

/** Failures are part of the result. */
const say = (fields: object, message: string): void => console.error(message, fields);
const logger: Logger = { error: say, warn: say, info: say, debug: () => undefined, child: () => logger };
const { kubeconfig, events } = parameters();
const measurement = new Measurement(events);
const client = createClient(loadClusterConfig({ path: kubeconfig }), { userAgent: 'kruise-bench' });
const informers = new Informers({ client, clock: new SystemClock(), logger });
const store = informers.store(pods);
const stop = new AbortController();
const ended = informers.run(stop.signal);
await informers.waitForSync(stop.signal);
store.subscribe(({ kind }) => kind === 'Updated' && measurement.event(), { replay: false });
measurement.filled(store.size);
await measurement.done.promise;
stop.abort();
await ended;
client.close();
