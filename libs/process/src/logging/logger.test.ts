import { describe, expect, it } from '@jest/globals';
import { formatHeader, formatMessage, formatValue } from './klog-format.ts';
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
    [{ long: 9007199254740993n }, '"m" long=9007199254740993'],
    [{ list: [undefined, null] }, '"m" list=[null,null]'],
    [{ call: () => 1 }, '"m" call="function"'],
    [{ port: { name: 'http', number: 80 } }, '"m" port={"name":"http","number":80}'],
    [{ port: { name: 80 } }, '"m" port={"name":80}'],
    [{ place: { namespace: 'a' } }, '"m" place={"namespace":"a"}'],
  ])('prints %j', (fields, line) => {
    expect(formatMessage('m', fields as Record<string, unknown>)).toBe(line);
  });

  it('prints absent values as Go does', () => {
    expect([formatValue(null), formatValue(undefined)]).toEqual(['<nil>', '<nil>']);
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

describe('loggers with a name', () => {
  it.each<{ name: string; options: Partial<LoggerOptions>; fields: readonly object[]; then: number }>([
    {
      name: 'shows the details of a named controller',
      options: { verbosityOf: (of) => (of === 'crr' ? 4 : 0) },
      fields: [{ controller: 'crr' }],
      then: 1,
    },
    {
      name: 'shows those of a part of the program',
      options: { verbosityOf: (of) => (of === 'reflector' ? 4 : 0) },
      fields: [{ logger: 'reflector' }],
      then: 1,
    },
    {
      name: 'hides those of all others',
      options: { verbosityOf: (of) => (of === 'crr' ? 4 : 0) },
      fields: [{ controller: 'other' }],
      then: 0,
    },
    {
      name: 'hides those of the program itself, which has no name',
      options: { verbosityOf: (of) => (of === 'crr' ? 4 : 0) },
      fields: [],
      then: 0,
    },
    {
      name: 'keeps a name under fields that are bound later',
      options: { verbosityOf: (of) => (of === 'crr' ? 4 : 0) },
      fields: [{ controller: 'crr' }, { pod: 'p' }],
      then: 1,
    },
    { name: 'hides a logger that is named with less than 4', options: { verbosityOf: () => 3 }, fields: [{ controller: 'crr' }], then: 0 },
    { name: 'never shows less than --v', options: { verbosity: 4, verbosityOf: () => 0 }, fields: [{ controller: 'crr' }], then: 1 },
  ])('$name', ({ options, fields, then }) => {
    const { lines, logger } = capture(options);
    fields.reduce((made: ReturnType<typeof createLogger>, bound) => made.child(bound), logger).debug({}, 'detail');
    expect(lines).toHaveLength(then);
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
