/** CPU of a write of our client beside @kubernetes/client-node: the same calls on the same API server, in turns, medians over the rounds. */
import { join } from 'node:path';
import { LineProgram } from '../line-program.ts';
import { onBarePlane } from '../manager/plane.ts';
import { namespace } from '../objects/workloads.ts';
import { verbs } from '../peers/write-rounds.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';

const rounds = 6;

export const measure: Measure = ({ progress, record }) =>
  onBarePlane(async ({ plane }) => {
    const writer = (file: string): LineProgram => {
      const program = join(import.meta.dirname, '../peers', file);
      return new LineProgram(file, [process.execPath, '--max-semi-space-size=4', program, plane.kubeconfigPath, namespace]);
    };
    using ours = writer('writer-ours.ts');
    using peer = writer('writer-client-node.ts');
    /** CPU of a call in microseconds. */
    const costs: { readonly verb: string; readonly ours: number; readonly peer: number }[] = [];
    for (let round = 0; round <= rounds; round++) {
      progress(round === 0 ? 'writes: warm-up' : `writes: round ${round} of ${rounds}`);
      for (const verb of verbs) {
        const cost = { verb, ours: Number(await ours.next(verb)), peer: Number(await peer.next(verb)) };
        if (round > 0) costs.push(cost);
      }
    }
    record(costs);
    return verbs.map((verb) => {
      const ofVerb = costs.filter((cost) => cost.verb === verb);
      const value = median(ofVerb.map((cost) => cost.peer));
      const row = { ours: median(ofVerb.map((cost) => cost.ours)), peer: { name: 'client-node', value }, limit: 0.2 };
      return { what: `client: CPU of one ${verb} (us)`, ...row };
    });
  });
