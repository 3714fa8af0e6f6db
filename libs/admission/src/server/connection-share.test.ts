import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConnectionShare } from './connection-share.ts';

class FakeConnection extends EventEmitter {
  isOpen = true;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

function connected(to: ConnectionShare, address: string): FakeConnection {
  const connection = new FakeConnection(address);
  to.take(connection);
  return connection;
}
const isOpen = (connections: readonly FakeConnection[]): readonly boolean[] => connections.map((one) => one.isOpen);

describe('the connections of a server', () => {
  it('are so many from each address, and one more for each that closes', () => {
    const server = new ConnectionShare({ all: 10, perAddress: 2 });
    const [first, second, third] = ['a', 'a', 'a'].map((address) => connected(server, address));
    expect([first?.isOpen, second?.isOpen, third?.isOpen, connected(server, 'b').isOpen]).toEqual([true, true, false, true]);
    first?.destroy();
    expect([connected(server, 'a').isOpen, connected(server, 'a').isOpen]).toEqual([true, false]);
  });

  it('are taken from the address that has most, the oldest first, when there are too many', () => {
    const server = new ConnectionShare({ all: 4, perAddress: 3 });
    const attacker = ['a', 'a', 'a'].map((address) => connected(server, address));
    const others = ['b', 'c', 'd'].map((address) => connected(server, address));
    expect([isOpen(attacker), isOpen(others)]).toEqual([
      [false, false, true],
      [true, true, true],
    ]);
  });

  it('of an address that has most already do not push out those of others', () => {
    const server = new ConnectionShare({ all: 3, perAddress: 3 });
    const other = connected(server, 'b');
    const attacker = ['a', 'a', 'a', 'a'].map((address) => connected(server, address));
    expect([other.isOpen, attacker.filter((one) => one.isOpen).length]).toEqual([true, 2]);
  });
});
