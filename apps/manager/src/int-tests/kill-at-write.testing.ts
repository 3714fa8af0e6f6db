/** A manager that dies at one of its writes, which the fault proxy between it and the API server decides about. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultProxy } from '@kruise/testing';
import type { ManagerProcess } from './manager-process.testing.ts';

export interface KillAtWrite {
  readonly proxy: FaultProxy;
  readonly manager: ManagerProcess;
  /** Of the requests that count; watches never do. */
  readonly path: RegExp;
  /** How many of them pass before. */
  readonly after: number;
  /** `Hang` for one that never arrives, or one that takes effect without the manager learning of it. */
  readonly fault: Fault;
  readonly isDone: () => Promise<boolean>;
}

const askEveryMs = 200;

/** Kills the manager at a write. @returns whether it came to that before `isDone` */
export async function killAtWrite({ proxy, manager, path, after, fault, isDone }: KillAtWrite): Promise<boolean> {
  const heal = proxy.inject({ match: { path, watch: false }, skip: after, fault });
  const known = proxy.requests.length;
  const deadline = performance.now() + 180_000;
  let askedAt = -Infinity;
  try {
    for (;;) {
      if (proxy.requests.slice(known).some((request) => request.fault !== undefined && (request.forwarded || fault.kind === 'Hang'))) {
        await manager.signal('SIGKILL');
        return true;
      }
      // The write is noticed at once. The API server is asked less often, so that it has time for the manager.
      if (performance.now() - askedAt > askEveryMs) {
        if (await isDone()) return false;
        askedAt = performance.now();
      }
      if (performance.now() > deadline) throw new Error(`no write and no end; the manager's log:\n${manager.log}`);
      await sleep(2);
    }
  } finally {
    heal();
  }
}
