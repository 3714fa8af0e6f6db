import { describe, expect, it } from '@jest/globals';
import { formatHeader, formatMessage } from './klog-format.ts';
import { createLogger, type LoggerOptions } from './logger.ts';

function capture(options: Partial<LoggerOptions>): { lines: string[]; logger: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  return { lines, logger: createLogger({ format: 'text', verbosity: 0, sink: { write: (line) => lines.push(line) }, ...options }) };
}

describe('klog text', () => {
  it('starts with severity, date, time, process id and place', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5, 6);
    expect(formatHeader({ severity: 'W', at, pid: 42, caller: 'plan.ts:7' })).toBe('W0102 03:04:05.006000      42 plan.ts:7] ');
  });

  it.each<[object, string]>([
    [{ count: 3, done: true }, '"m" count=3 done=true'],
    [{ cloneSet: { namespace: 'a', name: 'b' } }, '"m" cloneSet="a/b"'],
    [{ node: { name: 'n' } }, '"m" node="n"'],
    [{ error: new Error('no "way"') }, '"m" err="no \\"way\\""'],
    [{ text: 'one\ntwo\n' }, '"m" text=<\n\tone\n\ttwo\n >'],
    [{ none: null, gone: undefined }, '"m" none=<nil>'],
    [{ list: ['a', 1] }, '"m" list=["a",1]'],
  ])('prints %j', (fields, line) => {
    expect(formatMessage('m', fields as Record<string, unknown>)).toBe(line);
  });

  it('names the file and line that logged', () => {
    const { lines, logger } = capture({});
    logger.child({ controller: 'c' }).info({ n: 1 }, 'hello');
    expect(lines).toEqual([expect.stringMatching(/^I\d{4} [\d:.]{15} +\d+ logger\.test\.ts:\d+\] "hello" controller="c" n=1\n$/)]);
  });

  it('shows debug lines from verbosity 4 on', () => {
    const quiet = capture({ verbosity: 3 });
    quiet.logger.debug({}, 'detail');
    const loud = capture({ verbosity: 4 });
    loud.logger.debug({}, 'detail');
    expect([quiet.lines.length, loud.lines.length]).toEqual([0, 1]);
  });
});

describe('JSON', () => {
  it('writes ts, caller, msg and v, errors with err and no v', () => {
    const { lines, logger } = capture({ format: 'json', now: () => new Date(1_700_000_000_123) });
    logger.child({ controller: 'c' }).info({ pod: { namespace: 'a', name: 'b' } }, 'hello');
    logger.error({ error: new Error('boom') }, 'failed');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        v: 0,
        ts: 1_700_000_000_123,
        caller: expect.stringMatching(/^logger\.test\.ts:\d+$/),
        controller: 'c',
        pod: { namespace: 'a', name: 'b' },
        msg: 'hello',
      },
      { ts: 1_700_000_000_123, caller: expect.stringMatching(/^logger\.test\.ts:\d+$/), err: 'boom', msg: 'failed' },
    ]);
  });
});
