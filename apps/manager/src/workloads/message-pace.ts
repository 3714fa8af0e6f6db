/**
 * How often another message of a condition is worth a write. Where writes of several objects are refused, each pass may meet another one first: the
 * message would change with every pass, and each write of the status wakes the controller for the next one, past its backoff.
 */
import { WritePace } from './write-pace.ts';

/** Between two writes that change nothing but reasons and messages of conditions. */
const pauseMs = 10_000;

interface Conditioned {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const withoutWords = ({ conditions = [], ...rest }: Conditioned): object => ({
  ...rest,
  conditions: conditions.map(({ type, status }) => [type, status]),
});

export class MessagePace extends WritePace<Conditioned> {
  constructor() {
    super({ pauseOf: () => pauseMs, rest: withoutWords });
  }
}
