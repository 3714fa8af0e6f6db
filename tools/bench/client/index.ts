/** CPU of a write of our client beside @kubernetes/client-node: the same calls on the same API server, in turns, medians over the rounds. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, loadClusterConfig } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';
import type { Row } from '../table.ts';
import { verbs, type Answer, type Order, type Verb } from './write-rounds.ts';

const rounds = 6;
const callsPerRound = 300;

/** CPU of a call in microseconds, by verb, a number a round. */
type Costs = Readonly<Record<Verb, number[]>>;

const namespace = 'bench-writes';

class Writer {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: string, file: string, kubeconfig: string) {
    this.name = name;
    const child = spawn(process.execPath, ['--max-semi-space-size=4', join(import.meta.dirname, file), kubeconfig, namespace], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async write(order: Order): Promise<number> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error(`${this.name} ended during ${order.verb}`);
    return (JSON.parse(answer.value) as Answer).cpuMicrosPerCall;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

const noCosts = (): Costs => ({ create: [], patch: [], status: [], delete: [] });

async function writeInTurns(costs: ReadonlyMap<Writer, Costs>, isCounted: boolean): Promise<void> {
  for (const verb of verbs) {
    for (const [writer, held] of costs) {
      const cost = await writer.write({ verb, count: callsPerRound });
      if (isCounted) held[verb].push(cost);
    }
  }
}

export const measure: Measure = async ({ progress }) => {
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench-setup' });
  await client.create(namespaces, { metadata: { name: namespace } });
  client.close();
  const ours = new Writer('ours', 'ours.ts', plane.kubeconfigPath);
  const peer = new Writer('client-node', 'client-node.ts', plane.kubeconfigPath);
  try {
    const costs = new Map([
      [ours, noCosts()],
      [peer, noCosts()],
    ]);
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? 'writes: warm-up' : `writes: round ${round} of ${rounds}`);
      await writeInTurns(costs, round > 0);
    }
    const rows = verbs.map((verb): Row => ({
      what: `client: CPU of one ${verb} (us)`,
      ours: median(costs.get(ours)?.[verb] ?? []),
      peer: { name: peer.name, value: median(costs.get(peer)?.[verb] ?? []) },
      limit: 0.2,
    }));
    return { rows, details: Object.fromEntries([...costs].map(([{ name }, measured]) => [name, measured])) };
  } finally {
    ours.stop();
    peer.stop();
  }
};
