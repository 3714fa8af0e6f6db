/** A manager that dies at one of its writes, which the fault proxy between it and the API server decides about. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultProxy } from '@kruise/testing';
import type { ManagerProcess } from './manager-process.testing.ts';

export interface KillAtWrite {
  readonly proxy: FaultProxy;
  readonly manager: ManagerProcess;
  /** Of the requests that count; watches never do. */
  readonly path: RegExp;
  /** Of the requests that count; any by default. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** How many of them pass before. */
  readonly after: number;
  /** `Hang` for one that never arrives, or one that takes effect without the manager learning of it. */
  readonly fault: Fault;
  readonly isDone: () => Promise<boolean>;
}

const askEveryMs = 200;

/** Returns `holds`, asked at most every {@link askEveryMs}: the API server needs its time for the manager. */
function seldom(holds: () => Promise<boolean>): () => Promise<boolean> {
  let askedAt = -Infinity;
  return async () => {
    if (performance.now() - askedAt <= askEveryMs) return false;
    askedAt = performance.now();
    return holds();
  };
}

/** Kills the manager at a write, as soon as the write is noticed. @returns whether it came to that before `isDone` */
export async function killAtWrite({ proxy, manager, path, method, after, fault, isDone }: KillAtWrite): Promise<boolean> {
  const match = { path, watch: false, ...(method === undefined ? {} : { method }) };
  const heal = proxy.inject({ match, skip: after, fault });
  const known = proxy.requests.length;
  const hasFault = (request: (typeof proxy.requests)[number]): boolean =>
    request.fault !== undefined && (request.forwarded || fault.kind === 'Hang');
  const isEnd = seldom(isDone);
  const deadline = performance.now() + 180_000;
  try {
    for (;;) {
      if (proxy.requests.slice(known).some(hasFault)) {
        await manager.signal('SIGKILL');
        return true;
      }
      if (await isEnd()) return false;
      if (performance.now() > deadline) throw new Error(`no write and no end; the manager's log:\n${manager.log}`);
      await sleep(2);
    }
  } finally {
    heal();
  }
}
