import { afterEach, describe, expect, it } from '@jest/globals';
import { MessageChannel } from 'node:worker_threads';
import { Channel } from './channel.ts';
import type { FromThread, ToThread } from './messages.ts';
import { Questions } from './questions.ts';

const ports = new MessageChannel();
afterEach(() => {
  ports.port1.close();
  ports.port2.close();
});

describe('the channel between two threads', () => {
  it('delivers messages in their order, and the answer to a question', async () => {
    const host = new Channel<ToThread, FromThread>(ports.port1);
    const thread = new Channel<FromThread, ToThread>(ports.port2);
    const scrapes = new Questions<string>();
    const kinds: string[] = [];
    host.post({ kind: 'Drain' });
    const text = scrapes.ask((id) => host.post({ kind: 'CollectMetrics', id }), AbortSignal.timeout(5000));
    host.receive((message) => {
      if (message.kind === 'Metrics') scrapes.answered(message.id, message.text);
    });
    thread.receive((message) => {
      kinds.push(message.kind);
      if (message.kind === 'CollectMetrics') thread.post({ kind: 'Metrics', id: message.id, text: 'up 1' });
    });
    expect(await text).toBe('up 1');
    expect(kinds).toEqual(['Drain', 'CollectMetrics']);
  });
});
