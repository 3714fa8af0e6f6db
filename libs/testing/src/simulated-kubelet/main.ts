/** The simulated kubelet as a program: `main.ts --kubeconfig FILE --nodes N [--prefix NAME] [--start-delay-ms N] [--stop-delay-ms N] [--taint]`. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ApiClient } from '../cluster/api-client.ts';
import { parseKubeconfig } from '../cluster/credentials/kubeconfig.ts';
import { SimulatedKubelet } from './simulated-kubelet.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    nodes: { type: 'string' },
    prefix: { type: 'string' },
    'start-delay-ms': { type: 'string' },
    'stop-delay-ms': { type: 'string' },
    taint: { type: 'boolean', default: false },
  },
});

const api = new ApiClient(parseKubeconfig(readFileSync(values.kubeconfig ?? '', 'utf8')));
const kubelet = new SimulatedKubelet(api, {
  nodes: Number(values.nodes),
  taint: values.taint,
  log: (line) => console.error(`${new Date().toISOString()} ${line}`),
  ...(values.prefix === undefined ? {} : { prefix: values.prefix }),
  ...(values['start-delay-ms'] === undefined ? {} : { startDelayMs: Number(values['start-delay-ms']) }),
  ...(values['stop-delay-ms'] === undefined ? {} : { stopDelayMs: Number(values['stop-delay-ms']) }),
});
await kubelet.start();
console.error(`${new Date().toISOString()} ${values.nodes} nodes registered`);
await new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});
await kubelet.stop();
api.close();
