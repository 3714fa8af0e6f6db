/** TCP probes. @see spec/podprobemarker.md 5.3 */
import { connect } from 'node:net';
import { failed, succeeded, type ProbeOutcome } from './probe-outcome.ts';

/** Opens a connection and closes it again. Never rejects. */
export const probeTcp = (host: string, port: number, signal: AbortSignal): Promise<ProbeOutcome> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (outcome: ProbeOutcome): void => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(outcome);
    };
    const giveUp = (): void => end(failed(`dial tcp ${host}:${String(port)}: i/o timeout`));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('connect', () => end(succeeded('')));
    socket.once('error', (error) => end(failed(error.message)));
  });
