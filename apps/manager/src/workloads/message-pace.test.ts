import { describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { MessagePace } from './message-pace.ts';

const at = (seconds: number) => instant(Date.UTC(2026, 0, 1) + seconds * 1000);
interface Status {
  readonly replicas: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}
const blocked = (message: string, replicas = 3): Status => ({ replicas, conditions: [{ type: 'Blocked', status: 'True', message }] });
const object = (message: string) => ({ metadata: { name: 'web', uid: 'a' }, status: blocked(message) });

describe('another message of the same condition', () => {
  it('is written at once the first time, and then every ten seconds', () => {
    const pace = new MessagePace();
    expect(pace.wait(object('one'), blocked('two'), at(0))).toBe(0);
    expect(pace.wait(object('two'), blocked('one'), at(4))).toBe(6000);
    expect(pace.wait(object('two'), blocked('one'), at(10))).toBe(0);
    expect(pace.wait(object('one'), blocked('two'), at(11))).toBe(9000);
  });

  it.each<[string, Status]>([
    ['another number', blocked('one', 4)],
    [
      'a condition more',
      {
        replicas: 3,
        conditions: [
          { type: 'Blocked', status: 'True' },
          { type: 'FailedUpdate', status: 'True' },
        ],
      },
    ],
    ['a condition less', { replicas: 3 }],
  ])('does not hold back %s', (_name, status) => {
    const pace = new MessagePace();
    pace.wait(object('one'), blocked('two'), at(0));
    expect(pace.wait(object('two'), status, at(1))).toBe(0);
  });

  it('does not wait when the clock was set back, nor for an object that was deleted', () => {
    const pace = new MessagePace();
    pace.wait(object('one'), blocked('two'), at(100));
    expect(pace.wait(object('two'), blocked('one'), at(0))).toBe(0);
    pace.forget('a');
    expect(pace.wait(object('one'), blocked('two'), at(1))).toBe(0);
  });
});
