import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { agentLimits, milliseconds, seconds } from '@kruise/objects';
import { ProbeTurns } from './probe-turns.ts';

const perSecond = agentLimits.probeRunsPerSecond.value;
const atOnce = agentLimits.probeRunsOfNamespace.value;
const never = new AbortController().signal;

/** Probes that run again as soon as they have run, and the begins of each. */
class Runs {
  readonly clock = new FakeClock();
  readonly turns = new ProbeTurns(this.clock);
  readonly stop = new AbortController();
  readonly begun = new Map<string, number>();
  readonly order: string[] = [];

  repeat(namespace: string, probes: number, run = (): Promise<void> => Promise.resolve()): void {
    for (let i = 0; i < probes; i++) void this.#repeatOne(namespace, run).catch(() => undefined);
  }

  async #repeatOne(namespace: string, run: () => Promise<void>): Promise<void> {
    while (!this.stop.signal.aborted)
      await this.turns.run(namespace, this.stop.signal, () => {
        this.begun.set(namespace, (this.begun.get(namespace) ?? 0) + 1);
        this.order.push(namespace);
        return run();
      });
  }
}

describe('runs of probes', () => {
  it('begin as often as the bound allows, and those of a second together', async () => {
    const runs = new Runs();
    runs.repeat('many', 50);
    await runs.clock.settle();
    expect(runs.begun.get('many')).toBe(perSecond);
    await runs.clock.step(seconds(10));
    expect(runs.begun.get('many')).toBe(perSecond * 11);
    runs.stop.abort();
  });

  it('begin in turns of the namespaces, however many probes one of them has', async () => {
    const runs = new Runs();
    runs.repeat('many', 50);
    await runs.clock.step(seconds(5));
    runs.repeat('few', 1);
    await runs.clock.step(milliseconds(2000 / perSecond));
    expect(runs.order.slice(-2)).toContain('few');
    runs.stop.abort();
  });

  it('of one namespace that do not end delay no other', async () => {
    const runs = new Runs();
    const hanging = Promise.withResolvers<void>();
    runs.repeat('hanging', atOnce + 10, () => hanging.promise);
    await runs.clock.step(seconds(10));
    expect(runs.begun.get('hanging')).toBe(atOnce);
    runs.repeat('other', 1, () => runs.clock.sleep(seconds(1)));
    await runs.clock.step(seconds(10));
    expect(runs.begun.get('other')).toBe(11);
    runs.stop.abort();
    hanging.resolve();
  });

  it('that wait for more than ten seconds are reported every ten minutes', async () => {
    const clock = new FakeClock();
    const late: number[] = [];
    const turns = new ProbeTurns(clock, () => late.push(clock.monotonic()));
    const stop = new AbortController();
    const repeat = async (): Promise<void> => {
      while (!stop.signal.aborted) await turns.run('many', stop.signal, () => clock.sleep(seconds(250)));
    };
    for (let i = 0; i <= atOnce; i++) void repeat().catch(() => undefined);
    await clock.step(seconds(1800));
    expect(late).toHaveLength(3);
    expect([late[1]! - late[0]! >= seconds(600), late[2]! - late[1]! >= seconds(600)]).toEqual([true, true]);
    stop.abort();
  });

  it('that are aborted while they wait use no turn', async () => {
    const runs = new Runs();
    runs.repeat('many', perSecond);
    await runs.clock.settle();
    const leave = new AbortController();
    const aborted = runs.turns.run('gone', leave.signal, () => Promise.reject(new Error('it ran')));
    leave.abort(new Error('it left'));
    await expect(aborted).rejects.toThrow('it left');
    await expect(runs.turns.run('gone', leave.signal, () => Promise.resolve())).rejects.toThrow('it left');
    runs.stop.abort();
    await runs.clock.step(seconds(2));
    let ran = false;
    await runs.turns.run('gone', never, () => Promise.resolve(void (ran = true)));
    expect(ran).toBe(true);
  });
});
