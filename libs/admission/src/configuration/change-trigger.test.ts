import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type Client } from '@kruise/kube';
import { FakeClock, ScriptedSource, silentLogger } from '@kruise/kube/testing';
import { secrets, type KubeObject } from '@kruise/objects';
import { watchForChanges } from './change-trigger.ts';

const named = (name: string): KubeObject => ({ metadata: { name } });

let source: ScriptedSource;
let clock: FakeClock;
let logger: ReturnType<typeof silentLogger>;
let changes: (string | undefined)[];
let stop: AbortController;
let ended: Promise<void>;

/** Starts a watch. Lists return these resource versions, one after the other, then fail. */
async function watch(versions: readonly string[], scope: { namespace?: string; fieldSelector?: string } = {}): Promise<void> {
  source.lists.push(...versions.map((resourceVersion) => ({ metadata: { resourceVersion }, items: [named('there before')] })));
  const onChange = (object: KubeObject | undefined): void => void changes.push(object?.metadata.name);
  ended = watchForChanges(secrets, { client: source as unknown as Client, clock, logger, ...scope, onChange }, stop.signal);
  await clock.settle();
}

beforeEach(() => {
  [source, clock, logger, changes, stop] = [new ScriptedSource(), new FakeClock(), silentLogger(), [], new AbortController()];
});
afterEach(async () => {
  stop.abort();
  await ended;
});

describe('a watch for changes', () => {
  it('reports every change from now on, and nothing else', async () => {
    await watch(['7']);
    source.watching
      .send({ type: 'ADDED', object: named('a') }, { type: 'MODIFIED', object: named('b') })
      .bookmark('8')
      .send({ type: 'DELETED', object: named('c') });
    await clock.settle();
    expect(changes).toEqual(['a', 'b', 'c']);
  });

  it.each([[{}], [{ namespace: 'n' }], [{ fieldSelector: 'metadata.name=a' }], [{ namespace: 'n', fieldSelector: 'metadata.name=a' }]])(
    'for %j starts at the list of now, of which it reads no more than it must',
    async (scope) => {
      await watch(['7'], scope);
      expect(source.listCalls).toStrictEqual([{ ...scope, signal: stop.signal, limit: 1 }]);
      expect(source.watching.options).toStrictEqual({ ...scope, signal: stop.signal, resourceVersion: '7', timeoutSeconds: 600 });
    },
  );

  it('that ended is opened again after a second, and reports that something may have been missed', async () => {
    await watch(['7', '9']);
    source.watching.end();
    await clock.step(999);
    expect(source.watches).toHaveLength(1);
    await clock.step(1);
    expect(source.watching.options.resourceVersion).toBe('9');
    expect(changes).toEqual([undefined]);
    expect(logger.lines).toEqual([]);
  });

  it('that broke is opened again after a second, and logs why', async () => {
    await watch(['7', '9']);
    const error = new ApiError('too old', { kind: 'Gone' });
    source.watching.fail(error);
    await clock.step(1000);
    expect(source.watches).toHaveLength(2);
    expect(logger.lines).toEqual([
      {
        level: 'debug',
        fields: { logger: 'webhook-controller', error, resource: 'secrets' },
        message: 'Watch for changes ended with an error',
      },
    ]);
  });

  it('whose list fails is retried every second', async () => {
    await watch([]);
    await clock.step(3000);
    expect(source.listCalls).toHaveLength(4);
    expect(changes).toEqual([]);
  });

  it('ends permanently when it is aborted, without a log line', async () => {
    await watch(['7', '9']);
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
    await clock.step(5000);
    expect(source.listCalls).toHaveLength(1);
    expect(logger.lines).toEqual([]);
  });

  it('ends while it waits', async () => {
    await watch(['7', '9']);
    source.watching.end();
    await clock.step(500);
    stop.abort();
    await ended;
    expect(source.listCalls).toHaveLength(1);
  });
});
