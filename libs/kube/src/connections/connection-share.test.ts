import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConnectionShare } from './connection-share.ts';

let lastPort = 0;

class FakeConnection extends EventEmitter {
  isOpen = true;
  readonly remoteAddress: string;
  readonly remotePort = ++lastPort;
  readonly localPort = 9876;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  /** Emits `close` later, as a socket does. */
  destroy(): void {
    this.isOpen = false;
    queueMicrotask(() => this.emit('close'));
  }
}

function connected(to: ConnectionShare, address: string): FakeConnection {
  const connection = new FakeConnection(address);
  to.take(connection);
  return connection;
}
const isOpen = (connections: readonly FakeConnection[]): readonly boolean[] => connections.map((one) => one.isOpen);
const numberOpen = (connections: readonly FakeConnection[]): number => connections.filter((one) => one.isOpen).length;

describe('the connections of a server', () => {
  it('of one address are bounded: a new one replaces the oldest without a request in progress', () => {
    const server = new ConnectionShare({ all: 10, perAddress: 2, closes: 'Idle' });
    const those = ['a', 'a', 'a', 'a'].map((address) => connected(server, address));
    expect([isOpen(those), connected(server, 'b').isOpen]).toEqual([[false, false, true, true], true]);
  });

  it('have room for one more when one closes', async () => {
    const server = new ConnectionShare({ all: 10, perAddress: 2, closes: 'Idle' });
    const those = ['a', 'a'].map((address) => connected(server, address));
    those[0]?.destroy();
    await Promise.resolve();
    those.push(connected(server, 'a'));
    expect(isOpen(those)).toEqual([false, true, true]);
  });

  it('with a request in progress stay open, and a new one is closed when all have one', () => {
    const server = new ConnectionShare({ all: 10, perAddress: 2, closes: 'Idle' });
    const [first, second] = [connected(server, 'a'), connected(server, 'a')];
    const [endFirst, endAnother] = [server.begin(first), server.begin(first)];
    const third = connected(server, 'a');
    expect(isOpen([first, second, third])).toEqual([true, false, true]);
    server.begin(third);
    expect(connected(server, 'a').isOpen).toBe(false);
    endFirst();
    expect(connected(server, 'a').isOpen).toBe(false);
    endAnother();
    expect([connected(server, 'a').isOpen, first.isOpen]).toEqual([true, false]);
  });

  it('that are unknown, or were closed meanwhile, may begin and end requests', () => {
    const server = new ConnectionShare({ all: 1, perAddress: 1, closes: 'Idle' });
    const closed = connected(server, 'a');
    const end = server.begin(closed);
    closed.emit('close');
    end();
    server.begin(closed)();
    const [open, refused] = [connected(server, 'a'), connected(server, 'b')];
    expect(isOpen([open, refused])).toEqual([false, true]);
  });

  it('are closed for the address that has most, the oldest first, when there are too many', () => {
    const server = new ConnectionShare({ all: 4, perAddress: 3, closes: 'Idle' });
    const attacker = ['a', 'a', 'a'].map((address) => connected(server, address));
    const others = ['b', 'c', 'd'].map((address) => connected(server, address));
    expect([isOpen(attacker), isOpen(others)]).toEqual([
      [false, false, true],
      [true, true, true],
    ]);
  });

  it('are closed for the address with the next most when all of the first have a request in progress', () => {
    const server = new ConnectionShare({ all: 5, perAddress: 3, closes: 'Idle' });
    const busy = ['a', 'a', 'a'].map((address) => connected(server, address));
    for (const one of busy) server.begin(one);
    const idle = ['b', 'b'].map((address) => connected(server, address));
    expect([connected(server, 'c').isOpen, isOpen(idle), numberOpen(busy)]).toEqual([true, [false, true], 3]);
  });

  it('of an address that has most already do not displace those of others', () => {
    const server = new ConnectionShare({ all: 3, perAddress: 3, closes: 'Idle' });
    const other = connected(server, 'b');
    const attacker = ['a', 'a', 'a', 'a'].map((address) => connected(server, address));
    expect([other.isOpen, numberOpen(attacker)]).toEqual([true, 2]);
  });

  it('are closed with a request in progress with `Oldest`: that of the address with the most', () => {
    const server = new ConnectionShare({ all: 3, perAddress: 2, closes: 'Oldest' });
    const kubelet = connected(server, 'k');
    const attacker = ['a', 'a'].map((address) => connected(server, address));
    for (const one of [kubelet, ...attacker]) server.begin(one);
    const scraper = connected(server, 's');
    expect([kubelet.isOpen, isOpen(attacker), scraper.isOpen]).toEqual([true, [false, true], true]);
    const more = ['a', 'a'].map((address) => connected(server, address));
    expect([kubelet.isOpen, isOpen(attacker), isOpen(more), scraper.isOpen]).toEqual([true, [false, false], [false, true], true]);
  });
});
