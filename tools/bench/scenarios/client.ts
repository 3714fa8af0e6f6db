/** CPU of a write of our client beside @kubernetes/client-node: the same calls on the same API server, in turns, medians over the rounds. */
import { join } from 'node:path';
import { LineProgram } from '../line-program.ts';
import { onBarePlane } from '../manager/plane.ts';
import { namespace } from '../objects/workloads.ts';
import { verbs, type Verb } from '../peers/write-rounds.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';

const rounds = 6;

/** CPU of a call in microseconds, a number a round. */
type Costs = Readonly<Record<Verb, number[]>>;
const noCosts = (): Costs => ({ create: [], patch: [], status: [], delete: [] });

export const measure: Measure = ({ progress }) =>
  onBarePlane(async ({ plane }) => {
    const writer = (file: string): LineProgram => {
      const program = join(import.meta.dirname, '../peers', file);
      return new LineProgram(file, [process.execPath, '--max-semi-space-size=4', program, plane.kubeconfigPath, namespace]);
    };
    using ours = writer('writer-ours.ts');
    using peer = writer('writer-client-node.ts');
    const [ofOurs, ofPeer] = [noCosts(), noCosts()];
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? 'writes: warm-up' : `writes: round ${round} of ${rounds}`);
      for (const verb of verbs) {
        const [cost, peerCost] = [Number(await ours.next(verb)), Number(await peer.next(verb))];
        if (round === 0) continue;
        ofOurs[verb].push(cost);
        ofPeer[verb].push(peerCost);
      }
    }
    const rows = verbs.map((verb) => ({
      what: `client: CPU of one ${verb} (us)`,
      ours: median(ofOurs[verb]),
      peer: { name: 'client-node', value: median(ofPeer[verb]) },
      limit: 0.2,
    }));
    return { rows, details: { ours: ofOurs, 'client-node': ofPeer } };
  });
